"""Read a command in an English sentence: "remember", "forget", "don't bring up", "keep no notes"."""

from __future__ import annotations

import re
from typing import Final

from memory.text.intent import SentenceIntent
from memory.text.languages import Patterns, section

_P: Final = Patterns("en", "commands")
_REST_WORDS: Final = section("en", "commands").REST_WORDS


def everything(text: str) -> bool:
    """Tell whether "everything you know about me" or the like is meant."""
    return bool(_P.EVERYTHING.match(_P.ENDING.sub("", text.strip())))


def read(sentence: str) -> SentenceIntent | None:
    """Find the command that one sentence is."""
    s = re.sub(r"\s{1,3}[^\w\s?？]{1,4}$", "", sentence.rstrip())  # a smile
    tagged = _P.TAG.sub("", s)
    bare = (tagged if re.search(r"\w", tagged) else s).rstrip(" .!…")
    question = bare.endswith(("?", "？"))
    bare = bare.rstrip("?？ ")
    flags, at = _head(bare)
    body, neg = bare[at:], "neg" in flags
    if (w := _P.WEARY.match(body)) or (w := _P.WEARY.match(bare)):
        if _P.PRONOUN.match(_P.ENDING.sub("", w["x"] or w["y"] or w["z"])):
            return None
        return _about("quiet", (w["x"] or w["y"] or w["z"]), len(sentence))
    if sp := _P.SPEAK.match(bare):
        return SentenceIntent("speak", sp["x"], len(sentence))
    if _P.ON.match(bare):
        return SentenceIntent("on", "", len(sentence))
    if _P.OFF.match(body):
        return SentenceIntent("off", "", len(sentence))
    asks = bool(flags & {"please", "want", "ask"})
    if (
        question
        and not asks
        and not ((r := _P.REQUEST.search(sentence)) and _P.REMEMBER.match(body))
    ):
        return None
    if neg:
        return _read_negated(sentence, body, at, flags)
    if d := _P.DELETE.match(_P.ENDING.sub("", body)):
        if d["f"] and not re.match(r"delet|eras|remov|wip|purg|scrub", d[0], re.I):
            return None
        if d["all"]:
            return SentenceIntent("forget", "everything", len(sentence))
        start = at + next(i for i in map(d.start, "abcdef") if i >= 0)
        return _target("forget", sentence, start, next(x for x in map(d.group, "abcdef") if x))
    if (f := _P.FORGET.match(body)) and (
        "want" in flags or not f[0].lower().startswith(("forgetting", "forgot"))
    ):
        return _read_forget(sentence, bare, at + f.end(), flags)
    if m := _P.REMEMBER.match(body):
        if r := _P.REQUEST.search(sentence, at + m.end()):
            return read(sentence[: r.start()])
        return _read_remember(sentence, bare, at, m, flags, question)
    if (
        not question
        and (t := _P.TRAILING.search(sentence, max(0, len(sentence) - 80)))
        and t.start() > 3
    ):
        return SentenceIntent("remember", sentence[: t.start()].strip(), len(sentence))
    return None


def _head(s: str) -> tuple[set[str], int]:
    """Strip what may stand before a verb of command; say of which sorts it was."""
    flags: set[str] = set()
    at = 0
    for _ in range(9):
        if (m := _P.NEG.match(s, at)) and not _P.OFF.match(s, at):
            flags.add("neg")
            if re.match(r"stop|no |there|you|never ?mind|i", m[0], re.I):
                flags.add("stop")
        elif m := _P.ASK.match(s, at):
            flags.add(m.lastgroup or "")
        elif (m := _P.LEAD.match(s, at)) is None:
            break
        at = m.end()
    return flags, at


def _read_negated(sentence: str, body: str, at: int, flags: set[str]) -> SentenceIntent | None:
    if m := _P.MENTION.match(body):
        target = m["x"] or body[m.end() :]
        start = at + (m.start("x") if m["x"] else m.end())
        return (
            None
            if _P.PRONOUN.match(_P.ENDING.sub("", target))
            else _target("quiet", sentence, start, target)
        )
    n = _P.NO_NOTES.match(body)
    if n and n["what"]:
        whom = n["whom"] or ""
        about = re.match(
            r"\s{0,3}(?:about|on|of|regarding|concerning)\s{1,3}(?P<x>.+)",
            _P.ENDING.sub("", whom),
            re.I | re.S,
        )
        general = not n["what"].lower().startswith("what")
        if _P.ME.search(whom) or (
            general and not about and not re.search(r"\w", _P.ENDING.sub("", _P.HERE.sub("", whom)))
        ):
            return SentenceIntent("off", "", _cut(sentence, at))
        return _about("forget", about["x"], len(sentence)) if about else None
    if re.match(
        r"(?:remember|track|record|profile|keep track of|keep tabs on|spy on|log)(?:ing)? me$",
        body,
        re.I,
    ):
        return SentenceIntent("off", "", len(sentence))
    if m := _P.REMEMBER.match(body):
        if m["let"]:
            rest = body[m.end() :].strip()
            return _kept(re.sub(r"^(?:that|to) ", "", rest), len(sentence)) if rest else None
        target = body[m.end() :].strip(" ,:–—-")
        if not target or _P.BACK.match(target):
            return (
                SentenceIntent("forget", None, len(sentence))
                if flags & {"stop", "please"} or target
                else None
            )
        mine = re.match(r"(?:that )?(?:i|i['’]\w+|my|we|our)\b", target, re.I)
        if not (flags & {"stop", "please", "want", "ask"} or mine):
            return None  # "Don't remember, sorry" leaves out its "I"
        return _target("forget", sentence, sentence.index(target, at), target)
    if (f := _P.FORGET.match(body)) and "stop" not in flags:
        what = re.sub(r"^that\b\s{0,3},?\s{0,3}", "", body[f.end() :].strip(" ,:"), flags=re.I)
        if not what or _P.PRONOUN.match(what) or re.match(r"to\b", what, re.I):
            return None
        if (
            _P.NOT_KEPT.match(what)
            or not re.search(r"\b(?:i|i['’]\w+|im|my|we|our)\b|\d", what, re.I)
            or not _P.VERB.search(what)
        ):
            return None
        return _kept(what, len(sentence))
    return None


def _kept(what: str, end: int) -> SentenceIntent | None:
    return SentenceIntent("remember", what, end) if re.search(r"\w", what) else None


def _read_remember(
    sentence: str, bare: str, at: int, m: re.Match[str], flags: set[str], question: bool
) -> SentenceIntent | None:
    body = bare[at + m.end() :].strip()
    polite = bool(flags & {"please", "want", "ask", "urge"})
    asked = bool(flags & {"please", "want"})
    if c := _P.COLON.match(body):
        return SentenceIntent(
            "remember", body[c.end() :].strip(" .") or None, len(sentence), lists=True
        )
    body = body.lstrip(", ")
    if question and re.search(r"\b(?:told|said|mentioned|talked)\b", body, re.I):
        return None
    if (
        question
        and not asked
        and not re.match(
            r"that (?:i|i['’]\w+|my|we|our|he|she|they|the|an?|it|on|from)\b|this$|to\b", body, re.I
        )
    ):
        return None  # "can you remember my name?" asks
    if not body or _P.BACK.match(body):
        return (
            SentenceIntent("remember", None, len(sentence)) if m["firm"] or polite or body else None
        )
    that = _P.THAT.match(body)
    what = body[that.end() :].strip() if that else body
    if not that and _P.NOT_KEPT.match(body):
        return None
    if to := re.match(r"to\s{1,3}", what, re.I):
        mine = re.search(r"\b(?:i|me|my|us|our)\b", what, re.I)
        return _kept(what[to.end() :], len(sentence)) if mine and "urge" not in flags else None
    if not that and not polite and not m["firm"]:
        words = what.split()
        if not (_P.VERB.search(what) or len(words) >= 4) or re.search(
            r"\bis an? (?:good|great|bad|nice|classic)\b", what, re.I
        ):
            return None
    return _kept(re.sub(r"^(?:this|it)\s{0,3}[,:–—-]\s{0,3}", "", what, flags=re.I), len(sentence))


def _read_forget(sentence: str, bare: str, start: int, flags: set[str]) -> SentenceIntent | None:
    polite = bool(flags & {"please", "want", "ask"})
    start += len(bare[start:]) - len(bare[start:].lstrip(" ,:–—-"))
    body = bare[start:]
    if not body or re.match(r"(?:to|it,|it\s{1,3}[,–—-]|about it|me not)(?!\w)", body, re.I):
        return None
    if (
        p := re.match(r"(?:about )?(?:him|her|them)\b(?=\s{0,3}[,;–—-])", body, re.I)
    ) and not _P.DISMISS.search(body):
        return SentenceIntent("forget", p[0].split()[-1], _cut(sentence, start))
    if _P.PRONOUN.match(body) and not (
        re.match(r"(?:that|this)\b", body, re.I) and (polite or "may" in flags)
    ):
        return None
    plain = re.sub(r"^about ", "", _P.ENDING.sub("", body), flags=re.I)
    if _P.BACK.match(plain) and not (everything(plain) and re.search(r"\bi\b", plain, re.I)):
        said = re.search(r"\bi\b|\bmy\b|message", plain, re.I)
        return SentenceIntent("forget", None, len(sentence)) if polite or said else None
    if (not polite and _P.DISMISS.search(body)) or re.match(
        r"(?:that|this|it)\s{0,3},", body, re.I
    ):
        return None
    if not (
        _P.ANY.match(body) or polite or _P.ID.match(body) or len(body[: _cut(body, 0)].split()) <= 5
    ):
        return None
    return _target("forget", sentence, start, body)


def _cut(s: str, start: int) -> int:
    m = _P.CUT.search(s, start + 1)
    return m.start() if m else len(s)


def _target(kind: str, sentence: str, start: int, target: str) -> SentenceIntent:
    """Cut what follows the thing that is meant, and what must be spared with it."""
    end = min(_cut(sentence, start), start + len(target))
    more = sentence[end:]
    stop = (
        end
        if end < start + len(target) and not re.fullmatch(rf"\W*(?:{_REST_WORDS})*\W*", more, re.I)
        else len(sentence)
    )
    spare = _P.SPARE.match(more)
    found = _about(kind, sentence[start:end], stop)
    return SentenceIntent(found.kind, found.text, stop, spare["x"].strip(" .!?") if spare else "")


def _about(kind: str, body: str, end: int) -> SentenceIntent:
    """Name the thing without "what I said about" and the like."""
    body = _P.ENDING.sub("", body.strip(" .!,:?;")).strip(" .!,:?;")
    if kind == "forget" and everything(body):
        return SentenceIntent("forget", "everything", end)
    a = _P.ABOUT.match(body)
    x = a["x"].strip(" .!,:") if a else body
    return SentenceIntent(kind, "everything" if kind == "forget" and everything(x) else x, end)  # type: ignore[arg-type]
