# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Small tools on text that both languages share: cleaning, sentences, keys, tokens and a fixed choice."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from memory import bilingual
from memory.models import Lang, language_of
from memory.text.zh.characters import simplified as simplified  # noqa: PLC0414 - the companion's rules take it from here

T = TypeVar("T")

CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "＇": "'", "`": "'", "“": '"', "”": '"', "\u00a0": " ", "\u3000": " "})
_CODE = re.compile(r"```.*?(```|\Z)|`[^`\n]*`", re.S)
_QUOTED_LINE = re.compile(r"^\s{0,9}>.*$", re.M)
_SPEECH = re.compile(
    r"(\b(?:says?|said|saying|told|wrote|writes|asked|replied|goes|went|shouted|like|reads?|lyrics?|song|quote[sd]?)\b"
    r"|说|写道|问|喊|回答|唱|歌词|台词|念)[^\"「『]{0,12}[,:：，]?\s{0,9}$",
    re.I,
)
_QUOTE = re.compile(r'"([^"\n]{0,400})"|「([^」\n]{0,400})」|『([^』\n]{0,400})』')
_ABBREVIATION = re.compile(
    r"(?:\b(?:[a-zA-Z]|mr|mrs|ms|dr|st|prof|jr|sr|vs|etc|e\.g|i\.e|a\.m|p\.m|no|approx))\.$", re.I
)
_BREAK = re.compile(r"([.!?…]+[\"')\]]*(?=\s|$)|[。！？!?…]+|[;；\n]+|\.(?=[\u4e00-\u9fff]))")


_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3\U000e0020-\U000e007f]+")
_NUMBERED = re.compile(r"(?:^|(?<=\s))\d{1,2}[.)、]\s{1,9}(?=\D)", re.M)
_OWN = re.compile(
    r"\W*(?:(?:你好|您好|嗨|哈喽)[\s,，!！]{0,9})?(?:(?:the|one of the) user\b|(?:I|I'm|I've|my|we|we're|our|actually,? (?:I|my|we))\b(?!\s{0,9}[的是在有叫]))",
    re.I,
)


def tongue(text: str, default: Lang = "en") -> Lang:
    """The language whose rules read a sentence: `I work at 腾讯` is English with a Chinese name in it."""
    return "en" if _OWN.match(text) else language_of(text, default)


def word_set(words: str) -> frozenset[str]:
    """The words of a table, written with spaces between them."""
    return frozenset(words.split())


def clean(text: str) -> str:
    """Plain text with straight quotes, without code, quoted lines and what others are quoted as saying."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in {"Cc", "Cs", "Cf"} or c == "\u200d")
    text = _CODE.sub(" ", text)
    text = _QUOTED_LINE.sub(" ", text).translate(_QUOTES)
    text = _EMOJI.sub(" ", text)
    if len(_NUMBERED.findall(text)) > 1:
        text = _NUMBERED.sub("\n", text)
    return re.sub(r"[ \t]{1,9}", " ", _QUOTE.sub(lambda m: _unquote(text, m), text)).strip()


def _unquote(text: str, m: re.Match[str]) -> str:
    """A quoted name keeps its words; quoted speech and long quotations go."""
    inner = m[1] or m[2] or m[3] or ""
    short = len(inner.split()) <= 4 and len(inner) <= 40
    if not short or _SPEECH.search(text, max(0, m.start() - 80), m.start()):
        return " … "
    return f" {inner} " if not CJK.search(inner) else inner


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as written, without its final mark."""

    text: str
    mark: str  # "?", "!", "." or ""


def sentences(text: str) -> list[Sentence]:
    """Sentences of a cleaned text; decimals, initials and common abbreviations do not end one."""
    out: list[Sentence] = []
    start = 0
    for m in _BREAK.finditer(text):
        head = text[start : m.end()]
        if m[0] == "." and _ABBREVIATION.search(head[-8:]) and text[m.end() : m.end() + 2].strip():
            continue
        body = text[start : m.start()].strip(" ,，、-–—*•\t")
        start = m.end()
        if body:
            mark = "?" if re.search(r"[?？]", m[0]) else "!" if re.search(r"[!！]", m[0]) else "."
            out.append(Sentence(body, mark))
    if rest := text[start:].strip(" ,，、-–—*•\t"):
        out.append(Sentence(rest, ""))
    return out


_ARTICLE = re.compile(r"^(?:a|an|the|my|some|any|all|our|his|her|their)\s{1,9}", re.I)
_WORD = re.compile(r"[a-z0-9][a-z0-9'+#.-]*[a-z0-9+#]|[a-z0-9]|[\u00c0-\u024f\w]+", re.I)


def stem(word: str) -> str:
    """A light English stem: enough to make `dogs`/`dog` and `hiking`/`hike` meet."""
    w = word.lower().removesuffix("'s")
    if len(w) > 4 and w.endswith("ies"):
        return w[:-3] + "y"
    for end in ("ing", "ed"):
        if len(w) > len(end) + 2 and w.endswith(end):
            w = w[: -len(end)]
            w = w[:-1] if len(w) > 3 and w[-1] == w[-2] and w[-1] not in "ls" else w
            return w.removesuffix("e")
    if len(w) > 3 and w.endswith("es") and w[-3] in "sxzho":
        w = w[:-2]
    elif len(w) > 3 and w.endswith("s") and not w.endswith(("ss", "us", "is")):
        w = w[:-1]
    return w.removesuffix("e") if len(w) > 3 else w


def key(value: str) -> str:
    """What two ways of writing the same value have in common."""
    value = simplified(unicodedata.normalize("NFKC", value)).casefold().strip(" .,!?;:，。！？；、~～\"'")
    value = bilingual.thing(_ARTICLE.sub("", value)).casefold() or value
    if CJK.search(value):
        return re.sub(r"^(?:一[个只条辆部台只把]|这个|那个|所有的?|各种)|[\s的了呢啊呀哦]{1,9}$|\s{1,9}", "", value)
    value = _ARTICLE.sub("", value)
    return " ".join(stem(w) for w in value.split())


def words(text: str) -> set[str]:
    """Stems of Latin words and two-character pieces of Chinese runs (single ones where a run is short)."""
    text = simplified(text.casefold())
    out = {stem(w) for w in _WORD.findall(re.sub(CJK, " ", text))}
    for run in re.findall(rf"(?:{CJK.pattern})+", text):
        out.update([run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
    return out


def meant(text: str) -> set[str]:
    """What a text speaks of, the same in both languages where the words are everyday ones."""
    return {*bilingual.things(simplified(text)), *words(bilingual.unknown(simplified(text)))}


def pick(options: Sequence[T], *seed: object) -> T:
    """One of `options`, always the same for the same seed."""
    return options[zlib.crc32("\x1f".join(map(str, seed)).encode("utf-8", "replace")) % len(options)]
