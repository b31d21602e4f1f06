"""A secret said with "remember" is sealed whole, and no part of it stays in any row, log or mirror."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.models import Sensitivity
from tests.e2e.driver import opened

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
        sealed = [m for m in await w.memories(max_sensitivity=Sensitivity.SECRET) if m.sensitivity == 3]
        assert len(sealed) == 1
        assert secret in (await w.ebb.service.reveal(w.ebb.owner, sealed[0].id) or "")
        assert not any(p in text for text in await w.texts(max_sensitivity=Sensitivity.SECRET) for p in parts)
    assert not left_in(tmp_path, (secret, *(p for p in parts if len(p) > 3)))
