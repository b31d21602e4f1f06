"""Chinese: its characters, the small words that its sentences hang on, its stop words."""

# ruff: noqa: E501 - words read as words
from typing import Final

LETTERS: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
SPACED: Final = False
STEMMER: Final = ""
SMALL: Final = "[我你您他她它们們的地得了着过過是在有没沒不也都还還就吗嗎呢吧啊和跟与與把被给給对對从從去来來要会會想能叫很最这這那哪谁誰么麼什怎啥请請]"
# Characters that say little about what a text is about. More than 60: fewer cost up to .03 of recall@10.
STOP_WORDS: Final = frozenset(
    "我你您他她它们的地得了着过吗呢吧啊呀哦嗯么是在有和与及或也都还就又再很太不没这那哪个些把被让给对从到为以于之其而但会能要想说请谁几吧嘛啦"
    "哈咱什怎哪样里儿多少来去上下一二三"
)
