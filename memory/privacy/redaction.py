# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""Find secrets in what people say, and take them out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from memory.models import Lang, language_of
from memory.privacy.rules import NOT_A_CARD, RULES, SecretKind
from memory.text.pieces import split_pieces

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
class Finding:
    """A secret in a text: what sort, the secret itself, and where it stands (`text[start:end]`)."""

    kind: SecretKind
    value: str
    start: int
    end: int


# Full-width digits and letters read as their plain forms; one character for one, so that places stay.
_PLAIN: Final = {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)}


def _name(kind: SecretKind, lang: Lang) -> str:
    return _NAMES[kind][lang == "zh"]


def _placeholder(kind: SecretKind, lang: Lang) -> str:
    return f"[机密：{_name(kind, lang)}]" if lang == "zh" else f"[secret: {_name(kind, lang)}]"


_TAKEN_OUT: Final = re.compile(
    "|".join(re.escape(_placeholder(kind, lang)) for kind in _NAMES for lang in (_EN, _ZH))
)


# A mark with more signs right behind it ends no password: a?b!c。d9Q. Too much taken out is better than too little.
_RUNS_ON: Final = re.compile(r"(?:[。；！？、…][!-~]{2,40})?")


def _find(text: str) -> list[Finding]:
    found: list[Finding] = []
    for offset, piece in split_pieces(text):
        for f in _find_in(piece):
            start, end = f.start + offset, f.end + offset
            while found and found[-1].end > start:  # cut by the end of the piece before, or found there as well
                last = found.pop()
                start, end = min(start, last.start), max(end, last.end)
            found.append(Finding(f.kind, text[start:end], start, end))
    return found


def _find_in(text: str) -> list[Finding]:
    # Placeholders of an earlier redaction are no secrets, and nothing may be read across them.
    plain = _TAKEN_OUT.sub(lambda m: "\ue000" * len(m[0]), text).translate(_PLAIN)
    found: list[Finding] = []
    for rule in RULES:
        for m in rule.pattern.finditer(plain):
            group = "q" if "q" in rule.pattern.groupindex and m["q"] is not None else "v"
            start, end = m.span(group)
            if rule.kind == "password" and group == "v":
                end += len(_RUNS_ON.findall(plain, end, end + 42)[0])
            value = plain[start:end]
            if "\ue000" in value or any(start < f.end and f.start < end for f in found):
                continue
            if group == "v" and not rule.check(value):
                continue
            if rule.kind == "card_number" and NOT_A_CARD.search(plain[:start]):
                continue
            found.append(Finding(rule.kind, text[start:end], start, end))
    return sorted(found, key=lambda f: f.start)


def redact(text: str) -> tuple[str, tuple[Finding, ...]]:
    """The text with `[secret: password]` or `[机密：密码]` in place of each secret, and what was found, in order.

    Without a secret the text comes back as it is and the tuple is empty. Redacting twice changes nothing more.
    """
    found = _find(text)
    if not found:
        return text, ()
    lang = language_of(text)
    out: list[str] = []
    at = 0
    for f in found:
        out += [text[at : f.start], _placeholder(f.kind, lang)]
        at = f.end
    return "".join([*out, text[at:]]), tuple(found)


_LABEL_EN = re.compile(
    r"(?:^|.*?\b(?:my|our|the|that|this|his|her|their|your)\s+|.*[,.;:!?\n]\s*)(?P<l>[^,.;:!?\n]{2,60}?)\s*(?:\bis\b|\bwas\b|=|:|[’']s\b).{0,12}$",
    re.I | re.S,
)
_LABEL_ZH = re.compile(
    r"(?:^|.*[，。；：！？,.;!?\n])\s*(?:请|帮我)?(?:记住|记一下|记得|记下)?[：:，, ]*(?P<l>[^，。；：！？,.;:!?\n]{2,24}?)\s*(?:就是|是|为|=|:|：).{0,6}$",
    re.S,
)
_LEAD = re.compile(
    r"^(?:please\s+)?(?:(?:remember|note|save|keep in mind)\b[\s,:]*(?:that\s+)?)?(?:(?:my|our|the|an?)\s+)?", re.I
)
_LEAD_ZH = re.compile(r"^(?:请|帮我)*(?:记住|记一下|记得|记下)?\s*(?:我的|咱们的|我们的)?")


def secret_label(text: str) -> str:
    """A name for the first secret in `text` that gives nothing of it away: "home Wi-Fi password", 我家Wi-Fi密码."""
    found = _find(text)
    lang = language_of(text)
    if not found:
        return _name("password", lang)
    first = found[0]
    generic = _name(first.kind, lang)
    before = text[: first.start].rstrip("\"'“‘「『` ")
    m = (_LABEL_ZH if lang == "zh" else _LABEL_EN).search(before)
    lead = _LEAD_ZH if lang == "zh" else _LEAD
    label = lead.sub("", m["l"].strip(), count=1).strip() if m else ""
    parts = {p.casefold() for f in found for p in (f.value, *re.split(r"\W+", f.value)) if len(p) >= 3}
    if len(label) < 2 or redact(label)[1] or any(p in label.casefold() for p in parts):
        return generic
    return label
