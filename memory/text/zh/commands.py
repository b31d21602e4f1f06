"""Read a command in a Chinese sentence: 记住, 忘掉, 别再提, 别记我的事."""

from __future__ import annotations

import re
from typing import Final

from memory.text.intent import SentenceIntent
from memory.text.languages import Patterns
from memory.text.words import fold_variants

_P: Final = Patterns("zh", "commands")
_MIXED: Final = (
    (re.compile(r"\bremember\b(?= ?[一-鿿])", re.I), "记住"),
    (re.compile(r"\bforget\b(?= ?[一-鿿])", re.I), "忘掉"),
)


def everything(text: str) -> bool:
    """Tell whether 所有关于我的事 or the like is meant."""
    t = _P.TAIL.sub("", text.strip())
    return bool(t) and bool(_P.EVERYTHING.match(t))


def read(sentence: str) -> SentenceIntent | None:
    """Find the command that one sentence is."""
    s = sentence
    for pattern, zh in _MIXED:
        if (m := pattern.search(s)) and len(s[: m.start()].strip()) < 8:
            s = s[: m.start()] + zh.ljust(len(m[0])) + s[m.end() :]
    s = fold_variants(s)
    polite_tail = _P.POLITE_TAIL.search(s)
    core = s[: polite_tail.start()] if polite_tail else s
    r = _P.REQUEST.search(core)
    if r and (found := read(sentence[: r.start()])) is not None and found.kind == "remember":
        return found
    question = bool(_P.QUESTION.search(core))
    flags, at = _head(core)
    if polite_tail:
        flags.add("please")
    if question and "ask" not in flags:
        return None
    core = re.sub(r"[吗么?？\s]{1,9}$", "", core) if "ask" in flags else core
    for reader in (
        _read_topic,
        _read_negated,
        _read_ba,
        _read_delete,
        _read_forget,
        _read_remember,
    ):
        if (found := reader(sentence, core, at, flags)) is not None:
            return found
    t = None if question else _P.TRAILING.search(s, max(0, len(s) - 40))
    if t and t.start() >= 3:
        return SentenceIntent("remember", sentence[: t.start()].strip(), len(sentence))
    return None


def _head(s: str) -> tuple[set[str], int]:
    """Strip what may stand before a verb of command; say of which sorts it was."""
    flags: set[str] = set()
    at = len(s) - len(s.lstrip())
    for _ in range(9):
        if (m := _P.NEG.match(s, at)) and not _P.WEARY.match(s, at) and not _P.OFF.match(s, at):
            flags |= {
                "neg",
                *(("again",) if m["again"] else ()),
                *(("want",) if m[0].startswith("我") else ()),
                *(("what",) if m["soft"] else ()),
            }
        elif m := _P.LEAD.match(s, at):
            pass
        elif (m := _P.ASK.match(s, at)) is None:
            break
        else:
            flags.add(m.lastgroup or "")
        at = m.end()
    return flags, at


def _clean(text: str) -> str:
    text = re.sub(
        r"^(?:[\s，,：:、。—–-]|一下|下来|住|哦|啊|这(?:一)?点[：:，,]|这个[：:，,]|这件事[：:，,])+",
        "",
        text,
    )
    return _P.TAIL.sub("", text).strip(" 　，,。.！!；;~～")


def _first_clause(core: str, at: int) -> int:
    """Where the clause that begins at `at` ends."""
    m = re.search(r"[，,；;](?!(?:还有|以及)(?:关于)?我(?![想要]|今|明|问))|——", core[at + 1 :])
    return at + 1 + m.start() if m else len(core)


def _read_topic(sentence: str, core: str, at: int, _flags: set[str]) -> SentenceIntent | None:
    if _P.ON.match(core.rstrip(" 。.！!~～")):
        return SentenceIntent("on", "", len(sentence))
    if m := _P.SPEAK.match(core.rstrip(" 。.！!~～")):
        return SentenceIntent("speak", sentence[m.start("x") : m.end("x")], len(sentence))
    if m := _P.TOPIC.match(core, at):
        return _thing(sentence, core, m.start("x"), m.end("x"), _stop(sentence, core, m.end()))
    if m := _P.WEARY.match(core, at):
        return _quiet(sentence, core, m.start("x"), m.end("x"))
    t = _P.TOPIC_FIRST.match(core.rstrip(" 。.！!~～"), at)
    if t and (
        t["quiet"]
        or not re.match(
            r"[把将]|我(?:就|都|快|也|早|差点|总|老|已经|想|要|$)|你|他|她|它|算了|别|不|就|都|快|早|全|差点",
            t["x"],
        )
    ):
        if t["off"]:
            return (
                SentenceIntent("off", "", len(sentence))
                if re.match(r"我(?:的|[说讲]的)|什么|任何|所有|一切", t["x"])
                else None
            )
        if t["quiet"]:
            return _quiet(sentence, core, t.start("x"), t.end("x"))
        return _thing(sentence, core, t.start("x"), t.end("x"), len(sentence))
    return SentenceIntent("off", "", _first_clause(core, at)) if _P.OFF.match(core, at) else None


def _stop(sentence: str, core: str, end: int) -> int:
    """Where the command ends: with its clause, or with its sentence if nothing but a tail follows."""
    return (
        len(sentence)
        if not re.search(r"\w", _P.TAIL.sub("", core[end:]).strip("吧了啊哦的"))
        else end
    )


def _quiet(sentence: str, core: str, a: int, b: int) -> SentenceIntent | None:
    said = _clean(
        re.sub(
            r"(?:这|那)?(?:两|三|四|几)个字了?$|(?:的)?(?:这|那)(?:件)?事儿?了?$|的?(?:事情?|事儿)了?$|了$",
            "",
            _clean(core[a:b]),
        )
    )
    said = re.sub(r"了$", "", said)
    if not said or _P.BACK.match(said) or re.match(r"[了吧过这那](?!\w)|[出话]|什么|什麼", said):
        return None
    at = core.index(said[:1], a)
    return SentenceIntent("quiet", sentence[at : at + len(said)], _stop(sentence, core, b))


def _read_negated(sentence: str, core: str, at: int, flags: set[str]) -> SentenceIntent | None:
    if "neg" not in flags:
        return None
    end = _first_clause(core, at)
    body = core[at:end]
    stop = _stop(sentence, core, end)
    clean = re.sub(r"了$", "", _P.TAIL.sub("", body))
    if clean in {"记录", "记笔记", "学习", "记住我", "记录我", "记我"}:
        return SentenceIntent("off", "", stop)
    if (b := _P.BA.match(core, at)) and not (b["f"] or b["d"]) and b["x"].startswith("我"):
        return SentenceIntent("off", "", stop)
    if (
        (n := _P.NO_NOTES.match(clean))
        and (n["what"] or "what" in flags)
        and not re.match(r"记得我?$", clean)
    ):
        return SentenceIntent("off", "", stop)
    if m := re.match(r"(?:记得|记住|记着|记下|记录|保存|留着|记)(?!仇|恨|错|混|账)", body):
        target = _clean(re.sub(r"^了$", "", body[m.end() :]))
        target = re.sub(r"了$", "", target)
        if re.match(r"那么|这么|得|我$", target) or _P.WH.match(target):
            return None
        if not target or _P.BACK.match(target):
            return SentenceIntent("forget", None, stop)
        start = core.index(target, at)
        return _thing(sentence, core, start, start + len(target), stop)
    if (m := _P.MENTION.match(body)) and (
        m["verb"] not in {"说", "讲", "聊", "谈", "问", "问我", "提"}
        or flags & {"again", "want"}
        or m[0].startswith(("跟我", "对我", "和我"))
        or m["verb"] == "提"
    ):
        return _quiet(sentence, core, at + m.end(), end)
    if f := re.match(r"(?:忘了|忘记|忘掉|忘)", body):
        text = sentence[at + f.end() :]
        what = _clean(fold_variants(text))
        if what and not _P.WH.search(what) and _tells(what):
            return SentenceIntent("remember", _same(text, what), len(sentence))
    return None


def _same(original: str, cleaned: str) -> str:
    """Give back the original characters of a text that was cleaned after simplification."""
    at = fold_variants(original).find(cleaned)
    return original[at : at + len(cleaned)] if at >= 0 else cleaned


def _read_ba(sentence: str, core: str, at: int, flags: set[str]) -> SentenceIntent | None:
    m = _P.BA.match(core, at)
    if m is None:
        return None
    x, end = _clean(m["x"]), m["end"]
    if not (m["f"] or m["d"]):
        if colon := re.match(r"\s{0,3}[：:]\s{0,3}(?P<x>.+)$", core[m.end("how") :], re.S):
            return SentenceIntent(
                "remember", f"{_same(sentence, x)}：{_clean(colon['x'])}", len(sentence)
            )
        return SentenceIntent(
            "remember",
            None if _P.BACK.match(x) else _same(sentence, x),
            _stop(sentence, core, m.end()),
        )
    scope = re.search(r"我|这|那|关于|有关|所有|一切|全部|的(?:事|是)", x)
    asked = (
        flags & {"please", "ask", "you", "want"}
        or "吧" in end
        or m["how"] in {"忘掉", "忘吊"}
        or "全" in m[0]
    )
    if m["f"] and not (asked or scope):
        return None  # 把钥匙忘了: the speaker did
    if (
        m["d"]
        and not m["d"].startswith("从")
        and not re.search(
            r"记忆|记录|记得|记住|知道|关于|有关|事|一切|说(?:过)?的|信息|^我(?!.{0,8}(?:文件|代码|[账帐]号|照片|邮件|消息|软件|应用|缓存|草稿|文章))",
            x,
        )
    ):
        return None  # 把这个文件删掉
    if re.search("[都全]|统统", m[0]) and re.match(
        r"我(?:以前|之前|曾经)?(?:跟你)?(?:说|讲|告诉你|聊)过?的(?:所有)?[话事]?情?$", x
    ):
        return SentenceIntent("forget", "everything", _stop(sentence, core, m.end()))
    start = core.index(x, at)
    return _thing(sentence, core, start, start + len(x), _stop(sentence, core, m.end()))


def _read_delete(sentence: str, core: str, at: int, _flags: set[str]) -> SentenceIntent | None:
    m = _P.DELETE.match(core, at)
    if m is None:
        return None
    end = _first_clause(core, m.end())
    body = _P.TAIL.sub("", core[m.end() : end]).strip()
    stop = _stop(sentence, core, end)
    if m["from"]:
        return _thing(sentence, core, m.end(), m.end() + len(body), stop)
    if _P.DELETE_ALL.match(body):
        return SentenceIntent("forget", "everything", stop)
    d = _P.DELETED.match(body)
    x = next((g for g in d.groups() if g), None) if d else None
    if not x:
        return None
    start = core.index(x, m.end())
    return _thing(sentence, core, start, start + len(x), stop)


def _read_forget(sentence: str, core: str, at: int, flags: set[str]) -> SentenceIntent | None:
    m = None if "neg" in flags else _P.FORGET.match(core, at)
    if m is None:
        return None
    end = _first_clause(core, m.end())
    raw = core[m.end() : end]
    body = _clean(raw)
    asked = bool(flags & {"please", "ask", "want"}) or bool(
        re.search(r"吧[\s。.！!~～]{0,9}$", raw)
    )
    if not body or re.match(
        r"(?:不|得|我吧?$|他吧?$|她吧?$|它$|你|了|过|恩|年|情|乎|本|词|形|在|带|拿|关(?!于)|吃|怎|告诉|跟|说[^的]|问|做|买|写|回)",
        body,
    ):
        return None
    if (m["strong"] and raw.startswith("了") and not asked) or re.search(
        r"(?:怎么|如何)[说念读翻写][?？]?$", body
    ):
        return None
    if m["weak"] and not asked:
        if "you" in flags or re.search(r"了[\s。.！!~～]{0,9}$", raw):
            return None  # 你忘了我的生日
        if _P.WH.search(body) and not re.search(r"(?:[这那]件?事|什么的)$", body):
            return None  # 忘了我住几号楼: the speaker did
        if not re.match(
            r"(?:我(?:说|讲|告诉|刚|之前|以前|的|喜|不|住|是|在|有|对|叫|跟|和)|关于|有关|所有|一切|刚才|之前|\[?[a-z][0-9a-z]{5})",
            body,
        ):
            return None
    start = core.index(body, m.end())
    return _thing(sentence, core, start, start + len(body), _stop(sentence, core, end))


def _thing(sentence: str, core: str, a: int, b: int, stop: int) -> SentenceIntent | None:
    """Name the thing without 我说的关于 and the like."""
    body = core[a:b].strip(" 　，,。.！!？?")
    if not body:
        return None
    if everything(body):
        return SentenceIntent("forget", "everything", stop)
    if _P.BACK.match(body):
        return SentenceIntent("forget", None, stop)
    x = _P.AFTER.sub("", body)
    for before in (_P.BEFORE, _P.SAID):
        if m := before.match(x):
            x = x[m.end() :]
    x = re.sub(r"(?<!除)了$", "", x.strip(" 　，,。.！!：:")) or body
    if x in {"我", "我的", "我自己"}:
        return SentenceIntent("forget", "everything", stop)
    if _P.THIRD.match(x.removesuffix("的")):
        return None if x[0] in "你您" else SentenceIntent("forget", x.removesuffix("的"), stop)
    at = core.index(x, a) if x in core[a:] else a
    spare = (
        _P.SPARE.match(core[b:])
        if "除" in core[b:] or re.search(r"别忘|不要忘|别删|留着|保留|记得", core[b:])
        else None
    )
    return SentenceIntent(
        "forget", sentence[at : at + len(x)], stop, _clean(spare["x"]) if spare else ""
    )


def _read_remember(sentence: str, core: str, at: int, flags: set[str]) -> SentenceIntent | None:
    m = None if "neg" in flags else _P.REMEMBER.match(core, at)
    if m is None:
        return None
    raw = core[m.end() :]
    body = _clean(raw)
    if colon := re.match(
        r"(?:了|一下|以下(?:内容|几点|这些)?|这(?:个|些|几点|件事|句话)?|下面(?:的|这些)?(?:内容)?)?\s{0,3}[：:]\s{0,3}",
        raw,
    ):
        said = _clean(sentence[m.end() + colon.end() :])
        return SentenceIntent("remember", said or None, len(sentence), lists=True)
    if not body:
        done = (
            raw.startswith("了")
            or m["kind"]
            or m["firm"].endswith("了")
            or re.search(r"了[\s。！!]{0,9}$", core)
        )
        return None if done else SentenceIntent("remember", None, len(sentence))
    if (
        re.match(r"(?:了$|了[，,。！!]|不|没|过|的|吗|住?没有)", raw.strip())
        and "please" not in flags
        and not m["firm"].endswith("了")
    ):
        return None
    if _P.BACK.match(body):
        return SentenceIntent("remember", None, len(sentence))
    if "ask" in flags and not (flags & {"please"} or _P.STATES.search(body)):
        return None
    text = _same(sentence, body)
    if m["kind"]:
        if _P.WH.search(body) or not _tells(body):
            return None
        return SentenceIntent("remember", re.sub(r"^(?:要|去)(?=提醒)", "", text), len(sentence))
    return None if _P.WH.match(body) else SentenceIntent("remember", text, len(sentence))


def _tells(body: str) -> bool:
    """Tell whether 记得…/别忘了… carries something to keep: about the speaker, or with a time."""
    if re.search(r"提醒我|叫我|称呼我", body):
        return True
    if _P.CHAT.match(body):
        return bool(_P.WHEN.search(body) and _P.FIRST.search(body))
    return bool(
        (_P.FIRST.search(body) and _P.STATES.search(body))
        or (_P.WHEN.search(body) and len(body) >= 4)
    )
