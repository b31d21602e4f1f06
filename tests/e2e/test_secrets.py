"""A secret said with "remember" is sealed whole, and no part of it stays in any row, log or mirror."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.cli import doctor
from memory.models import Sensitivity
from memory.ports import Transaction
from tests.e2e.driver import opened
from tests.e2e.test_scripted_model import by_memory_model, chats, scripted
from tests.servers.openai import OpenAIServer

# what is said, the secret in it, and parts of it that nothing else has
SHAPES = [
    ("Remember my wifi password is hunter2!xyz", "hunter2!xyz", ("hunter2", "xyz")),
    ("remember: the wifi password is Tr0ub4dor&3. Thanks!", "Tr0ub4dor&3", ("Tr0ub",)),
    ("Please remember that my bank password is a?b!c.d9Qz", "a?b!c.d9Qz", ("d9Qz", "a?b!")),
    ('Remember my password "bluish horse! stapling? 7"', "bluish horse! stapling? 7", ("bluish", "stapling")),
    ("Remember that my safe code is 48-15-16 23", "48-15-16 23", ("48-15",)),
    ("Remember my PIN is 482193.", "482193", ("482193",)),
    ("remember my laptop password: P@ss.wyrd!99?ok", "P@ss.wyrd!99?ok", ("P@ss", "wyrd", "99?ok")),
    ("My email password is zebra.horsey!9. Please remember that.", "zebra.horsey!9", ("zebra", "horsey")),
    ("Remember my password is 好运2024!abc", "好运2024!abc", ("好运", "2024!abc")),
    ("Don't forget: my card number is 4111 1111 1111 1111", "4111 1111 1111 1111", ("4111",)),
    ("remember my recovery phrase is apple river stoney cloud wolf paper ghost lamp sugar train brave onion", "stoney cloud wolf", ("stoney", "onion")),
    ("记住我的密码是hunter2!xyz", "hunter2!xyz", ("hunter2",)),
    ("请记住：我家WiFi密码是 Ab12！cd34", "Ab12！cd34", ("Ab12", "cd34")),
    ("记住我的银行密码是a?b!c。d9Qz", "a?b!c。d9Qz", ("d9Qz", "a?b!")),
    ("帮我记住门禁码是 88427#", "88427#", ("88427", "#")),
    ("记住我的PIN码是 557391", "557391", ("557391",)),
    ("记住我的身份证号是 11010519491231002X", "11010519491231002X", ("1101051949",)),
    ("我的邮箱密码是 x9!kk；z7pq。请记住", "x9!kk；z7pq", ("z7pq", "x9!kk")),
    ("记住我的密码是「春天 来了！2024」", "春天 来了！2024", ("春天", "来了")),
    ("记住助记词是 apple river stoney cloud wolf paper ghost lamp sugar train brave onion", "stoney cloud wolf", ("stoney", "onion")),
    ("记住我的API密钥是 tok_ABCdef123456!ghi", "tok_ABCdef123456!ghi", ("tok_ABC", "!ghi")),
]  # fmt: skip


def left_in(home: Path, parts: tuple[str, ...]) -> list[tuple[str, str]]:
    """Which of the parts can be read in which file."""
    files = [f for f in home.rglob("*") if f.is_file() and f.name != "key"]
    return [(f.name, p) for f in files for p in parts if p.encode() in f.read_bytes()]


@pytest.mark.parametrize("by_command", [False, True], ids=["said", "command"])
@pytest.mark.parametrize(("said", "secret", "parts"), SHAPES)
async def test_a_secret_is_sealed_whole(
    tmp_path: Path, said: str, secret: str, parts: tuple[str, ...], *, by_command: bool
) -> None:
    """Opened again it is what was said, to the last sign; nothing of it can be read from the files."""
    async with opened(tmp_path) as w:
        await (w.do(f"/remember {said}") if by_command else w.say(said))
        await w.say("Hello again")
        await w.do("/new")
        sealed = [
            m for m in await w.memories(max_sensitivity=Sensitivity.SECRET) if m.sensitivity == 3
        ]
        assert len(sealed) == 1
        assert secret in (await w.ebb.memory.sealer.open(w.ebb.owner, sealed[0].id) or "")
        assert not any(
            p in text for text in await w.texts(max_sensitivity=Sensitivity.SECRET) for p in parts
        )
    assert not left_in(tmp_path, (secret, *(p for p in parts if len(p) > 3)))


TYPED = [
    (
        "hey, the router password is Lasagne-4471, is it any good?",
        "Lasagne-4471",
        "not a secret",
        "sealed",
    ),
    ("我家路由器密码是Lasagne-4471，够安全吗", "Lasagne-4471", "这不是机密", "封存"),
]


@pytest.mark.parametrize(("typed", "secret", "spare", "notice"), TYPED)
async def test_a_secret_typed_in_passing_goes_to_one_reply_only(
    tmp_path: Path, openai_server: OpenAIServer, typed: str, secret: str, spare: str, notice: str
) -> None:
    """The model sees it once; no file and no later prompt has it; it is told once, and can be taken back for good."""
    by_memory_model(openai_server, {})
    openai_server.on(
        "large",
        lambda r: f"I saw {secret}: Lasagne, then 4471." if secret in r.text else "Fine.",
        field="model",
    )
    async with scripted(tmp_path, openai_server) as w:
        first = await w.say(typed)
        assert notice in first.text
        assert notice not in (await w.say("What is the weather?")).text
        await w.do("/new")
        await w.say("Hello again")
        assert [secret in r.text for r in chats(openai_server, "large")] == [True, False, False]
        assert not any(secret in r.text for r in chats(openai_server, "small"))
        assert not left_in(tmp_path, (secret, "Lasagne", "4471"))
        await w.say(typed)
        await w.say(spare)
        for _ in range(2):  # it stands as it was said, and is not sealed again
            assert (
                typed
                in [m.text for m in await w.ebb.agent.list_history(w.ebb.owner, w.ebb.scope)][-4:]
            )
            assert notice not in (await w.say(typed)).text
        assert secret in chats(openai_server, "small")[-1].text


async def test_messages_of_an_older_version_are_sealed(tmp_path: Path) -> None:
    """In the background, but for what its owner said is no secret; what was said can still be remembered."""
    async with opened(tmp_path) as w:
        for said in ("the gate code is 88427#", "not a secret", "hello"):
            await w.say(said)

        def write(tx: Transaction) -> None:  # as an older version left it
            m = next(m for m in tx.conversations.list_messages() if m.text == "hello")
            tx.conversations.put_messages([replace(m, text="my wifi password is Gr33nTea-88")])
            tx.jobs.enqueue("seal", "again", {}, w.time())

        await w.ebb.store.write(w.ebb.owner, write)
        assert await w.ebb.agent.drain(20) == 0
        texts = [
            m.text
            for m in await w.ebb.agent.list_history(w.ebb.owner, w.ebb.scope)
            if m.role == "user"
        ]
        assert texts == [
            "the gate code is 88427#",
            "not a secret",
            "my wifi password is [secret: password]",
        ]
        await w.say("Remember this")
        (sealed,) = await w.memories(max_sensitivity=Sensitivity.SECRET)
        assert (
            await w.ebb.memory.sealer.open(w.ebb.owner, sealed.id)
            == "my wifi password is Gr33nTea-88"
        )


async def test_purging_a_sealed_memory_takes_every_copy_of_it(tmp_path: Path) -> None:
    """What was said of it before, the sealed copies of messages, and its older versions go as well."""
    async with opened(tmp_path) as w:
        await w.say("my wifi password is Gr33nTea-88")
        await w.say("remember this")
        await w.say("remember my cat is called Miso")
        sealed = [
            m for m in await w.memories(max_sensitivity=Sensitivity.SECRET) if m.sensitivity == 3
        ]
        assert [m.content for m in sealed] == ["wifi password"]
        assert "wifi password" in (await w.do("/memories")).text
        assert (
            await w.ebb.memory.sealer.open(w.ebb.owner, sealed[0].id)
            == "my wifi password is Gr33nTea-88"
        )
        await w.ebb.memory.purge(w.ebb.owner, sealed[0].id, w.time())
        assert await w.ebb.store.read(w.ebb.owner, lambda tx: tx.sealed_messages()) == []
    assert not left_in(tmp_path, ("Gr33nTea",))


@pytest.mark.parametrize("how", ["missing", "another"])
async def test_a_lost_key_is_named_and_not_replaced(tmp_path: Path, how: str) -> None:
    """The answer and the doctor say that it is missing; put back, it opens everything again."""
    async with opened(tmp_path) as w:
        await w.say("remember my wifi password is Gr33nTea-88")
    key = (tmp_path / "key").read_bytes()
    (tmp_path / "key").unlink()
    if how == "another":
        (tmp_path / "key").write_bytes(bytes(32))
    async with opened(tmp_path) as w:
        assert "“key”" in (await w.say("what is my wifi password?")).text
        assert (await w.do("/remember my PIN is 4821")).ok is False
        await w.say("my PIN is 4821, by the way")
        check, *_ = await doctor._check_store(w.ebb.settings, "en")
        assert check.state == "bad"
        assert str(tmp_path / "key") in check.todo
    assert how == "another" or not (tmp_path / "key").exists()
    assert not left_in(tmp_path, ("4821",))
    (tmp_path / "key").write_bytes(key)
    async with opened(tmp_path) as w:
        (m,) = [
            m for m in await w.memories(max_sensitivity=Sensitivity.SECRET) if m.sensitivity == 3
        ]
        assert (
            await w.ebb.memory.sealer.open(w.ebb.owner, m.id) == "my wifi password is Gr33nTea-88"
        )
        check, *_ = await doctor._check_store(w.ebb.settings, "en")
        assert check.state == "ok"
