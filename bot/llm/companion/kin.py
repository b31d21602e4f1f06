# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Relations across languages and words: 妹 and sister, mum and mother."""

from __future__ import annotations

_EN = {
    "妈": "mother", "爸": "father", "姐": "sister", "妹": "sister", "哥": "brother", "弟": "brother", "妻": "wife", "夫": "husband", "女朋友": "girlfriend", "男朋友": "boyfriend", "儿子": "son",
    "女儿": "daughter", "孩子": "child", "宝宝": "child", "猫": "cat", "狗": "dog", "宠物": "pet", "兔子": "rabbit", "朋友": "friend", "最好的朋友": "best friend", "同事": "colleague", "老板": "boss", "奶奶": "grandmother",
    "爷爷": "grandfather", "室友": "roommate", "老师": "teacher", "邻居": "neighbour", "闺蜜": "best friend", "对象": "partner", "爱人": "spouse", "仓鼠": "hamster", "表哥": "cousin", "表姐": "cousin", "堂哥": "cousin",
}  # fmt: skip
_SAME = {
    "grandma": "grandmother",
    "granny": "grandmother",
    "nana": "grandmother",
    "grandpa": "grandfather",
    "granddad": "grandfather",
    "kid": "child",
    "baby": "child",
    "coworker": "colleague",
    "co-worker": "colleague",
    "neighbor": "neighbour",
    "flatmate": "roommate",
    "housemate": "roommate",
    "bunny": "rabbit",
}
_MEANS = {
    "pet": {"cat", "dog", "rabbit", "hamster", "parrot", "fish", "bird", "turtle", "horse"},
    "child": {"son", "daughter"},
    "sibling": {"brother", "sister"},
    "parent": {"mother", "father"},
    "spouse": {"wife", "husband"},
    "partner": {"wife", "husband", "girlfriend", "boyfriend", "spouse"},
    "wife": {"spouse"},
    "husband": {"spouse"},
}  # fmt: skip


_SPOKEN = {
    "妈": "妈妈",
    "爸": "爸爸",
    "妹": "妹妹",
    "姐": "姐姐",
    "弟": "弟弟",
    "哥": "哥哥",
    "妻": "妻子",
    "夫": "丈夫",
}


def spoken(word: str) -> str:
    """A slot's relation as people say it: 妹 → 妹妹."""
    return _SPOKEN.get(word, word)


def _plain(word: str) -> str:
    word = _EN.get(word, word)
    last = word.split(" ")[-1]
    return word.removesuffix(last) + _SAME.get(last, last)


def same_kin(a: str, b: str) -> bool:
    """Whether a stored relation `a` is what is asked for as `b`: the same, or of the sort (a cat is a pet)."""
    x, y = _plain(a), _plain(b)
    if x == y or x in _MEANS.get(y, ()) or y in _MEANS.get(x, ()):
        return True
    # `younger sister` answers `sister`, but `best friend` does not answer `friend's boss`.
    return (
        bool(x)
        and bool(y)
        and (
            x.endswith(f" {y}")
            or y.endswith(f" {x}")
            or (len(y) == 1 and x.endswith(y) and x != y)
            or (len(x) == 1 and y.endswith(x))
        )
    )
