# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be
# read
"""Find secrets in what people say, and take them out."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memory.models import Lang, detect_language
from memory.privacy.rules import HARMLESS, SHAPES, SecretKind, find_labelled_values
from memory.text.clean import split_pieces

_NAMES: Final[dict[SecretKind, tuple[str, str]]] = {
    "password": ("password", "密码"),
    "api_key": ("API key", "API 密钥"),
    "private_key": ("private key", "私钥"),
    "card_number": ("card number", "银行卡号"),
    "bank_account": ("bank account", "银行账号"),
    "id_number": ("ID number", "身份证号"),
    "pin": ("PIN", "PIN 码"),
    "code": ("code", "验证码"),
    "recovery_phrase": ("recovery phrase", "助记词"),
}


_EN: Final[Lang] = "en"
_ZH: Final[Lang] = "zh"


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A secret in a text: what sort, the secret itself, and where it stands (`text[start:end]`)."""

    kind: SecretKind
    value: str
    start: int
    end: int


_INVISIBLE: Final = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """The text as rules read it, and where each of its characters stands: full-width as plain, nothing invisible."""
    folded = _OPEN.sub(lambda m: "\ue000" * len(m[0]), text).translate(_FULL_WIDTH)
    if not _INVISIBLE.search(folded):
        return folded, range(len(text) + 1)
    places = [i for i, c in enumerate(folded) if not _INVISIBLE.match(c)]
    return _INVISIBLE.sub("", folded), [*places, len(text)]


def _name(kind: SecretKind, lang: Lang) -> str:
    return _NAMES[kind][lang == "zh"]


def _placeholder(kind: SecretKind, lang: Lang) -> str:
    return f"[机密：{_name(kind, lang)}]" if lang == "zh" else f"[secret: {_name(kind, lang)}]"


# What is no secret and must not be read across: placeholders of an earlier redaction, and keys
# meant for everybody.
_OPEN: Final = re.compile(
    "|".join(re.escape(_placeholder(kind, lang)) for kind in _NAMES for lang in (_EN, _ZH))
    + r"|-----BEGIN (?:[A-Z]{1,12} ){0,3}(?:PUBLIC KEY|CERTIFICATE)-----[^-]{0,16000}"
)
_FULL_WIDTH: Final = {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)}
# A mark with more signs right behind it ends no password: a?b!c。d9Q. Too much taken out is better
# than too little.
_RUNS_ON: Final = re.compile(r"(?:[。；！？、…][!-~]{2,40})?")


def _spans(plain: str) -> Iterator[tuple[SecretKind, int, int]]:
    for rule in SHAPES:
        for m in rule.pattern.finditer(plain):
            if rule.bare and HARMLESS.search(plain, max(0, m.start("v") - 48), m.start("v")):
                continue
            if rule.check(m["v"]):
                yield rule.kind, *m.span("v")
    yield from find_labelled_values(plain)


def _find(text: str) -> list[SecretFinding]:
    found: list[SecretFinding] = []
    for offset, piece in split_pieces(text):
        for f in _find_in(piece):
            start, end = f.start + offset, f.end + offset
            while (
                found and found[-1].end > start
            ):  # cut by the end of the piece before, or found there as well
                last = found.pop()
                start, end = min(start, last.start), max(end, last.end)
            found.append(SecretFinding(f.kind, text[start:end], start, end))
    return found


def _find_in(text: str) -> list[SecretFinding]:
    plain, places = _plain(text)
    found: list[SecretFinding] = []
    for kind, start, end in _spans(plain):
        if kind == "password":
            end += len(_RUNS_ON.findall(plain, end, end + 42)[0])  # noqa: PLW2901 - a password goes on
        if "\ue000" in plain[start:end]:
            continue
        first, last = places[start], places[end - 1] + 1
        if not any(first < f.end and f.start < last for f in found):
            found.append(SecretFinding(kind, text[first:last], first, last))
    return sorted(found, key=lambda f: f.start)


def redact(text: str, spared: Container[str] = ()) -> tuple[str, tuple[SecretFinding, ...]]:
    """The text with `[secret: password]` or `[机密：密码]` in place of each secret, and what was found,
    in order.

    Without a secret the text comes back as it is and the tuple is empty. Redacting twice changes
    nothing more. `spared` values are none: their owner said so.
    """
    found = [f for f in _find(text) if f.value not in spared]
    if not found:
        return text, ()
    lang = detect_language(text)
    out: list[str] = []
    at = 0
    for f in found:
        out += [text[at : f.start], _placeholder(f.kind, lang)]
        at = f.end
    return "".join([*out, text[at:]]), tuple(found)


def mask_values(text: str, values: Iterable[str]) -> str:
    """The text with dots in place of these values, wherever they stand by themselves."""
    for v in values:
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(v)}(?![A-Za-z0-9])", "•••", text)
    return text


_LABEL_EN = re.compile(
    r"(?:^|\b(?:my|our|the|that|this|his|her|their|your)\s{1,3}|[,.;:!?\n]\s{0,3})(?P<l>[^,.;:!?\n]{2,60}?)\s{0,3}(?:\bis\b|\bwas\b|=|:|[’']s\b).{0,12}$",
    re.I | re.S,
)
_LABEL_ZH = re.compile(
    r"(?:^|[，。；：！？,.;!?\n])\s{0,3}(?:请|帮我)?(?:记住|记一下|记得|记下)?[：:，, ]{0,3}(?P<l>[^，。；：！？,.;:!?\n]{2,24}?)\s{0,3}(?:就是|是|为|=|:|：).{0,6}$",
    re.S,
)
_LEAD = re.compile(
    r"^(?:please\s{1,9})?(?:(?:remember|note|save|keep in mind)\b[\s,:]{0,9}(?:that\s{1,9})?)?(?:(?:my|our|the|an?)\s{1,9})?",
    re.I,
)
_LEAD_ZH = re.compile(r"^(?:请|帮我)*(?:记住|记一下|记得|记下)?\s{0,9}(?:我的|咱们的|我们的)?")


def make_secret_label(text: str) -> str:
    """A name for the first secret in `text` that gives nothing of it away: "home Wi-Fi password", 我家Wi-Fi密码."""
    found = _find(text)
    lang = detect_language(text)
    if not found:
        return _name("password", lang)
    first = found[0]
    generic = _name(first.kind, lang)
    before = text[max(0, first.start - 200) : first.start].rstrip("\"'“‘「『` ")
    m = (_LABEL_ZH if lang == "zh" else _LABEL_EN).search(before)
    lead = _LEAD_ZH if lang == "zh" else _LEAD
    label = lead.sub("", m["l"].strip(), count=1).strip() if m else ""
    parts = {
        p.casefold() for f in found for p in (f.value, *re.split(r"\W+", f.value)) if len(p) >= 3
    }
    if len(label) < 2 or redact(label)[1] or any(p in label.casefold() for p in parts):
        return generic
    return label
