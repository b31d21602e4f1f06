"""What a reply is told of the user: residents and what this message calls to mind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.events import Turn, WindowMode
from memory import api
from memory.api import (
    CLEAR_LEVELS,
    MOST_READ,
    is_answered,
    is_standing,
    keep_ends,
    mask_values,
    redact,
    review_asked,
    window_asked,
)
from memory.models import (
    Filter,
    Hit,
    Kind,
    Layer,
    Memory,
    MemoryId,
    Mode,
    Recall,
    Session,
    is_quote,
)
from memory.ports import Store, Transaction

OVERVIEW = 20  # memories told when somebody asks what is known of them
_OVERVIEW = re.compile(
    r"\b(?:what|how much|everything|all) (?:(?:do|did|have) )?(?:that )?you(?:'ve| have)? "
    r"(?:actually |really )?"
    r"(?:know|remember|learned|learnt|got|stored?|saved?)(?: (?:so far|by now))? "
    r"(?:about|of|on) me\b"
    r"|\bwhat do you remember\W*$|\bwhat (?:have you learned|do your memories say) about me\b"
    r"|\bdescribe me\b"
    r"|你(?:都|还|到底|现在|究竟)*(?:知道|了解|记得|记住了?)(?:关于)?我(?:的)?(?:些|一些)?(?:什么|哪些|多少|啥)"
    r"|关于我[，,]?你(?:都|还|现在)*(?:知道|了解|记得|记住了?)(?:些|一些)?(?:什么|哪些|多少|啥)"
    r"|你(?:对我)(?:都|还)?(?:知道|了解|记得|有)(?:些|一些)?(?:什么|哪些|多少|啥)(?:了解|印象|记忆)?"
    r"|(?:说说|讲讲|列出)你?(?:对我的(?:了解|印象|记忆)|(?:知道|记得)的我)",
    re.IGNORECASE,
)
_PLANS = re.compile(
    r"\bmy (?:plans?|to-?dos?|to-?do list|agenda|schedule|appointments?|goals?|tasks?)\b[^.!]*\?"
    r"|\b(?:what|anything|do i have)\b[^.!?]*"
    r"\b(?:planned|scheduled|coming up|on my (?:plate|calendar|list)|to do)\b"
    r"|我(?:最近|接下来|之后|以后|还|这周|下周|今天|明天|后天|周末|这个月|下个月)*(?:都)?有(?:什么|哪些|啥|没有)(?:安排|计划|打算|待办|事要做|日程|约)"
    r"|我的(?:安排|计划|日程|待办|目标)(?:是什么|有哪些|都?有什么|呢|？)",
    re.IGNORECASE,
)
_TASTES = re.compile(
    r"\bwhat (?:\w{1,20} ){0,2}do i (?:like|love|enjoy|hate)\W*$"
    r"|我(?:都)?(?:喜欢|爱|讨厌)[吃喝看听玩]?些?(?:什么|啥)\w{0,2}\W*$",
    re.I,
)
_LISTED = (  # who asks for all of something, and the kinds that are told
    (_OVERVIEW, None),
    (_PLANS, frozenset({Kind.TODO, Kind.GOAL, Kind.DECISION, Kind.EVENT})),
    (_TASTES, frozenset({Kind.PREFERENCE, Kind.WHIM})),
)
_TOKEN = re.compile(r"[^\W_]{4,100}")
LATER = 2  # sentences shown beside a plan
NEAR = 1.4  # evidence of meaning from which one is near that shares no word (by hand)
_NEAR_BY = frozenset({"words", "names"})
SECRET_WORD = 4  # characters from which a word of a secret is taken out of what is stored


def choose_mode(turn: Turn) -> Mode:
    """Review mode where /review or the words ask for it, for this turn only."""
    return Mode.REVIEW if turn.review or review_asked(turn.text) else Mode.NORMAL


async def recall_for_turn(
    memory: api.Memory,
    store: Store,
    turn: Turn,
    text: str,
    earlier: Sequence[str],
    session: Session | None,
    *,
    local_only: bool = False,
    whole: bool = False,
) -> tuple[Recall, list[Memory]]:
    """Recall for one turn, and return its profile of standing memories beside it.

    Who is asked for a standing memory finds it in the profile; with `whole`, recall brings it too.
    In a group only what was learned in that group is used, and no profile.
    """
    private = turn.scope.startswith("user:")
    profile = await memory.get_profile(turn.user_id, session, turn.at) if private else []
    frozen = session.profile if session is not None else None
    told = [m.id for m in profile if is_standing(m) and (frozen is None or m.id in frozen)]
    recall = await memory.recall(
        turn.user_id,
        text,
        earlier,
        turn.at,
        turn.tz,
        mode=choose_mode(turn),
        exclude=frozenset(() if whole else told),
        local_only=local_only,
    )
    text = keep_ends(text, MOST_READ)
    for asked, kinds in _LISTED:
        if asked.search(text):
            recall = await _add_overview(memory, turn, recall, {m.id for m in profile}, kinds)
            break
    if private:
        return await _settle_hint(store, turn, session, recall, text, profile), profile
    found = [h.memory for h in recall.hits]
    here = await store.read(turn.user_id, lambda tx: _find_learned_in(tx, found, turn.scope))
    return replace(recall, hits=tuple(h for h in recall.hits if h.memory.id in here), missed=()), []


async def find_later(
    memory: api.Memory, turn: Turn, brought: Sequence[Memory]
) -> dict[MemoryId, list[Memory]]:
    """Find for each plan or quotation what was said since that stands near it: it may be over.

    Whether it did is not judged: both are shown. What has a day of its own speaks of that.
    """
    out: dict[MemoryId, list[Memory]] = {}
    for m in brought:
        o = api.find_occasion(m, turn.at, turn.tz)
        if not (o or is_quote(m)) or m.kind is Kind.TODO:
            continue
        if o and (o.repeats or o.standing == "over"):
            continue
        text = m.original_content
        found = await memory.recall(turn.user_id, text, (), turn.at, turn.tz, local_only=True)
        near = sorted(
            (-sum(h.evidence.values()), h.memory.id, h.memory)
            for h in (*found.hits, *found.missed)
            if h.memory.created_at > m.created_at
            and h.memory.layer is not Layer.EPISODE
            and h.memory.quiet_at is None
            and h.why == "relevance"
            and (_NEAR_BY & h.evidence.keys() or h.evidence.get("meaning", 0.0) >= NEAR)
            and api.find_occasion(h.memory, turn.at, turn.tz) is None
        )
        out[m.id] = [x for _, _, x in near[:LATER]]
    return out


async def _settle_hint(
    store: Store,
    turn: Turn,
    session: Session | None,
    recall: Recall,
    text: str,
    profile: Sequence[Memory],
) -> Recall:
    """Keep the hint at something faint once per topic and session, where nothing else answers.

    Off the record there is none: what was hinted at could not be written down.
    """
    if (faint := recall.faint) is None:
        return recall
    found = any(h.memory.layer is not Layer.EPISODE for h in recall.hits)
    on_record = session is not None and turn.mode is WindowMode.NORMAL
    if on_record and not found and not is_answered(text, profile, faint.memory):
        before = await store.read(
            turn.user_id, lambda tx: tx.memories.get_many(tx.traces.list_hints(turn.id))
        )
        if not any(_is_same_topic(m, faint.memory) for m in before):
            return recall
    plain = (replace(h, why="relevance") if h is faint else h for h in recall.missed)
    return replace(recall, missed=tuple(plain))


def _is_same_topic(a: Memory, b: Memory) -> bool:
    shared = {*a.topics, *a.entities} & {*b.topics, *b.entities}
    return a.id == b.id or bool(shared)


def _find_learned_in(tx: Transaction, memories: Sequence[Memory], scope: str) -> set[MemoryId]:
    """Find those that were learned in the scope, with all that they replace or were made of."""
    before = {m.id: (*m.supersedes, *m.merged_from, *m.source_ids) for m in memories}
    earlier = tx.memories.get_many([i for ids in before.values() for i in ids])

    def is_here(m: Memory) -> bool:
        found = tx.conversations.get_session(m.source_session) if m.source_session else None
        return found is not None and found.scope == scope

    here = {m.id for m in (*memories, *earlier) if is_here(m)}
    return {m.id for m in memories if here.issuperset((m.id, *before[m.id]))}


async def _add_overview(
    memory: api.Memory,
    turn: Turn,
    recall: Recall,
    known: set[MemoryId],
    kinds: frozenset[Kind] | None,
) -> Recall:
    """Add what is known of the user, or of some kinds, strongest first; no quiet memories.

    Where plans of a time are asked for, what has its day in that time.
    """
    span = window_asked(turn.text, turn.at, turn.tz, ahead=True) if kinds else None
    if span is not None and Kind.EVENT in (kinds or ()):
        there = {h.memory.id for h in recall.hits}
        found = await memory.get_agenda(turn.user_id, *span, turn.tz)
        on = [Hit(m, m.weight, gate=1.0, why="day") for m in found if m.id not in there]
        return replace(recall, hits=(*recall.hits, *on)[:OVERVIEW])
    layers = frozenset({Layer.SYSTEM, Layer.CORE, Layer.FACT})
    levels = CLEAR_LEVELS if memory.strict and recall.mode is Mode.NORMAL else None
    f = Filter(levels=levels, layers=layers, kinds=kinds, valid_at=turn.at, negated=False)
    page = await memory.find(turn.user_id, f, order="weight", limit=OVERVIEW)
    there = known | {h.memory.id for h in recall.hits}
    more = [
        Hit(m, m.weight, why="overview")
        for m in page.items
        if m.id not in there
        and m.quiet_at is None
        and (kinds is None or m.expires_at is None or m.expires_at >= turn.at)
    ]
    return replace(recall, hits=(*recall.hits, *more)[:OVERVIEW])


def mask_opened_secrets(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits as a front end may show them: an opened secret under its label."""
    return tuple(
        replace(h, memory=replace(h.memory, content=h.memory.original_content))
        if h.why == "secret"
        else h
        for h in hits
    )


def remove_opened_secrets(text: str, hits: Sequence[Hit], said: str = "", stored: str = "") -> str:
    """Mask in a reply that is to be stored the secrets that were opened or typed.

    `said` is the message as it came, `stored` as it is kept. Parts of a secret ("ends in 4821") go
    as well, but not words that stand in the open beside it.
    """
    typed = redact(said)[1] if said != stored else ()
    opened = [h.memory for h in hits if h.why == "secret"]
    secrets = [(f.value, stored) for f in typed if f.value not in stored]
    secrets += [(m.content.removeprefix(m.original_content), m.original_content) for m in opened]
    for secret, known in secrets:
        words = {w.strip(".,;:!?\"'()。，；：！？“”（）") for w in secret.split()}
        parts = {t for t in _TOKEN.findall(text) if t.casefold() in secret.casefold()} | words
        hidden = [
            p for p in parts if len(p) >= SECRET_WORD and p.casefold() not in known.casefold()
        ]
        text = mask_values(text, [secret, *sorted(hidden, key=len, reverse=True)])
    return redact(text)[0] if opened else text
