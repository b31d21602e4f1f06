# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be
# read
"""Remembering on request: the person's own words, verified; a secret sealed under a label."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from memory import lifecycle, privacy
from memory.errors import ModelError, Refused
from memory.learn import dates
from memory.learn.forget_plan import find_previous_message
from memory.learn.merge import LONGEST, Claim, Merger, build_memory, refused_text
from memory.learn.same_meaning import find_names, normalise_text
from memory.learn.secrets import get_original_text, hide
from memory.learn.visible_messages import messages_of
from memory.models import (
    ChangeSet,
    Draft,
    Filter,
    Importance,
    Kind,
    Memory,
    MemoryId,
    Message,
    Sensitivity,
    Source,
    State,
    detect_language,
)
from memory.ports import Embedder, FloatArray, Store, Transaction
from memory.text.commands import find_intent

_NEAR: Final = 12
_SLOTS_LOOKED_AT: Final = 1_000
_PATIENCE: Final = 1.0  # seconds for an embedder elsewhere; the reply waits for this
_SENTENCES: Final = {
    "empty": ("There is nothing in it to remember.", "这里没有可以记住的内容。"),
    "too_long": (
        f"That is more than one memory can hold ({LONGEST} characters). Tell me what matters in it.",
        f"这超过了一条记忆的长度（{LONGEST} 字）。请告诉我其中重要的部分。",
    ),
    "secret": (
        "That holds a secret. Say “remember …” with it, and it is kept sealed.",
        "这里面有机密内容。请用“记住……”来说，我会加密保存。",
    ),
    "instruction": (
        "That reads like an order to me, not like something about you. Put it as what you prefer.",
        "这更像是对我的命令，而不是关于你的事。请换成你的偏好来说。",
    ),
    "key": (
        "I cannot seal it: the key to your sealed secrets is missing. `ebb doctor` says where it belongs.",
        "没法加密保存：加密内容的密钥不见了。`ebb doctor` 会说明该放在哪里。",
    ),
    "tombstone": ("You asked me to forget that.", "你让我忘掉过这件事。"),
    "previous": (
        "I can't tell what “this” is. Say it in full.",
        "我看不出“这个”指什么，请完整地说一遍。",
    ),
}


def make_refusal(code: str, text: str) -> Refused:
    """Return the refusal with its sentence, in the language of the text."""
    en, zh = _SENTENCES[code]
    return Refused(
        "empty" if code == "previous" else code, zh if detect_language(text) == "zh" else en
    )


def check_text(text: str) -> str:
    """Return the text as it would be kept; secrets in it will be sealed. Raises Refused."""
    plain = " ".join(text.split())
    if (code := refused_text(plain)) and code != "secret":
        raise make_refusal(code, text)
    if privacy.is_refused_instruction(privacy.redact(plain)[0]):
        raise make_refusal("instruction", plain)
    return plain


@dataclass(frozen=True, slots=True)
class RememberResult:
    """`memory` says it now; `already`: it did before.

    `secret`: only its label is in `memory`, the rest is sealed.
    """

    memory: Memory
    already: bool = False
    secret: bool = False
    set_id: str | None = None


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """What the person asked to be remembered, and where."""

    user_id: str
    text: str
    at: datetime
    tz: str
    scope: str
    turn_id: str | None = None
    message_id: str | None = None
    kind: Kind | None = None  # as the person filed it
    beside: bool = False  # whatever says another value of the same stays
    within: ChangeSet | None = None  # a change set that is open already


@dataclass(frozen=True, slots=True)
class NearestMemories:
    """What has to be known of a text before the write: its vector, and the memories closest to it."""

    vector: FloatArray | None = None
    near: tuple[MemoryId, ...] = ()


@dataclass(frozen=True, slots=True)
class Rememberer:
    """Saves what a person asks to be remembered."""

    store: Store
    embedder: Embedder
    key: bytes | None
    curve: str
    u: float

    async def remember(self, r: RememberRequest) -> RememberResult:
        """Save it. An empty text means what was said just before. Raises Refused."""
        r, about = await self._meant(r)
        check_text(r.text)
        looked = await self.find_nearest(r.user_id, r.text)
        return await self.store.write(r.user_id, lambda tx: self.save(tx, r, looked, about))

    async def find_nearest(self, user_id: str, text: str) -> NearestMemories:
        """Return what `save` needs and must not find out inside the write."""
        text = " ".join(text.split())
        if privacy.redact(text)[1]:
            privacy.seal(_held_key(self.key, text), "")  # its library takes long to load
            return NearestMemories()
        try:
            async with asyncio.timeout(None if self.embedder.immediate else _PATIENCE):
                vector: FloatArray = (await self.embedder.embed([text], "content"))[0]
        except (ModelError, TimeoutError):
            return NearestMemories()  # a job embeds it later
        near = await self.store.open_reader(user_id).search_vectors(vector, _NEAR, Filter())
        return NearestMemories(vector, tuple(s.id for s in near))

    def save(
        self,
        tx: Transaction,
        r: RememberRequest,
        looked: NearestMemories,
        about: Message | None = None,
    ) -> RememberResult:
        """Save `r.text`, said in the message `about`, inside a write. Raises Refused."""
        text = check_text(r.text)
        if privacy.redact(text)[1]:
            return self._seal(tx, r, text, about)
        return self._save(tx, r, text, about, looked)

    async def _meant(self, r: RememberRequest) -> tuple[RememberRequest, Message | None]:
        """Return the words that are meant, and the message they stand in."""

        def read(tx: Transaction) -> tuple[RememberRequest, Message | None]:
            asking = tx.conversations.get_message(r.message_id) if r.message_id else None
            text = (
                _whole(r.text.strip(), get_original_text(tx, self.key, asking) if asking else "")
                if r.message_id
                else _bare(r.text.strip())
            )
            if text:
                return replace(r, text=text), asking
            before = find_previous_message(tx, r.scope, r.message_id)
            if before is None:
                raise make_refusal("previous", asking.text if asking else "")
            return replace(r, text=get_original_text(tx, self.key, before)), before

        return await self.store.read(r.user_id, read)

    def _save(
        self,
        tx: Transaction,
        r: RememberRequest,
        text: str,
        about: Message | None,
        looked: NearestMemories,
    ) -> RememberResult:
        begun = r.within or tx.changes.begin("user", "remember", r.at, turn_id=r.turn_id)
        draft = draft_of(text, about.at if about else r.at, r.tz)
        claim = Claim(
            draft if r.kind is None else replace(draft, kind=r.kind),
            r.at,  # the request itself is the newest word on it
            (about.id,) if about else (),
            self._session(tx, r, about),
            looked.vector,
            self.embedder.id if looked.vector is not None else None,
            looked.near,
        )
        merger = Merger(tx, curve=self.curve, u=self.u)
        old = None if r.beside else _held(tx, text)
        saved = merger.supersede(old, claim) if old is not None else merger.save(claim)
        if saved.memory is None:
            raise make_refusal(saved.code or "empty", text)
        return RememberResult(
            saved.memory, already=saved.outcome not in {"added", "superseded"}, set_id=begun.id
        )

    def _session(self, tx: Transaction, r: RememberRequest, about: Message | None) -> str | None:
        if about is not None:
            return about.session_id
        current = tx.conversations.get_open_session(r.scope)
        return current.id if current else None

    # --- secrets ---

    def _seal(
        self, tx: Transaction, r: RememberRequest, text: str, about: Message | None
    ) -> RememberResult:
        """Only a label is kept in the open; one of the same label is replaced by the new one."""
        key = _held_key(self.key, text)
        begun = r.within or tx.changes.begin("user", "remember", r.at, turn_id=r.turn_id)
        label = privacy.make_secret_label(text)
        same = _sealed(tx, label)
        for old in same:
            kept = tx.secret(old.id)
            if kept is not None and privacy.unseal(key, kept, bound_to=old.id) == text:
                self._blank(tx, r, about)
                return RememberResult(old, already=True, secret=True, set_id=begun.id)
        draft = Draft(
            label,
            language=detect_language(label),
            confidence=1.0,
            source=Source.USER,
            verified=True,
            sensitivity=Sensitivity.SECRET,
        )
        claim = Claim(draft, r.at, (about.id,) if about else (), self._session(tx, r, about))
        secret = replace(
            build_memory(claim, tx.user_id),
            kind=Kind.FACT,
            close=False,
            supersedes=tuple(o.id for o in same),
        )
        m = tx.memories.add(lifecycle.start_life(secret, Importance.HIGH, self.curve, r.at))
        tx.put_secret(m.id, privacy.seal(key, text, bound_to=m.id))
        if about is not None:
            tx.memories.add_source(m.id, about.id)
        tx.memories.log(lifecycle.build_log_entry("created", None, m, self.u, r.at, "user"))
        for old in same:
            tx.memories.put(replace(old, state=State.SUPERSEDED, valid_until=r.at), "superseded")
        self._blank(tx, r, about)
        return RememberResult(m, secret=True, set_id=begun.id)

    def _blank(self, tx: Transaction, r: RememberRequest, about: Message | None) -> None:
        """No message goes on holding the secret in the open: neither the one that says it nor the one that asks."""
        for message in messages_of(
            tx, dict.fromkeys(i for i in (about and about.id, r.message_id) if i)
        ):
            hide(tx, self.key, message)


def _held_key(key: bytes | None, text: str) -> bytes:
    if key is None:
        raise make_refusal("key", text)
    return key


def _whole(text: str, said: str) -> str:
    """Return what is to be kept, with every secret that was cut in taking it out of the message made whole again."""
    for f in privacy.redact(said)[1]:
        if f.value in text:
            continue
        for n in range(len(f.value) - 1, 1, -1):
            if text.endswith(f.value[:n]):
                text = text[:-n] + f.value
                break
    return text


def _bare(text: str) -> str:
    """Return what follows a command, without what people repeat of it ("that I like jazz"); empty
    for "this".

    All of it: a command has no sentences that are meant for something else.
    """
    for form in (text, f"remember {text}", f"记住{text}"):
        found = find_intent(form) if text else None
        if found is not None and found.kind == "remember":
            at = text.find(found.text)
            rest = text[at + len(found.text) :] if at >= 0 else ""
            # Of a password the mark at its end is a part.
            whole = found.text and (re.search(r"\w", rest) or (rest and privacy.redact(text)[1]))
            return text[at:] if whole else found.text
    return text


def _held(tx: Transaction, text: str) -> Memory | None:
    """Return the memory whose place the new one takes: it says another value of what can have but one."""
    wanted = find_slot(text)
    if wanted is None:
        return None
    f = Filter(
        kinds=frozenset({Kind.IDENTITY, Kind.FACT, Kind.PREFERENCE, Kind.CONTEXT}), negated=False
    )
    held = [
        m
        for m in tx.memories.find(f, limit=_SLOTS_LOOKED_AT).items
        if find_slot(m.original_content) == wanted
    ]
    return held[0] if held else None


def _sealed(tx: Transaction, label: str) -> list[Memory]:
    """Return the person's sealed memories of that label."""
    found = tx.memories.find(Filter(max_sensitivity=Sensitivity.SECRET), text=label, limit=50).items
    sealed = [m for m in found if m.sensitivity is Sensitivity.SECRET]
    return [m for m in sealed if normalise_text(m.original_content) == normalise_text(label)]


# --- what kind of thing it is ---

_KINDS: Final[Mapping[Kind, re.Pattern[str]]] = {
    kind: re.compile(pattern, re.I | re.X)
    for kind, pattern in {
        Kind.TODO: r"""^(?:to\s{1,9})?(?:buy|call|pay|send|book|pick\s{1,9}up|remind|renew|return|submit|finish|cancel|water|feed|take\s{1,9}out)\b
            | \b(?:i|we)\s{1,9}(?:need|have|must|ought)\s{1,9}to\b | \bremind\s{1,9}me\b | \bdeadline\b | \bdue\b | \bappointment\b | \b(?:meeting|flight|interview|exam)\b
            | 提醒我 | 截止 | 要(?:交|买|还|付|去办|开会) | 记得买 | 会议 | 开会 | 面试 | 考试 | 航班 | 复诊 | 预约""",
        Kind.IDENTITY: r"""\bmy\s{1,9}(?:full\s{1,9}|first\s{1,9}|last\s{1,9}|nick)?name\b | \bcall\s{1,9}me\b | \bi\s{0,9}(?:['’]m|\s{1,9}am)\s{1,9}(?:called|named|\d+|born|from|married|divorced|single)\b
            | \bmy\s{1,9}(?:birthday|age|pronouns|blood\s{1,9}type|nationality|job|profession)\b | \bi\s{1,9}(?:live|work)\b | \bi\s{1,9}was\s{1,9}born\b | \ballergic\b | \ballergy\b
            | \bi\s{0,9}(?:['’]m|\s{1,9}am)\s{1,9}(?:an?\s{1,9})?(?:vegan|vegetarian|diabetic|doctor|nurse|teacher|engineer|student|lawyer|programmer|developer|designer|left-handed|colou?r-?blind)
            | 我(?:的)?(?:名字|姓名|小名|生日|年龄|职业|血型|国籍|星座|属相) | 我(?:叫|姓|今年|住|来自|属|在.{1,12}(?:工作|上班)) | 叫我 | 称呼我 | 过敏 | 我是(?:.{0,6})(?:人|师|生|员|者|医|子)""",
        Kind.PREFERENCE: r"""\b(?:like|love|enjoy|prefer|hate|dislike|adore|detest|favou?rite|can['’]?t\s{1,9}stand|fan\s{1,9}of|rather|don['’]?t\s{1,9}(?:eat|drink|like))s?\b
            | 喜欢 | 喜爱 | 偏好 | 讨厌 | 爱(?:吃|喝|看|听|玩|用) | 最爱 | 不吃 | 不喝 | 更?愿意 | 受不了 | 怕(?:辣|冷|热|狗|猫|黑)""",
        Kind.GOAL: r"\b(?:my\s{1,9}goal|i\s{1,9}(?:want|plan|hope|intend|aim)\s{1,9}to|i['’]?m\s{1,9}(?:going|planning|trying)\s{1,9}to)\b | 目标 | 计划 | 打算 | 我想 | 希望(?:能|可以)?(?!你)",
        Kind.WORKFLOW: r"\b(?:i\s{1,9}(?:always|usually|normally|often|never)|every\s{1,9}(?:day|morning|evening|week|monday|night))\b | 每(?:天|周|晚|早|个?月) | 习惯 | 我(?:总是|通常|一般|经常|从不)",
        Kind.DECISION: r"\b(?:i|we)(?:['’]ve|\s{1,9}have)?\s{1,9}decided\b | 决定",
        Kind.SKILL: r"\b(?:i\s{1,9}(?:can|know\s{1,9}how\s{1,9}to|speak|am\s{1,9}able\s{1,9}to))\b | 我会(?!议) | 擅长 | 精通 | 我懂",
        Kind.LESSON: r"\b(?:lesson|never\s{1,9}again|next\s{1,9}time|avoid|works?\s{1,9}only\s{1,9}(?:if|with)|needs?\s{1,9}.{1,24}\s{1,9}to\s{1,9}(?:run|build|work))\b | 教训 | 下次 | 避免 | 必须先",
    }.items()
}


def parse_kind(text: str) -> Kind:
    """Guess the kind: how to answer, or the first whose words it has; FACT if none."""
    if privacy.classify_instruction(text) == "manner":
        return Kind.INSTRUCTION
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(text)), Kind.FACT)


def guess_due_date(text: str, at: datetime, tz: str) -> datetime | None:
    """The end of the day that the words name: tomorrow, on Friday, 3 May, 明天, 下周三, 5月3日; None for no day to come."""
    here = dates.get_zone(tz)
    for start, end in dates.find_spoken_times(text, at, tz)[0]:
        last = (
            (end - timedelta(seconds=1))
            .astimezone(here)
            .replace(hour=23, minute=59, second=59, microsecond=0)
        )
        if end - start <= dates.DAY and last >= at:
            return last.astimezone(UTC)
    return None


_SLOTS: Final = {
    name: re.compile(pattern, re.I)
    for name, pattern in {
        "home": r"^(?:(?:i|(?:the )?user)(?:['’]ve|\s{1,9}have|\s{1,9}has)?\s{1,9})?(?:now\s{1,9}|currently\s{1,9}|just\s{1,9})?(?:lives?\s{1,9}in|moved\s{1,9}to)\b|^(?:我|用户)?(?:现在)?(?:住在|搬到了?)",
        "name": r"^(?:(?:my\s{1,9}|(?:the )?user['’]s\s{1,9})?name\s{1,9}is\b|called\s{1,9}(?-i:(?=[A-Z]))|我?叫|我?的?名字[是叫]|用户(?:名)?叫)",
        "age": r"^(?:(?:i(?:['’]m|\s{1,9}am)\s{1,9})?\d+\s{1,9}years\s{1,9}old|我?(?:今年)?\d+岁)",
    }.items()
}
_ATTRIBUTE: Final = re.compile(
    r"""^(?:(?:my|(?:the\s{1,9})?user['’]s|我的?|用户的?)\s{0,9})?(?P<key>(?:[\w'’ -]{0,30}?\b)?(?:name|birthday|age|address|phone(?:\s{1,9}number)?|number|e-?mail|size|height|weight|anniversary|nickname|pronouns
    |time\s{0,9}zone|blood\s{1,9}type|favou?rite\s{1,9}[\w ]{2,24}?)|[\u4e00-\u9fff]{0,6}?(?:名字|生日|年龄|地址|电话|手机号|邮箱|尺码|鞋码|身高|体重|纪念日|昵称|血型|最喜欢的[\u4e00-\u9fff]{1,6}?))\s{0,9}(?:is|are|是|叫)""",
    re.I | re.X,
)


def find_slot(text: str) -> str | None:
    """What a sentence says the one value of, where there can be but one: a home, a name, a birthday, a favourite X."""
    plain = text.strip()
    if found := next((name for name, pattern in _SLOTS.items() if pattern.match(plain)), None):
        return found
    m = _ATTRIBUTE.match(plain)
    return " ".join(m["key"].casefold().replace("favorite", "favourite").split()) if m else None


def draft_of(text: str, at: datetime, tz: str) -> Draft:
    """Return what the person wants remembered, in their own words and language: verified, of high importance."""
    kind = parse_kind(text)
    draft = Draft(
        text,
        kind=kind,
        importance=Importance.HIGH,
        language=detect_language(text),
        confidence=1.0,
        source=Source.USER,
        verified=True,
        entities=tuple(sorted(_spelt(text))),
        sensitivity=privacy.classify_sensitivity(text),
    )
    when = guess_due_date(text, at, tz) if kind in {Kind.TODO, Kind.GOAL} else None
    if kind is Kind.GOAL and when is not None:
        draft = replace(draft, kind=Kind.TODO)
    return replace(draft, expires_at=when, precision="day") if when is not None else draft


def _spelt(text: str) -> set[str]:
    """Return names as the person wrote them."""
    out = set()
    for name in find_names(text):
        at = text.casefold().find(name)
        out.add(text[at : at + len(name)] if at >= 0 else name)
    return out
