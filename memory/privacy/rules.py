"""Which shapes and named values are secrets: what `redact` goes through, most certain first.

Shapes stand alone: keys with known prefixes, credentials in addresses, numbers with check digits.
All else needs a label ("password", 验证码) and a value that fits it, right behind it or linked to
it by "is", 是, "=" and the like. The patterns are in `secrets.toml`, the words in each language's
`secrets`; every repeat is bounded, so that the time is linear in the text. Checks have the last
word on a value; python-stdnum is loaded with the first check digit.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, cast

from memory.text.languages import LANGUAGES, either, joined, values, words_of

SecretKind = Literal[
    "password",
    "api_key",
    "private_key",
    "card_number",
    "bank_account",
    "id_number",
    "pin",
    "code",
    "recovery_phrase",
]

_PLAIN, _NO_VALUE, _IN_PHRASES, _STARTS = (
    frozenset(words_of("secrets", name))
    for name in ("PLAIN", "NO_VALUE", "IN_PHRASES", "PHRASE_STARTS")
)
_CARD: Final = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|3[47]\d{13}|(?:6[0245]|81)\d{14,17}|(?:3[689]\d|30[0-5])\d{11}"
)
_DATA: Final[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "secrets.toml").read_text(encoding="utf-8")
)


# --- checks of a value ---


def is_password(v: str) -> bool:
    """Find what follows "my password is": mixed, or one word that says nothing of passwords."""
    w = v.casefold().rstrip("!?.,;:'\"")
    if not CHECKS["real"](v):
        return False
    if not w.isalpha():
        return any(map(str.isalnum, v)) and not w.startswith(("http:", "https:"))
    return w not in _NO_VALUE | _PLAIN and not w.endswith(("ed", "ing"))


def is_phrase(v: str) -> bool:
    """Tell a phrase of words from a sentence."""
    return not (_PLAIN | _NO_VALUE - _IN_PHRASES) & set(re.split(r"[ -]", v.casefold()))


def is_spoken_phrase(v: str) -> bool:
    """Tell a phrase from a sentence by its first word alone."""
    first = v.casefold().split()[0]
    return first in _STARTS or is_phrase(first)


def is_seed(v: str) -> bool:
    """Tell the words of a seed from a sentence."""
    words = re.findall("[a-z]+", v)
    return sum(w in _PLAIN for w in words) <= len(words) // 4


def has_no_plain_word(v: str) -> bool:
    """Find words none of which a sentence hangs on."""
    return _PLAIN.isdisjoint(re.findall(r"[^\W\d]+", v.casefold()))


def is_token(v: str) -> bool:
    """Find capitals, small letters and digits that change often: drawn by a machine."""
    from stdnum import bitcoin

    sorts = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in v]
    changes = sum(a != b for a, b in itertools.pairwise(sorts))
    drawn = len(set(sorts)) == 3 and sorts.count("d") >= 3 and changes >= 0.3 * len(v)
    return drawn and not v.startswith("AAAA") and not bitcoin.is_valid(v)


def is_card_number(v: str) -> bool:
    """Find the length and the beginning of a network's cards, and a right check digit."""
    from stdnum import luhn

    digits = re.sub(r"\D", "", v)
    return bool(_CARD.fullmatch(digits)) and luhn.is_valid(digits)


def is_iban(v: str) -> bool:
    """Find a bank account of any country by ISO 13616's remainder, not each bank's own rules."""
    from stdnum import iban

    return bool(iban.is_valid(v, check_country=False))


def is_chinese_id(v: str) -> bool:
    """Find 17 digits with a birth date among them, and the check character."""
    from stdnum.cn import ric
    from stdnum.exceptions import ValidationError

    text = re.sub(r"[ -]", "", v)
    try:
        ric.get_birth_date(text)
    except ValidationError:
        return False
    return bool(ric.calc_check_digit(text) == text[-1].upper())


def is_ssn(v: str) -> bool:
    """Find a social security number that can have been given to somebody."""
    from stdnum.us import ssn

    return bool(ssn.is_valid(v))


def _fill(pattern: str) -> str:
    """Put in the parts, and the words of all languages, that a pattern names."""
    parts = _DATA["parts"]
    return re.sub(
        r"\{([A-Z_]+)\}",
        lambda m: _fill(parts[m[1]]) if m[1] in parts else joined("secrets", m[1]),
        pattern,
    )


def _build_check(row: dict[str, list[str]]) -> Callable[[str], bool]:
    found, absent = ([re.compile(_fill(p), re.S) for p in row.get(k, ())] for k in ("is", "not"))
    every, either_of = row.get("all", ()), row.get("any", ())

    def check(v: str) -> bool:
        return (
            all(CHECKS[name](v) for name in every)
            and (not either_of or any(CHECKS[name](v) for name in either_of))
            and all(p.search(v) for p in found)
            and not any(p.search(v) for p in absent)
        )

    return check


CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "": lambda _: True,
    **{name: _build_check(row) for name, row in _DATA["checks"].items()},
    **{
        check.__name__: check
        for check in (
            is_password,
            is_phrase,
            is_spoken_phrase,
            is_seed,
            has_no_plain_word,
            is_token,
            is_card_number,
            is_iban,
            is_chinese_id,
            is_ssn,
        )
    },
}


# --- the rules ---


class SecretRule(NamedTuple):
    """A pattern whose group `v` is the secret, and what has the last word on it.

    A `bare` one has no label of its own; `gaps` name what may stand between a label and the value.
    """

    pattern: re.Pattern[str]
    check: Callable[[str], bool]
    least: int
    kind: SecretKind
    bare: bool
    gaps: tuple[str, ...]

    def accepts(self, v: str) -> bool:
        """Tell whether the value is one."""
        return len(v) >= self.least and self.check(v)


def _build_rule(row: dict[str, Any], flags: int) -> SecretRule:
    return SecretRule(
        re.compile(_fill(row["pattern"]), flags),
        CHECKS[row.get("check", "")],
        row.get("least", 0),
        row.get("kind", "password"),
        row.get("bare", False),
        tuple(row.get("gaps", ("",))),
    )


def _build_shapes() -> list[SecretRule]:
    rows = list(_DATA["shapes"])
    for name, kind, check in (("TELL", "password", "simple"), ("USE", "code", "")):
        for lang, pattern in values("secrets", name).items():
            front = "{BEGINS}" if LANGUAGES[lang].spaced else ""
            rows.append({"kind": kind, "pattern": f"(?i:{front}{pattern})", "check": check})
    return [_build_rule(row, re.ASCII) for row in rows]


def _build_labels() -> list[re.Pattern[str]]:
    """Return one pattern a language, whose group is the sort of label."""
    out = []
    for lang, labels in values("secrets", "LABELS").items():
        pattern = "|".join(f"(?P<{name}>{p})" for name, p in labels.items())
        spaced = LANGUAGES[lang].spaced
        form = _fill("{BEGINS}(?:%s){ENDS}") if spaced else "(?:%s)"
        out.append(re.compile(form.replace("%s", pattern), re.I if spaced else 0))
    return out


def _expand(names: list[str]) -> Iterator[str]:
    for name in names:
        yield from _DATA["sets"].get(name, [name])


SHAPES: Final = _build_shapes()
_LABELS: Final = _build_labels()
_RULES: Final = {name: _build_rule(row, re.I) for name, row in _DATA["values"].items()}
VALUES: Final[dict[str, tuple[SecretKind, list[SecretRule]]]] = {
    label: (cast("SecretKind", kind), [_RULES[name] for name in _expand(names)])
    for label, (kind, *names) in _DATA["labels"].items()
}
_GAPS: Final = {"": re.compile("")} | {
    name: re.compile(_fill(p), re.I) for name, p in _DATA["gaps"].items()
}
_PUBLIC: Final = re.compile(f"(?:{joined('secrets', 'PUBLIC', _fill('{BEGINS}') + '{}')})$", re.I)
_BEFORE: Final = re.compile(
    rf"(?<![!-~])(?P<v>[!-~]{{4,64}}?)\s{{0,2}}(?:{joined('secrets', 'AS_LABEL')})$", re.I
)
_HARMLESS: Final = joined(
    "secrets", "HARMLESS", r"(?<![A-Za-z]){}[^\d\n]{{0,24}}", r"{}[^\d\n]{{0,12}}"
)
HARMLESS: Final = re.compile(f"(?:{_HARMLESS})$", re.I)
"""Right before a shape that has no label of its own, these say what it is."""
_INK: Final = "".join(map(chr, range(33, 127)))
_AHEAD, _BACK = 200, 60


def find_labelled_values(text: str) -> Iterator[tuple[SecretKind, int, int]]:
    """Yield each value that a label names: its kind and where it stands."""
    for m in itertools.chain.from_iterable(labels.finditer(text) for labels in _LABELS):
        start, end = m.span()
        label = m.lastgroup or ""
        public = _PUBLIC.search(text, max(0, start - 16), start)
        if public and m[0][:4].casefold() != "pass":
            continue
        kind, rules = VALUES[label]
        before = _BEFORE.search(text, max(0, start - _BACK), start)
        if before and _stands_before(before["v"], label):
            yield kind, *before.span("v")
            continue
        ahead = text[end : end + _AHEAD]
        changed = label != "spot" and either("secrets", "CHANGED_TO").match(ahead)
        if changed and either("secrets", "CHANGE").search(text[:start][-40:]):
            ahead = "=".center(changed.end()) + ahead[changed.end() :]
        found = _find_value(rules, ahead)
        if found:
            at = end + found.end("v")
            rest = text[at : at + 4000] if found.end("v") == _AHEAD else ""  # it was cut
            yield kind, end + found.start("v"), at + len(rest) - len(rest.lstrip(_INK))


def _find_value(rules: list[SecretRule], ahead: str) -> re.Match[str] | None:
    gaps = {name: m.end() for name, gap in _GAPS.items() if (m := gap.match(ahead))}
    tries = ((rule, gaps[name]) for rule in rules for name in rule.gaps if name in gaps)
    found = ((rule, rule.pattern.match(ahead, at)) for rule, at in tries)
    return next((v for rule, v in found if v and rule.accepts(v["v"])), None)


def _stands_before(v: str, label: str) -> bool:
    """Tell whether a label's value stands before it: "Vx9#mQ is the password", 881204（验证码）."""
    mixed = CHECKS["mixed"](v) and re.search(r"\d|[!@#$%^&*]\w", v)
    return bool(mixed) or (v.isdigit() and label in {"password", "pin", "cvv", "code"})
