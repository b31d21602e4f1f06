"""Chinese persons: 我 → 用户 → 你, each with the characters as they were written."""

from __future__ import annotations

import re

_SELF = re.compile(r"我自己|我們|我们|咱们|咱們|咱|俺|本人|我")
_NOT_ME = re.compile(r"自我|无我|忘我")
_KIN = re.compile(
    r"(?:大|小|二|亲|表|堂|前|新|老|最好的)?(?:妈|爸|爹|娘|父|母|哥|姐|弟|妹|老公|老婆|丈夫|妻子|太太|先生|女朋友|男朋友|女友|男友|对象|"
    r"對象|儿子|女儿|兒子|女兒|孩子|爷爷|奶奶|爺爺|外公|外婆|姥|叔|舅|姑|姨|朋友|同事|老板|老闆|上司|室友|邻居|同学|老师|闺蜜|猫|狗|貓)"
)
_TALK = re.compile(r"(?:[呢啊呀哦噢啦嘛哈吧喔欸诶哟]|的说|嘻嘻|～|~){1,20}$")
_USER = re.compile(r"(?:该|这位|本)?用[户戶](?:自己)?")


def _sentence(text: str) -> str:
    text = re.sub(r"(?<=[\u4e00-\u9fff])\s{1,9}(?=[\u4e00-\u9fff])", "", text).strip(" ，,、；;：:。.!！~～")
    text = _TALK.sub("", text).strip(" ，,、")
    return text + "。" if text else ""


def to_third(clause: str) -> str:
    """A statement in the first person as a sentence about the user; later mentions become 自己."""
    if _NOT_ME.search(clause):
        clause = _NOT_ME.sub(lambda m: m[0].replace("我", "\ue010"), clause)
    seen = False

    def one(m: re.Match[str]) -> str:
        nonlocal seen
        first, seen = not seen, True
        if first and m[0] != "我自己" and _KIN.match(clause, m.end()):
            return "用户的"
        if m[0] == "我自己":
            return "用户自己" if first else "自己"
        return "用户" if first else "自己"

    return _sentence(_SELF.sub(one, clause).replace("\ue010", "我"))


def to_second(text: str, name: str = "") -> str:
    """A memory told to the person it is about: 用户的猫叫咪咪。→ 你的猫叫咪咪。"""
    text = text.strip()
    if name and name in text and not _USER.search(text) and text.startswith(name):
        text = text.replace(name, "用户")
    if _USER.search(text):
        text = _USER.sub(lambda m: "你自己" if m[0].endswith("自己") else "你", text)
        text = re.sub(r"(?<=.)(?:他|她|ta|TA)(?=自己)", "你", text)
        text = re.sub(r"(?<=[看找给帮陪接送约对跟向])自己", "你", text)
        text = re.sub(r"你的([\u4e00-\u9fff]{1,4})的(?=生日|名字|工作|电话|家)", r"你\1的", text)
    elif "我" in text:
        text = re.sub("我们|我們", "你们", text).replace("我", "你")
    elif "你" not in text and re.match(
        r"(?:很|非常|特别|不)?(?:喜欢|爱|讨厌|住在|来自|对|会|想|要|计划|打算|有|是|在|养|每)", text
    ):
        text = "你" + text
    return _sentence(text)


def to_first(text: str) -> str:
    """A memory as the user would say it, for reading back what it states."""
    text = text.strip()
    if _USER.search(text):
        return _USER.sub("我", text)
    return (
        text
        if "我" in text
        else re.sub(r"^(?=(?:很|非常|特别|不)?(?:喜欢|爱|讨厌|住在|来自|对|会|想|要|计划|打算|有|养|每))", "我", text)
    )


def you_me(text: str) -> str:
    """The user's words turned round in a reply: 我老板骂了我 → 你老板骂了你."""
    swap = {"我": "你", "你": "我", "您": "我", "咱": "你"}
    text = _TALK.sub("", text.strip(" ，,。！!"))
    return "".join(swap.get(c, c) for c in text)
