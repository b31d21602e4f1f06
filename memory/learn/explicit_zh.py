# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""Chinese forms of 记住 and 忘掉, and their false friends."""

from __future__ import annotations

import re
from typing import Final

from memory.learn.intent import Intent

_X: Final = re.X

_LEAD: Final = r"""(?:(?:嗨|你好|嘿|喂|好的?|好吧|行|嗯+|哦|噢|啊|对了|那个?|那么|然后|还有|另外|而且|所以|顺便|顺便说一下|其实|现在|谢谢|是的|不是|等等|等一下|听着|Ebb|ebb|重要)[\s，,。！!：:、~～]*){0,4}"""
_PLEASE: Final = r"(?:(?P<please>请|麻烦|拜托|劳烦|烦请|帮忙|帮我|给我|替我)[\s，,]*)"
_ASK: Final = r"(?P<ask>能不能|可不可以|可否|能否|能|可以|我(?:想|要|希望|需要|想要)(?:让|请|叫)?(?=你))"
_YOU: Final = r"(?:你|您|大家)"
_URGE: Final = (
    r"(?:一定要?|务必|千万要?|必须|要|得|应该|永远|以后要?|再|也|都|先|就|最好|需要|现在|快|好好|把(?=这|那|它))"
)
_HEAD: Final = rf"^{_LEAD}(?:{_PLEASE}|{_YOU}|{_ASK}|{_URGE}){{0,6}}"
_SOFT: Final = (
    r"(?:[吧啊呀哦喔噢哈呢嘛啦哟]|一下|好吗|好不好|行吗|行不行|可以吗|可以么|谢谢|了(?=[吧啊哦])|[\s~～，,。.！!])*"
)

# 记住 and its kind take anything; 记得, 别忘了 need a statement to be more than a kind word.
_FIRM: Final = r"(?:记住|记下来|记下|记一下|记一笔|记录一下|记录下来|记着|记好|牢记|记牢|存一下|记到(?:你的?)?记忆[里中]?|存到(?:你的?)?记忆[里中]?|加到(?:你的?)?记忆[里中]?|保存到(?:你的?)?记忆[里中]?|记个笔记|(?<=[帮给替]我)记(?![得不性恨忆者录]))"
_KIND: Final = r"(?:记得|(?:别|不要|不能|不许|可别|千万别|千万不要|莫|勿)(?:再)?(?:忘了|忘记|忘掉|忘))"
_REMEMBER: Final = re.compile(rf"{_HEAD}(?:(?P<firm>{_FIRM})|(?P<kind>{_KIND}))(?P<le>了)?(?P<body>.*)$", _X | re.S)
_REMEMBER_BA: Final = re.compile(
    rf"{_HEAD}[把将](?P<body>.+?)(?:给我|帮我|都|也)?(?:记住|记下来|记下|记一下|记录下来|记着|记好|记牢|(?:存|记|保存|加|写)(?:到|进|入|在)(?:你的?)?记忆[里中]?|记在心[里上])(?P<end>.*)$",
    _X | re.S,
)
_TRAILING: Final = re.compile(
    rf"^(?P<body>.{{3,}}?)[\s，,；;：:、。—–-]+(?:{_PLEASE}|{_YOU}|{_URGE}){{0,5}}(?:{_FIRM}|(?:别|不要|千万别|可别)(?:忘了|忘记))(?:它|这个|这点|这一点|这件事|啊|哦)?{_SOFT}$",
    _X | re.S,
)

_TARGET_OF: Final = r"(?:忘掉|忘记掉?|忘了|忘却|遗忘|抛到脑后)"
_FORGET: Final = re.compile(
    rf"""{_HEAD}(?:
      (?P<strong>忘掉|遗忘掉?)
    | (?P<weak>忘了|忘记|忘)
    | (?P<stop>(?:不要|别|不用|不必|不需要|无需|用不着|不许|不准|停止)(?:再)?(?:继续)?(?:记得|记住|记着|记下|记录|记))
    )(?P<body>.*)$""",
    _X | re.S,
)
_FORGET_BA: Final = re.compile(
    rf"{_HEAD}[把将](?P<body>.+?)(?:给我|都|全都|全部|统统|也|给|就)*(?P<how>{_TARGET_OF}|忘|(?:从(?:你的?)?(?:记忆|脑海|脑子|心)[里中]?)(?:删除|删掉|清除|抹去|抹掉|移除|去掉)|删了|删掉|删除|清除|抹掉|清空)(?P<end>.*)$",
    _X | re.S,
)
_DELETE: Final = re.compile(
    rf"""{_HEAD}(?:删掉|删除|删了|清除|抹掉|抹去|移除|去掉|清空|清掉|撤掉)(?:一下)?(?:
      (?P<all>(?:掉)?(?:你|我)?的?(?:所有|全部|一切|全)(?:关于我)?的?(?:记忆|记录) | (?:你|我)的记忆 | 记忆)
    | (?P<a>.*?)(?:的|这条|那条|这个|那个|这些|相关|有关)*(?:记忆|记录)
    | (?:你)?(?:记得|记住|知道|保存)的?(?:关于|有关|跟|和)?(?P<b>.+?)(?:有关|相关)?(?:的)?(?:事情?|内容|信息|一切|东西)?
    ){_SOFT}$""",
    _X | re.S,
)
_DELETE_FROM: Final = re.compile(
    rf"{_HEAD}从(?:你的?)?(?:记忆|脑海|脑子)[里中]?(?:删除|删掉|清除|抹去|抹掉|移除|去掉)(?:掉)?(?P<body>.+)$",
    _X | re.S,
)

_QUESTION: Final = re.compile(r"(?:[吗么嘛]|没有?|不|了没|呢)?\s*[?？]+\s*$|(?:吗|么|了没|没有|没)[\s。.！!~～]*$")
_POLITE_TAIL: Final = re.compile(
    r"[，,\s]*(?:好吗|好不好|行吗|行不行|可以吗|可以么|可不可以|好么|OK吗|ok吗|谢谢你?|拜托了?|麻烦了)[\s?？。.！!~～]*$"
)
_WH: Final = re.compile(r"什么|啥|谁|哪|怎么|怎样|为什么|几(?=[点个号岁月])|多少|是不是|有没有|会不会|能不能|还是")
_TAIL: Final = re.compile(rf"{_SOFT}$")
_BACK: Final = re.compile(
    r"""^(?:这个?|那个?|它|这些|那些|这点|这一点|那一点|这条|这件事情?|那件事情?|这事|这句话?|这段话?|这番话|这些话|一切|上面(?:的|这些|那些|说的|的话|的内容)?|以上(?:的|内容|这些)?|前面(?:的|说的|那句)?
    |(?:我)?(?:刚才|刚刚|刚|上面|前面|之前|上一[句条])?(?:我)?(?:说的?|讲的?|写的?|发的?|提到的?|告诉你的?)(?:过的?)?(?:话|内容|事情?|那些|这些|一切|东西|那句话|这句话)?
    |(?:我)?(?:刚才|刚刚|上一[句条]|上条)(?:的)?(?:那?句?话|内容|事情?|消息|那些|信息)?)$""",
    _X,
)
_FIRST: Final = re.compile(r"[我咱俺]|本人")
_WHEN: Final = re.compile(
    r"今天|明天|后天|大后天|昨天|今晚|明晚|明早|下午|上午|早上|中午|晚上(?=[\d一二三四五六七八九十两])|(?:这|下|上|本)?(?:周|星期|礼拜)[一二三四五六日天末]|下(?:个)?月|明年|\d+[月号日点:：]|[一二三四五六七八九十两]+[月号点]|生日|纪念日|截止|开会|会议|考试|面试|航班|复诊"
)
_STATES: Final = re.compile(
    r"是|在|有|叫|爱|喜欢|讨厌|不|对.+过敏|过敏|住|来自|想|要|打算|计划|需要|会|怕|用|养|吃|喝|属|得|了|比较|更|最|姓|岁|\d"
)
_CHAT: Final = re.compile(
    r"^(?:要|得|先|也|都|多|早点?|早些|好好|按时|准时|及时|每天|随时|常|经常|注意|保持)?(?:吃|喝|睡|休息|带|穿|关|开|锁|加油|微笑|保重|照顾|想我|爱我|爱你|来|去|回|给我|保暖|运动|锻炼|打伞|防晒|呼吸|你|您|自己|初心|我们的约定|我$|我哦)"
)
_EVERYTHING: Final = re.compile(
    r"""^(?:(?:(?:你)?(?:知道|记得|记住|学到)的?)?(?:有关|关于)?(?:我)?(?:说过?|讲过?|告诉过?你)?的?(?:所有|一切|全部|全|每一(?:件|条)|统统|任何)(?:的)?(?:东西|事情?|记忆|内容|信息|话|记录)?
      (?:有关|关于|和|跟)?(?:我(?:有关|相关)?)?的?(?:所有|一切|全部)?(?:东西|事情?|记忆|内容|信息|话|记录)?
    |(?:关于|有关)(?:我|我自己)(?:的)?(?:所有|一切|全部|任何)?(?:的)?(?:东西|事情?|记忆|内容|信息)?
    |(?:你|我)的?(?:所有|全部)?(?:的)?记忆|整个记忆|everything)$""",
    _X,
)
_WRAP: Final = re.compile(
    r"""^(?:(?:我)?(?:之前|以前|刚才|刚刚|曾经|上次)?(?:我)?(?:说过?|讲过?|提到过?|告诉过?你|跟你说过?)的?(?:关于|有关)|(?:你)?(?:知道|记得|记住)的?(?:关于|有关)|(?:所有|一切|全部|任何)?(?:关于|有关)|(?:和|跟|与)(?=.+(?:有关|相关)))?
      (?:(?:我)?(?:之前|以前|刚才|刚刚|曾经|上次)?我?(?:说过?|提到过?|告诉过?你|跟你说过?)(?:的|过)?[，,：:]?(?=.{2,}))?(?P<x>.+?)
      (?:(?:有关|相关)?的?(?:这|那)(?:件事情?|回事|个事实|条记忆|一点|点|条|个信息|些)|(?:有关|相关)?的(?:事情?|事儿|记忆|所有|一切|全部|内容|信息|东西|话|那些事|所有记忆|所有事情?|任何事情?|一切记忆)|(?:有关|相关)的)?$""",
    _X | re.S,
)


def everything(text: str) -> bool:
    """忘掉所有 / 关于我的一切 …"""
    t = _TAIL.sub("", text.strip())
    return bool(t) and bool(_EVERYTHING.match(t))


def _trim(body: str) -> str:
    body = re.sub(
        r"^(?:[\s，,：:、。—–-]|一下|下来|住|哦|啊|这(?:一)?点[：:，,]|这个[：:，,]|这件事[：:，,])+", "", body
    )
    return _TAIL.sub("", body).strip(" 　，,。.！!；;~～")


def _back(kind_before: str) -> Intent:
    return Intent("remember", kind_before) if kind_before else Intent("remember", "", previous=True)


def read(sentence: str, before: str, rest: str) -> Intent | None:
    """The command in one sentence, given what stands before and after it in the message."""
    s = sentence.strip()
    polite_tail = bool(_POLITE_TAIL.search(s))
    s = _POLITE_TAIL.sub("", s)
    question = bool(_QUESTION.search(s))
    for one in (_forget_ba, _delete, _remember_ba, _forget):
        if (found := one(s, question, polite_tail)) is not None:
            return _with_before(found, before)
    return _remember(s, question, before, rest)


def _with_before(found: Intent, before: str) -> Intent:
    return Intent("remember", before) if found.kind == "remember" and found.previous and before else found


def _remember_ba(s: str, question: bool, _polite: bool) -> Intent | None:
    m = _REMEMBER_BA.match(s)
    if m and (rest := re.match(r"\s*[：:]\s*(?P<x>.+)$", m["end"], re.S)):
        return Intent("remember", f"{_trim(m['body'])}：{_trim(rest['x'])}")
    if m is None or (question and not m["ask"]) or not re.fullmatch(rf"[了吗么?？]*{_SOFT}[吗么?？]*", m["end"]):
        return None
    body = _trim(m["body"])
    if _BACK.match(body):
        return Intent("remember", "", previous=True)
    return Intent("remember", body) if body and not _WH.search(body) else None


def _remember(s: str, question: bool, before: str, rest: str) -> Intent | None:
    m = _REMEMBER.match(s)
    if m is None:
        t = None if question else _TRAILING.match(s)
        return Intent("remember", f"{before}{t['body']}".strip()) if t and not _says_self(t["body"]) else None
    raw = m["body"]
    body = _trim(re.sub(r"[吗么?？\s]+$", "", raw) if m["ask"] else raw)
    if question and not (m["ask"] and (m["please"] or _STATES.search(body))):
        return None
    if colon := re.match(
        r"^(?:了|一下|以下(?:内容|几点|这些)?|这(?:个|些|几点|件事|句话)?|下面(?:的|这些)?(?:内容)?)?\s*[：:]\s*(?P<x>.*)$",
        raw,
        re.S,
    ):
        text = f"{colon['x']}{rest}".strip()
        return Intent("remember", text if rest else _trim(text)) if text else None
    if not body:
        if m["le"] or m["kind"]:
            return None  # 记住了: done; 记得: I do
        return _back(before)
    if re.match(r"^(?:了$|了[，,。！!]|不|没|过|的|吗|你|住?没有)", raw.strip()) and not m["please"]:
        return None
    if _BACK.match(body):
        return _back(before)
    if m["kind"]:
        if _WH.search(body) or not _tells(body):
            return None
        return Intent("remember", re.sub(r"^(?:要|去)(?=提醒)", "", body))
    return None if _WH.match(body) else Intent("remember", body)


def _tells(body: str) -> bool:
    """Whether 记得…/别忘了… carries something to keep: about the speaker, or with a time."""
    if re.search(r"提醒我|叫我|称呼我", body):
        return True
    if _CHAT.match(body):
        return bool(_WHEN.search(body) and _FIRST.search(body))
    return bool((_FIRST.search(body) and _STATES.search(body)) or (_WHEN.search(body) and len(body) >= 4))


def _says_self(body: str) -> bool:
    """我怕我自己没，记住 …: the speaker is talking of their own memory."""
    return bool(re.search(r"(?:[我他她]|大家)(?:得|要|会|总|都|必须|应该)?$", body))


def _forget_ba(s: str, question: bool, polite: bool) -> Intent | None:
    m = _FORGET_BA.match(s)
    if m is None or (question and not m["ask"]):
        return None
    if not re.fullmatch(rf"[了掉吗么?？]*{_SOFT}[吗么?？]*", m["end"]):
        return None  # 把钥匙忘在家里了
    body = _trim(m["body"])
    forgets = m["how"].startswith(("忘", "遗忘", "抛", "从"))
    asked = (
        polite or m["please"] or m["ask"] or "你" in s[: m.start("body")] or "吧" in m["end"] or m["how"] == "忘掉"
    )
    if (
        forgets
        and not m["how"].startswith("从")
        and not (asked or re.search(r"我|这|那|关于|有关|所有|一切|全部", body))
    ):
        return None  # 把钥匙忘了: the speaker did
    if not forgets and not re.search(r"记忆|记录|记得|记住|知道", body) and not re.search(r"关于|有关", body):
        return None  # 把这个文件删掉
    return _intent(body)


def _delete(s: str, question: bool, _polite: bool) -> Intent | None:
    m = _DELETE_FROM.match(s)
    if m and (not question or m["ask"]):
        return _intent(_trim(re.sub(r"[吗么?？\s]+$", "", m["body"])))
    m = _DELETE.match(re.sub(r"[吗么?？\s]+$", "", s))
    if m is None or (question and not m["ask"]):
        return None
    if m["all"]:
        return Intent("forget", "everything")
    return _intent(_trim(m["a"] if m["a"] is not None else m["b"]))


def _forget(s: str, question: bool, polite: bool) -> Intent | None:
    m = _FORGET.match(s)
    if m is None or (question and not m["ask"]):
        return None
    raw = re.sub(r"[吗么?？\s]+$", "", m["body"]) if m["ask"] else m["body"]
    body = _trim(raw)
    asked = polite or bool(m["please"] or m["ask"]) or bool(re.search(r"吧[\s。.！!~～]*$", raw))
    if m["stop"]:
        if re.match(r"(?:那么|这么|得|错|混|恨|仇|账)", body) or _WH.match(body):
            return None
        body = re.sub(r"^了$", "", body)
        return Intent("forget", "", previous=True) if not body or _BACK.match(body) else _intent(body)
    if not body or re.match(
        r"^(?:不|得|我吧?$|他吧?$|她吧?$|它$|你|了|过|恩|年|情|乎|本|词|形|在|带|拿|关(?!于)|吃|怎|告诉|跟|说[^的]|问|做|买|写|回)",
        body,
    ):
        return None
    if m["strong"]:
        return None if raw.startswith("了") and not asked else _intent(body)
    if not asked and re.search(r"[你您]$", s[: m.start("weak")]):
        return None  # 你忘了我的生日
    # 忘了…, 忘记…: a command with 吧 or a request, or of what the speaker said; else a report of forgetting
    if not asked and (
        re.search(r"了[\s。.！!~～]*$", raw)
        or not re.match(
            r"^(?:我(?:说|讲|告诉|刚|之前|以前|的|喜|不|住|是|在|有|对|叫)|关于|有关|所有|一切|刚才|之前|\[?[a-z][0-9a-z]{5})",
            body,
        )
    ):
        return None
    return _intent(body)


def _intent(body: str) -> Intent | None:
    body = body.strip(" 　，,。.！!")
    if not body:
        return None
    if everything(body):
        return Intent("forget", "everything")
    if _BACK.match(body):
        return Intent("forget", "", previous=True)
    m = _WRAP.match(body)
    x = re.sub(r"(?<!除)了$", "", (m["x"] if m else body).strip(" 　，,。.！!：:"))
    if x in {"我", "我的", "我自己"}:
        return Intent("forget", "everything")
    return Intent("forget", x) if x and not re.fullmatch(r"(?:他|她|它|你|您)们?", x) else None
