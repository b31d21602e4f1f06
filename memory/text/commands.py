"""Find the command in a message: only in the person's own words, as its first or last sentence.

What a command looks like is said by the `ROWS` of each language's section `commands`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal

from memory.text.languages import LANGUAGES, Lang, Patterns, either, joined, values
from memory.text.spans import TextSpan, split_sentences, split_spans
from memory.text.words import fold_variants

CommandKind = Literal["remember", "forget", "quiet", "speak", "off", "on", "never", "always"]


@dataclass(frozen=True, slots=True)
class Intent:
    """A command in a message.

    text: what to remember, forget, keep quiet or speak of again, in the person's words;
    "everything" for all of it; of a rule about learning (never, always), its topic. previous: the
    person's previous message is meant, and `text` is empty. every: all that names it is meant.
    spare: what must not be forgotten with it. spans: where the command stands in the message.
    rest: the message without it.
    """

    kind: CommandKind
    text: str
    previous: bool = False
    spare: str = ""
    every: bool = False
    spans: tuple[tuple[int, int], ...] = ()
    rest: str = ""


@dataclass(frozen=True, slots=True)
class SentenceIntent:
    """A command in the first `end` characters of a sentence; text None: said before."""

    kind: CommandKind
    text: str | None
    end: int
    spare: str = ""
    lists: bool = False  # a colon: what follows on the line belongs to it
    alone: bool = False  # a turn of phrase beside anything else: "Forget that. What's for dinner?"


_READ: Final = 4_000  # characters in which a command is looked for
_LONG: Final = 1_000  # of a longer message only the first sentence can be a command
_TRAILING: Final = 80  # characters at the end of a sentence in which it says "remember that"
_HEADS: Final = 9  # words of politeness and the like before a verb
_GREETING: Final = re.compile(rf"\W*(?:{joined('commands', 'GREETING')})\W*$", re.I)
_EMPTY: Final = {form for f in values("empty", "FORMS").values() for form in f.split("|")}
_EMPTY_CHARS: Final = 60  # of a message that may be one of them
_FICTION: Final = re.compile(rf"\s*(?:[*（(【]|{joined('commands', 'FICTION')})", re.I)
_STAGED: Final = either("commands", "STAGED", r"\b(?:{})\b")
_PATTERNS: Final = {  # a script of its own first: a sentence in it may have words of another
    lang: Patterns(lang, "commands")
    for lang in sorted(values("commands", "ROWS"), key=lambda lang: LANGUAGES[lang].spaced)
}
_SMILE: Final = re.compile(r"\s{1,3}[^\w\s?？]{1,4}$")
_STOPS: Final = " .!?…。！？~～"
_MARKS: Final = " \u3000.,:;!?…。，：；！？~～"
_EDGE: Final = " \t\r\n,，;；:：。.!！、–—-"


def find_intent(text: str) -> Intent | None:
    """Find the command in a message, or None. Never raises."""
    if _FICTION.match(text):
        return None
    spans = split_spans(text)
    for start, end in _candidates(text, spans):
        sentence = text[start:end]
        written = [c for c, lang in LANGUAGES.items() if re.search(f"[{lang.letters}]", sentence)]
        readings = (_read_sentence(sentence, lang) for lang in _PATTERNS if lang in written)
        found = next((f for f in readings if f is not None), None)
        beside = f"{text[:start]} {text[start + found.end :]}" if found else ""
        if found and found.alone and beside.strip() and not is_greeting(beside):
            continue
        if found and not _STAGED.search(beside[:_READ]):
            return _intent(text, start, found)
    return None


def find_intents(text: str) -> tuple[Intent, ...]:
    """Find the commands of a message, two at most, what forgets first.

    Never raises.
    """
    first = find_intent(text)
    second = find_intent(first.rest) if first and first.rest else None
    if first is None or second is None:
        return (first,) if first else ()
    if second.kind == "quiet" and text[first.spans[0][1] - 1] not in ".!?。！？":
        return (first,)  # 忘了他吧，别再提: of the same thing
    if second.kind != "forget" or first.kind == "forget":
        return (first, second)
    words = " ".join(first.rest[a:b] for a, b in second.spans)
    at = text.find(words)
    rest = f"{text[:at]}{text[at + len(words) :]}".strip(_EDGE)
    return replace(second, spans=((at, at + len(words)),), rest=rest), first


def wants_night_undone(text: str) -> bool:
    """Tell whether the whole message asks to take back what the last night did."""
    return either("themes", "UNDO").fullmatch(text[:_LONG].strip(_STOPS)) is not None


def says_nothing(text: str) -> bool:
    """Tell whether the whole message is a fixed form that tells nothing (ok, thanks), or a sign."""
    plain = re.sub(r"[\W_]+", " ", text.casefold()) if len(text) <= _EMPTY_CHARS else text
    return not plain.strip() or plain.strip() in _EMPTY


def is_greeting(text: str) -> bool:
    """Tell whether a text is a greeting, thanks or the like, and nothing else."""
    return _GREETING.match(text) is not None


def means_everything(text: str) -> bool:
    """Tell whether everything is to be forgotten."""
    return any(_is_everything(text, patterns) for patterns in _PATTERNS.values())


def _candidates(text: str, spans: tuple[TextSpan, ...]) -> list[tuple[int, int]]:
    """Find the first own sentence, greetings aside, and the last one before a pasted text."""
    sentences = []
    starts = [s.start for s in spans]
    pasted = [s.start for s in spans if s.kind in {"pasted", "forwarded"}]
    for start, end in split_sentences(text[:_READ]):
        holder = spans[bisect_right(starts, start) - 1]
        if holder.kind == "own" and re.search(r"\w", text[start:end]):
            sentences.append((start, min([end, *(at for at in pasted if at >= start)])))
    first = next((s for s in sentences if not is_greeting(text[s[0] : s[1]])), None)
    material = min([len(text), *pasted])
    if first is None or material < first[0]:
        return []
    last = sentences[-1]
    return [first] if last == first or last[0] > material or len(text) > _LONG else [first, last]


def _intent(text: str, start: int, found: SentenceIntent) -> Intent:
    stop = start + found.end
    before = text[:start].strip()
    said = found.text
    if found.lists or (said is None and found.kind == "remember" and text[stop : stop + 1] == "\n"):
        stop = _list_end(text, stop)
        if text[start + found.end : stop].strip():
            said = text[text.find(said, start) if said else start + found.end : stop].strip()
    if said is None and found.kind == "remember" and before:
        return Intent("remember", before, spans=((0, stop),), rest=text[stop:].strip(_EDGE))
    after = text[stop:].lstrip(_EDGE + "?？").rstrip()
    rest = "\n".join(t for t in (before, after) if re.search(r"\w", t))
    every = either("commands", "EVERY").search(text, start, stop) is not None
    return Intent(found.kind, said or "", said is None, found.spare, every, ((start, stop),), rest)


def _list_end(text: str, at: int) -> int:
    """Find the end of what follows a colon: a paragraph, a full stop, a question."""
    end = at
    if text[at - 1] in ".。!！" and not text[at:].split("\n", 1)[0].strip():
        return at
    for m in re.finditer(r"[^\n]*\n?", text[at:]):
        line = m[0].strip()
        if (not line and text[at:end].strip()) or not m[0]:
            break
        for a, b in split_sentences(m[0]):
            if m[0][a:b].endswith(("?", "？")):
                return at + m.start() + a if text[at : at + m.start() + a].strip() else at + m.end()
        end = at + m.end()
        if line.endswith((".", "。", "!", "！")):
            break
    return end


@dataclass(frozen=True)
class Row:
    """What a sentence asks for if it fits: see the English `ROWS`."""

    kind: CommandKind | Literal["none", "list", "alone"]
    heads: str
    pattern: re.Pattern[str]
    whole: bool

    def match(self, sentence: str, at: int, heads: set[str]) -> re.Match[str] | None:
        """Match the sentence from behind its head, if that is of the right sorts."""
        for needed in self.heads.split():
            if (needed[1:] in heads) if needed[0] == "!" else heads.isdisjoint(needed.split("|")):
                return None
        return self.pattern.match(sentence, 0 if self.whole else at)


@cache
def list_rows(lang: Lang) -> list[Row]:
    """Compile the `ROWS` of a language in their order."""
    return [
        Row(kind, heads, re.compile(pattern, re.IGNORECASE), bool(start))
        for kind, heads, pattern, *start in values("commands", "ROWS")[lang]
    ]


def _read_sentence(sentence: str, lang: Lang) -> SentenceIntent | None:
    """Find the command that one sentence is."""
    words = _PATTERNS[lang]
    core = _SMILE.sub("", fold_variants(sentence).rstrip())
    request = words.REQUEST.search(core)
    before = _read_sentence(sentence[: request.start()], lang) if request else None
    if before and before.kind == "remember":
        return before
    tag = words.TAG.search(core)
    tag = tag if tag and re.search(r"\w", core[: tag.start()]) else None
    core = core[: tag.start()] if tag else core
    heads, at = _read_head(core, words)
    if tag and "please" in tag.groupdict():
        heads.add("please")
    if question := words.QUESTION.search(core):
        heads.add("question")
    core = words.QUESTION.sub("", core) if question else core
    core = core.rstrip(_STOPS)
    for row in list_rows(lang):
        if m := row.match(core, at, heads):
            return _build(row, m, sentence, words)
    trailing = (
        None if question else words.TRAILING.search(sentence, max(0, len(sentence) - _TRAILING))
    )
    if trailing and trailing.start() >= 3:
        return SentenceIntent("remember", sentence[: trailing.start()].strip(), len(sentence))
    return None


def _read_head(core: str, words: Any) -> tuple[set[str], int]:
    """Skip what may stand before a verb of command; say of which sorts it was."""
    heads: set[str] = set()
    at = len(core) - len(core.lstrip())
    for _ in range(_HEADS):
        if (m := words.NEG.match(core, at)) and not words.OFF.match(core, at):
            heads |= {"neg", *(name for name, said in m.groupdict().items() if said)}
        elif m := words.LEAD.match(core, at):
            pass
        elif m := words.ASK.match(core, at):
            heads.add(m.lastgroup or "")
        else:
            break
        at = m.end()
    return heads, at


def _build(row: Row, m: re.Match[str], sentence: str, words: Any) -> SentenceIntent | None:
    """Say what a row's match in a sentence asks for."""
    found, whole = m.groupdict(), len(sentence)
    core, (start, end) = m.string, m.span("x") if found.get("x") else (m.end(), m.end())
    if row.kind == "none":
        return None
    if row.kind == "alone":
        return SentenceIntent("forget", None, whole, alone=True)
    if found.get("all"):
        return SentenceIntent("forget", "everything", whole)
    if row.kind == "list" or (row.kind == "remember" and found.get("x")):
        text = words.TRIM.sub("", core[start:end].strip(_EDGE))
        text = _write_as_said(sentence, core, start, text)
        if found.get("of"):
            text = f"{sentence[slice(*m.span('of'))]}：{text}"
        if not text and row.kind == "remember":
            return None
        return SentenceIntent("remember", text or None, whole, lists=row.kind == "list")
    if row.kind in {"never", "always"}:
        topic = either("rules", "ARTICLE").sub("", sentence[start:end].strip(_MARKS))
        return SentenceIntent(row.kind, topic, whole) if re.search(r"\w", topic) else None
    if row.kind == "speak":
        return SentenceIntent("speak", sentence[start:end], whole)
    cut = words.CUT.search(core, (start if found.get("x") else m.start()) + 1)
    used = max(end, m.end()) if found.get("x") else len(core)
    if cut and (cut.start() < end or not found.get("x")):
        used = end = cut.start()
    stop = used if re.search(r"\w", words.REST.sub("", core[used:])) else whole
    if not found.get("x"):
        return SentenceIntent(row.kind, "" if row.kind in {"off", "on"} else None, stop)
    return _name_target(row.kind, sentence, core, (start, end, used, stop), words)


def _name_target(
    kind: CommandKind, sentence: str, core: str, place: tuple[int, int, int, int], words: Any
) -> SentenceIntent | None:
    """Name the thing without "what I said about", and what must be spared."""
    start, end, used, stop = place
    thing = words.ENDING.sub("", core[start:end].strip(_MARKS)).strip(_MARKS)
    if kind == "forget" and _is_everything(thing, words):
        return SentenceIntent("forget", "everything", stop)
    if kind == "forget" and words.BACK.match(thing):
        return SentenceIntent("forget", None, stop)
    about = words.ABOUT.match(thing)
    thing = about["x"].strip(_MARKS) if about else thing
    if not re.search(r"\w", thing):
        return None
    spare = words.SPARE.match(core[used:])
    text = _write_as_said(sentence, core, start, thing)
    if kind == "forget" and _is_everything(thing, words):
        text = "everything"
    return SentenceIntent(kind, text, stop, spare["x"].strip(_MARKS) if spare else "")


def _write_as_said(sentence: str, core: str, start: int, text: str) -> str:
    """Return the characters of a text as the sentence has them, before folding."""
    at = core.find(text, start)
    return sentence[at : at + len(text)].strip() if at >= 0 else text


def _is_everything(text: str, words: Any) -> bool:
    return bool(words.EVERYTHING.match(words.ENDING.sub("", text.strip())))
