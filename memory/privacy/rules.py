"""Which shapes and named values are secrets: what `redact` goes through, most certain first.

Shapes stand alone: keys with known prefixes, credentials in addresses, numbers with check digits.
All else needs a label ("password", 验证码) and a value that fits it, right behind it or linked to
it by "is", 是, "=" and the like. The patterns are in `secrets.toml`, the words in each language's
`secrets`; every repeat is bounded, so that the time is linear in the text. The checks have the last
word on a value; python-stdnum is loaded with the first check digit.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator
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

_STAND_IN: Final = re.compile(
    r"[\W_]*$|[$<{%]|\(|(?:your|my|the|some|x{3}|\*{3})|"
    r"(?:null|none|true|false|pass(?:word)?|pwd|user|secret|token)$|密码|密钥",
    re.I,
)
_PROGRAM: Final = re.compile(
    r"(?:os|process|self|env)\.|"
    r"[A-Za-z_]{1,40}(?:\[|\((?!.{0,8}\d)|\.[A-Za-z_]{1,40}(?:[\s(\[)\]},;.]|$))",
    re.I,
)
_OTHER_SHAPE: Final = re.compile(
    r"v?\d{1,4}[.:,]|i[A-Z]|https?:|www\.|[^@]{1,40}@|[^/]{0,40}/|[A-Z]{1,4}-?\d"
)
_NO_VALUE, _PLAIN, _IN_PHRASES, _STARTS = (
    frozenset(words_of("secrets", name))
    for name in ("NO_VALUE", "PLAIN", "IN_PHRASES", "PHRASE_STARTS")
)
_NO_END: Final = tuple(words_of("secrets", "NO_END"))


# --- checks of a value ---


def is_given(v: str) -> bool:
    """Tell a value from a stand-in: `YOUR_KEY`, `${KEY}`, `****`."""
    return not _STAND_IN.match(v)


def is_real(v: str) -> bool:
    """Tell a value from a stand-in and from a piece of a program."""
    return is_given(v) and not _PROGRAM.match(v)


def is_mixed(v: str) -> bool:
    """Find letters and digits, or a sign inside: nothing that one says by chance."""
    sign = has_digit(v) or any(c in "!@#$%^&*+_?~" for c in v[:-1])
    return len(v) >= 5 and any(map(str.isalpha, v)) and sign and is_real(v)


def is_shaped(v: str) -> bool:
    """Find three sorts of characters, in no shape that names, versions, models or amounts have."""
    sorts = sum(bool(re.search(sort, v)) for sort in ("[a-z]", "[A-Z]", r"\d", "[!#$%^&*?~+=]"))
    return 6 <= len(v) <= 40 and is_mixed(v) and sorts >= 3 and not _OTHER_SHAPE.match(v)


def is_strong(v: str) -> bool:
    """Find a shape of four sorts, a sign among them."""
    sign = re.search(r"[!#$%^~][A-Za-z0-9]", v) and not re.fullmatch(r"\w+#\d{3,}", v)
    return is_shaped(v) and bool(sign) and not v.isupper()


def is_simple(v: str) -> bool:
    """Find a shape, or small letters with digits behind them."""
    return is_shaped(v) or (is_mixed(v) and bool(re.fullmatch(r"[a-z]{2,30}[\d_.!-]{1,8}", v)))


def is_simple_lower(v: str) -> bool:
    """Find small letters with digits behind them."""
    return v.islower() and is_simple(v)


def is_simple_number(v: str) -> bool:
    """Find a simple value that ends in a digit."""
    return is_simple(v) and v[-1].isdigit()


def is_long_mixed(v: str) -> bool:
    """Find eight mixed characters with a digit among them."""
    return len(v) >= 8 and is_mixed(v) and has_digit(v)


def is_prefixed_key(v: str) -> bool:
    """Tell a key behind its prefix from a word or a stand-in."""
    return (len(v) >= 24 or has_digit(v)) and len(set(v[-14:])) > 2 and is_given(v)


def is_product_key(v: str) -> bool:
    """Find groups with letters and digits, or a long recovery key."""
    return is_mixed(v) or len(v) > 50


def is_grouped_key(v: str) -> bool:
    """Find groups of which more than one has a digit."""
    return len(re.findall(r"(?=\w{0,3}\d)\b\w", v)) > 1 and is_mixed(v)


def is_token(v: str) -> bool:
    """Find capitals, small letters and digits that change often: drawn by a machine."""
    from stdnum import bitcoin

    sorts = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in v]
    changes = sum(a != b for a, b in itertools.pairwise(sorts))
    drawn = len(set(sorts)) == 3 and sorts.count("d") >= 3 and changes >= 0.3 * len(v)
    return drawn and not v.startswith("AAAA") and not bitcoin.is_valid(v)


def is_password(v: str) -> bool:
    """Find what follows "my password is": mixed, or one word that says nothing of passwords."""
    w = v.casefold().rstrip("!?.,;:'\"")
    if has_digit(w) or not w.isalpha():
        return is_real(v) and any(map(str.isalnum, v)) and not w.startswith(("http:", "https:"))
    return w not in _NO_VALUE | _PLAIN and not w.endswith(("ed", "ing")) and is_real(v)


def is_written_password(v: str) -> bool:
    """Find a password that is no plain word, unless it is in capitals."""
    return is_password(v) and (not v.isalpha() or (v.isupper() and len(v) > 5))


def is_phrase(v: str) -> bool:
    """Tell a phrase of words from a sentence."""
    return not (_PLAIN | _NO_VALUE - _IN_PHRASES) & set(re.split(r"[ -]", v.casefold()))


def is_spoken_phrase(v: str) -> bool:
    """Tell a phrase from a sentence by its first word alone."""
    first = v.casefold().split()[0]
    return first in _STARTS or is_phrase(first)


def is_unspaced_value(v: str) -> bool:
    """Tell a value from what a sentence goes on with, in a language without spaces."""
    return not either("secrets", "NO_VALUE_BEGINS").match(v) and not v.endswith(_NO_END)


def is_unspaced_with_digit(v: str) -> bool:
    """Find such a value with a digit in it."""
    return has_digit(v) and is_unspaced_value(v)


def is_quoted(v: str) -> bool:
    """Find a real value in quotation marks."""
    return is_real(v) and is_unspaced_value(v)


def has_digit(v: str) -> bool:
    """Tell whether a digit is in it."""
    return any(map(str.isdigit, v))


def _keep_digits(v: str) -> str:
    return re.sub(r"\D", "", v)


def has_some_digits(v: str) -> bool:
    """Find three digits, or none at all."""
    return sum(map(str.isdigit, v)) >= 3 or not has_digit(v)


def has_five_digits(v: str) -> bool:
    """Find five digits."""
    return len(_keep_digits(v)) >= 5


def is_mixed_or_number(v: str) -> bool:
    """Find mixed characters, or hardly anything but four digits and more."""
    return is_mixed(v) or len(_keep_digits(v)) >= max(4, len(v) - 1)


def is_number(v: str) -> bool:
    """Find digits that are no year, no small number and no telephone number."""
    return has_some_digits(v) and not re.fullmatch(r"(?:19|20)\d\d|\d{1,3}|1[3-9]\d{9}", v)


def is_dialled(v: str) -> bool:
    """Find such a number without letters."""
    return is_number(v) and not re.search("[A-Za-z]", v)


def is_grant(v: str) -> bool:
    """Find four or sixteen characters, or any with a digit."""
    return len(v) in {4, 16} or not v.isalpha()


def is_listed(v: str) -> bool:
    """Find a list in which every entry has a digit."""
    return all(map(has_digit, re.split(r"[\s,，、]{1,9}", v)))


def is_seed(v: str) -> bool:
    """Tell the words of a seed from a sentence."""
    words = re.findall("[a-z]+", v)
    return sum(w in _PLAIN for w in words) <= len(words) // 4


def has_no_plain_word(v: str) -> bool:
    """Find words none of which a sentence hangs on."""
    return not _PLAIN & set(re.findall(r"[^\W\d]+", v.casefold()))


def is_card_number(v: str) -> bool:
    """Find the length and the beginning of a network's cards, and a right check digit."""
    from stdnum import luhn

    digits = _keep_digits(v)
    n, four, two = len(digits), int(digits[:4]), int(digits[:2])
    return luhn.is_valid(digits) and (
        (digits[0] == "4" and n in {13, 16, 19})
        or (n == 16 and (51 <= two <= 55 or 2221 <= four <= 2720 or 3528 <= four <= 3589))
        or (n == 15 and two in {34, 37})
        or (16 <= n <= 19 and two in {62, 60, 64, 65, 81})
        or (n == 14 and (two in {36, 38, 39} or 300 <= four // 10 <= 305))
    )


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


# --- the rules ---


class SecretRule(NamedTuple):
    """A pattern whose group `v` is the secret, and what has the last word on it.

    A `bare` one has no label of its own; `gaps` name what may stand between a label and the value.
    """

    pattern: re.Pattern[str]
    check: str
    least: int
    kind: SecretKind
    bare: bool
    gaps: tuple[str, ...]

    def accepts(self, v: str) -> bool:
        """Tell whether the value is one."""
        return len(v) >= self.least and (not self.check or bool(globals()[self.check](v)))


_DATA: Final[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "secrets.toml").read_text(encoding="utf-8")
)


def _fill(pattern: str) -> str:
    """Put in the parts, and the words of all languages, that a pattern names."""
    parts = _DATA["parts"]
    return re.sub(
        r"\{([A-Z_]+)\}",
        lambda m: _fill(parts[m[1]]) if m[1] in parts else joined("secrets", m[1]),
        pattern,
    )


def _build_rule(row: dict[str, Any], flags: int) -> SecretRule:
    return SecretRule(
        re.compile(_fill(row["pattern"]), flags),
        row.get("check", ""),
        row.get("least", 0),
        row.get("kind", "password"),
        row.get("bare", False),
        tuple(row.get("gaps", ("",))),
    )


def _build_shapes() -> list[SecretRule]:
    rows = list(_DATA["shapes"])
    for name, kind, check in (("TELL", "password", "is_simple"), ("USE", "code", "")):
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
    mixed = is_mixed(v) and re.search(r"\d|[!@#$%^&*]\w", v)
    return bool(mixed) or (v.isdigit() and label in {"password", "pin", "cvv", "code"})
