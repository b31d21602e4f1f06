"""Find secrets in what people say, and take them out."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from memory.models import Lang, detect_language
from memory.privacy.rules import HARMLESS, SHAPES, SecretKind, find_labelled_values
from memory.text.clean import split_pieces
from memory.text.languages import LANGUAGES, value


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A secret in a text: what sort, the secret itself, and where it stands (`text[start:end]`)."""

    kind: SecretKind
    value: str
    start: int
    end: int


def _name(kind: SecretKind, lang: Lang) -> str:
    return str(value(lang, "secrets", "KINDS")[kind])


def _make_placeholder(kind: SecretKind, lang: Lang) -> str:
    return str(value(lang, "secrets", "PLACEHOLDER")).format(_name(kind, lang))


_INVISIBLE: Final = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
# What is no secret and must not be read across: placeholders of an earlier redaction, and keys
# meant for everybody.
_OPEN: Final = re.compile(
    "|".join(
        re.escape(_make_placeholder(kind, lang))
        for kind in get_args(SecretKind)
        for lang in LANGUAGES
    )
    + r"|-----BEGIN (?:[A-Z]{1,12} ){0,3}(?:PUBLIC KEY|CERTIFICATE)-----[^-]{0,16000}"
)
_TAKEN: Final = "\ue000"  # stands for each of their characters
_FULL_WIDTH: Final = {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)}
_ENDS: Final = {ord(c): "。" for c in "！？～"}  # 真棒！Burnaby holds no sign of a password
# A mark with more signs right behind it ends no password: a?b!c。d9Q. Too much taken out is better
# than too little.
_RUNS_ON: Final = re.compile(r"(?:[。；！？、…][!-~]{2,40})?")


def _fold(text: str) -> tuple[str, Sequence[int]]:
    """Return the text without full width and invisible signs, and where each character stood."""
    folded = _OPEN.sub(lambda m: _TAKEN * len(m[0]), text).translate(_FULL_WIDTH)
    if not _INVISIBLE.search(folded):
        return folded, range(len(text) + 1)
    places = [i for i, c in enumerate(folded) if not _INVISIBLE.match(c)]
    return _INVISIBLE.sub("", folded), [*places, len(text)]


def _find_spans(plain: str, ended: str) -> Iterator[tuple[SecretKind, int, int]]:
    """Yield what secrets are found; `ended` has full-width marks as ends of sentences."""
    for rule in SHAPES:
        for m in rule.pattern.finditer(ended if rule.bare else plain):
            start, end = m.span("v")
            harmless = rule.bare and HARMLESS.search(plain, max(0, start - 48), start)
            if not harmless and rule.accepts(m["v"]):
                yield rule.kind, start, end
    yield from find_labelled_values(plain)


def _find(text: str) -> list[SecretFinding]:
    found: list[SecretFinding] = []
    for offset, piece in split_pieces(text):
        for f in _find_in_piece(piece):
            start, end = f.start + offset, f.end + offset
            while found and found[-1].end > start:  # cut by the piece before, or found there too
                last = found.pop()
                start, end = min(start, last.start), max(end, last.end)
            found.append(SecretFinding(f.kind, text[start:end], start, end))
    return found


def _find_in_piece(text: str) -> list[SecretFinding]:
    plain, places = _fold(text)
    found: list[SecretFinding] = []
    for kind, start, end in _find_spans(plain, _fold(text.translate(_ENDS))[0]):
        if kind == "password":
            end += len(_RUNS_ON.findall(plain, end, end + 42)[0])  # noqa: PLW2901 - it goes on
        first, last = places[start], places[end - 1] + 1
        taken = any(first < f.end and f.start < last for f in found)
        if not taken and _TAKEN not in plain[start:end]:
            found.append(SecretFinding(kind, text[first:last], first, last))
    return sorted(found, key=lambda f: f.start)


def redact(text: str, spared: Container[str] = ()) -> tuple[str, tuple[SecretFinding, ...]]:
    """Return the text with `[secret: password]` for each secret, and what was found, in order.

    Without a secret the text comes back as it is and the tuple is empty. Redacting twice changes
    nothing more. `spared` values are none: their owner said so.
    """
    found = tuple(f for f in _find(text) if f.value not in spared)
    lang, out = detect_language(text) if found else "", text
    for f in reversed(found):
        out = out[: f.start] + _make_placeholder(f.kind, lang) + out[f.end :]
    return out, found


def mask_values(text: str, values: Iterable[str]) -> str:
    """Return the text with dots in place of these values, wherever they stand by themselves."""
    for v in values:
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(v)}(?![A-Za-z0-9])", "•••", text)
    return text


def make_secret_label(text: str) -> str:
    """Name the first secret in a text, giving nothing of it away: "home Wi-Fi password"."""
    found, lang = _find(text), detect_language(text)
    if not found:
        return _name("password", lang)
    first = found[0]
    before = text[max(0, first.start - 200) : first.start].rstrip("\"'“‘「『` ")
    named = re.search(value(lang, "secrets", "NAMED"), before, re.I | re.S)
    lead = f"^(?:{value(lang, 'secrets', 'LEAD')})"
    label = re.sub(lead, "", named["l"].strip(), flags=re.I).strip() if named else ""
    parts = {
        p.casefold() for f in found for p in (f.value, *re.split(r"\W+", f.value)) if len(p) >= 3
    }
    told = redact(label)[1] or any(p in label.casefold() for p in parts)
    return _name(first.kind, lang) if told or len(label) < 2 else label
