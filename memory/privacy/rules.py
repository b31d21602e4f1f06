# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be
# read
"""Which shapes and named values are secrets: what `redact` goes through, most certain first.

Shapes stand alone: keys with known prefixes, credentials in addresses, numbers with check digits.
All else needs a label ("password", 验证码) and a value that fits it, right behind it or linked to it
by "is", 是, "=" and the like. Every repeat is bounded, so that the time is linear in the text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple

from memory.privacy import checks
from memory.text.languages import section

en, zh = section("en", "secrets"), section("zh", "secrets")

# fmt: off
SecretKind = Literal["password", "api_key", "private_key", "card_number", "bank_account", "id_number", "pin", "code", "recovery_phrase"]
# fmt: on


class SecretRule(NamedTuple):
    """The secret is group `v`; `check` has the last word on it.

    A `bare` one has no label of its own.
    """

    kind: SecretKind
    pattern: re.Pattern[str]
    check: Callable[[str], bool]
    bare: bool = False


def _always(_: str) -> bool:
    return True


def _rule(
    kind: SecretKind, pattern: str, check: Callable[[str], bool] = _always, flags: int = 0
) -> SecretRule:
    return SecretRule(kind, re.compile(pattern, flags | re.ASCII), check)


def _bare(kind: SecretKind, pattern: str, check: Callable[[str], bool]) -> SecretRule:
    return SecretRule(kind, re.compile(pattern, re.ASCII), check, bare=True)


# --- what a value looks like ---

# fmt: off
_STAND_IN: Final = re.compile(r"[\W_]*$|[$<{%]|\(|(?:your|my|the|some|x{3}|\*{3})|(?:null|none|true|false|pass(?:word)?|pwd|user|secret|token)$|密码|密钥", re.I)
_PROGRAM: Final = re.compile(r"(?:os|process|self|env)\.|[A-Za-z_]{1,40}(?:\[|\((?!.{0,8}\d)|\.[A-Za-z_]{1,40}(?:[\s(\[)\]},;.]|$))", re.I)
_OTHER_SHAPE: Final = re.compile(r"v?\d{1,4}[.:,]|i[A-Z]|https?:|www\.|[^@]{1,40}@|[^/]{0,40}/|[A-Z]{1,4}-?\d")
_BEGINS, _ENDS = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9_#])"
_NO_VALUE, _PLAIN, _NO_END = frozenset(en.NO_VALUE.split()), frozenset(en.PLAIN.split()), tuple(zh.NO_END.split())
_NO_VALUE_ZH: Final = re.compile(zh.NO_VALUE)
# fmt: on


def _given(v: str) -> bool:
    """No stand-in: `YOUR_KEY`, `${KEY}`, `****`."""
    return not _STAND_IN.match(v)


def _real(v: str) -> bool:
    """Neither a stand-in nor a piece of a program."""
    return _given(v) and not _PROGRAM.match(v)


def _mixed(v: str) -> bool:
    """Letters and digits, or a sign inside: nothing that one says by chance."""
    digit, letter = any(c.isdigit() for c in v), any(c.isalpha() for c in v)
    return (
        len(v) >= 5 and letter and (digit or any(c in "!@#$%^&*+_?~" for c in v[:-1])) and _real(v)
    )


def _shaped(v: str) -> bool:
    """Of three sorts of characters at least, and in no shape that names, versions, models or amounts have."""
    sorts = sum(bool(re.search(sort, v)) for sort in ("[a-z]", "[A-Z]", r"\d", "[!#$%^&*?~+=]"))
    return 6 <= len(v) <= 40 and _mixed(v) and sorts >= 3 and not _OTHER_SHAPE.match(v)


def _simple(v: str) -> bool:
    return _shaped(v) or (_mixed(v) and bool(re.fullmatch(r"[a-z]{2,30}[\d_.!-]{1,8}", v)))


def _long_mixed(v: str) -> bool:
    return len(v) >= 8 and _mixed(v) and any(c.isdigit() for c in v)


def _token(v: str) -> bool:
    """Capitals, small letters and digits, changing often: drawn by a machine."""
    sorts = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in v]
    changes = sum(a != b for a, b in itertools.pairwise(sorts))
    return (
        len(set(sorts)) == 3
        and sorts.count("d") >= 3
        and changes >= 0.3 * len(v)
        and not v.startswith("AAAA")
        and not checks.is_bitcoin_address(v)
    )


def _digits(v: str) -> str:
    return re.sub(r"\D", "", v)


def _password(v: str) -> bool:
    """What "my password is" is followed by: mixed, or one word that says nothing about passwords."""
    w = v.casefold().rstrip("!?.,;:'\"")
    if any(c.isdigit() for c in w) or not w.isalpha():
        return _real(v) and any(c.isalnum() for c in v) and not w.startswith(("http:", "https:"))
    return w not in _NO_VALUE and w not in _PLAIN and not w.endswith(("ed", "ing")) and _real(v)


def _phrase(v: str) -> bool:
    return not any(
        w in _PLAIN or w in _NO_VALUE - {"correct"} for w in re.split(r"[ -]", v.casefold())
    )


def _spoken_phrase(v: str) -> bool:
    first = v.casefold().split()[0]
    return first in {"the", "my", "one", "old", "new", "correct"} or _phrase(first)


def _said_zh(v: str) -> bool:
    return not _NO_VALUE_ZH.match(v) and not v.endswith(_NO_END)


def _some_digits(v: str) -> bool:
    return sum(c.isdigit() for c in v) >= 3 or not any(c.isdigit() for c in v)


def _number(v: str) -> bool:
    return _some_digits(v) and not re.fullmatch(r"(?:19|20)\d\d|\d{1,3}|1[3-9]\d{9}", v)


def _dialled(v: str) -> bool:
    return _number(v) and not any(c.isalpha() and c.isascii() for c in v)


def _seed(v: str) -> bool:
    words = re.findall("[a-z]+", v)
    return sum(w in _PLAIN for w in words) <= len(words) // 4


def _listed(v: str) -> bool:
    return all(any(c.isdigit() for c in w) for w in re.split(r"[\s,，、]{1,9}", v))


# --- shapes nothing else has
# ---------------------------------------------------------------------------- fmt: off

_SEED_WORD: Final = "(?:[a-z]{3,8}(?P=s))"
_SEED: Final = rf"(?P<v>[a-z]{{3,8}}(?P<s>[ \n]|, ?)(?:{'|'.join(f'{_SEED_WORD}{{{n}}}' for n in (22, 19, 16, 13, 10))})[a-z]{{3,8}})(?![a-z])"

SHAPES: Final[tuple[SecretRule, ...]] = (
    _rule(
        "private_key",
        r"(?P<v>-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{0,16000}(?:-----END (?:[A-Z]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?)",
    ),
    _rule(
        "api_key",
        r"(?<![A-Za-z0-9_-])(?P<v>(?:sk-|[sr]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|(?:AKIA|ASIA|AKID|LTAI|AKLT|AIza|ALTAK-|ya29\.)|hf_|npm_|pypi-"
        r"|SG\.|dop_v1_|gsk_|r8_|shpat_|tvly-|pplx-|xai-|nvapi-|whsec_|lin_api_|ntn_|figd_|dckr_pat_|bce-v3/|AGE-SECRET-KEY-|tp-)[\w./-]{14,400}"
        r"|\d{8,10}:[A-Za-z0-9_-]{35}|eyJ[\w-]{5,2000}\.[\w-]{5,4000}\.[\w-]{0,1000}|[0-9a-f]{32}\.[A-Za-z0-9]{16})(?<![./-])",
        lambda v: (
            (len(v) >= 24 or any(c.isdigit() for c in v)) and len(set(v[-14:])) > 2 and _given(v)
        ),
    ),
    _rule("api_key", r"hooks?(?:\.slack\.com/services)?/(?P<v>[\w/-]{16,120})", _mixed),
    _rule(
        "api_key",
        r"\b(?:Bearer|Basic|Token)\s{1,3}(?P<v>[\w.~+/-]{12,3000}={0,2})",
        _long_mixed,
        re.I,
    ),
    _rule("password", r"://(?P<u>[^\s/:@]{0,64}):(?!(?P=u)@)(?P<v>[^\s/@]{1,128})@", _given),
    _rule(
        "password",
        r"\s(?:(?:-u|--user)\s{1,3}[^\s:]{1,64}:|-u ?\w{1,20} -p)(?P<v>[^\s]{3,128})",
        _given,
    ),
    _rule("password", r"WIFI:[^\s]{0,80}?P:(?P<v>[^;\s]{4,63});"),
    _rule(
        "api_key",
        r"(?<![\w.-])(?:[\w.-]{0,40}?(?:secret|token|(?:api|access|account|shared|signing|private|master)[_-]?key|sess(?:ion)?_?(?:id|data)?|sid|auth(?!or)|credential)[\w-]{0,24}|key|sig|sign)"
        r"[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?P<v>(?!//)[^\s\"'<>;&,，。]{6,2000})",
        _long_mixed,
        re.I,
    ),
    _rule(
        "password",
        r"(?<![\w.-])[\w.-]{0,40}?(?:password|passwd|pass|pwd)(?:[\"']?\s{0,2}=\s{0,2}[\"']?|[\"'],\s{0,2}[\"']|>)(?P<v>[^\s\"'<>;&]{4,128})",
        _real,
        re.I,
    ),
    _rule("api_key", r"(?i:cookie)[^\n]{0,80}?=(?P<v>[\w%.+/-]{16,2000})", _long_mixed),
    # check digits
    _bare(
        "id_number",
        r"(?<![0-9A-Za-z.])(?P<v>\d{6}[ -]?\d{8}[ -]?\d{3}[\dXx])(?![0-9A-Za-z])",
        lambda v: checks.is_chinese_id(re.sub(r"[ -]", "", v)),
    ),
    _bare(
        "card_number",
        r"(?<![\d.+A-Za-z-])(?P<v>\d{13,19}|\d{4}([ -])\d{4}\2\d{4}\2\d{1,4}(?:\2\d{1,3})?|\d{4}([ -])\d{6}\3\d{4,5}|\d{6} \d{13})(?![\d-])",
        lambda v: checks.is_card_number(_digits(v)),
    ),
    _rule(
        "bank_account",
        r"(?<![A-Za-z0-9])(?P<v>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)(?![A-Za-z0-9])",
        checks.is_iban,
    ),
    _bare("id_number", r"(?<![\w-])(?P<v>\d{3}-\d{2}-\d{4})(?![\w-])", checks.is_ssn),
    _rule(
        "id_number",
        r"(?<![A-Za-z0-9])(?P<v>(?!GB|EU)[A-CEGHJ-PR-TW-Z]{2} ?\d{2} \d{2} \d{2} ?[A-D])(?![A-Za-z0-9])",
    ),
    _rule(
        "api_key",
        r"(?<![\w-])(?P<v>[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3,5}|\d{6}(?:-\d{6}){7})(?![\w-])",
        lambda v: _mixed(v) or len(v) > 50,
    ),
    _bare(
        "api_key",
        r"(?<![\w/+=.:@-])(?P<v>[A-Za-z0-9]{24,200}|[A-Za-z0-9/+]{40})(?![\w/+=.@-])",
        _token,
    ),
    _rule(
        "password",
        r"(?:(?<![\w:/.+-])[\w.+-]{1,40}(?<!git)@[\w-]{1,30}\.[\w.]{2,20}|(?<!\d)1[3-9]\d{9})\s?[\s/:|，,]\s?(?P<v>(?!\?)[!-.0-~]{6,40})(?<![,.?:;])(?![!-~])",
        _simple,
    ),
    _rule("password", _BEGINS + en.TELL, _simple, re.I),
    _rule(
        "recovery_phrase",
        r"\A\s{0,9}" + _SEED + r"\s{0,9}\Z",
        lambda v: not _PLAIN & set(re.findall("[a-z]+", v)),
    ),
    # capitals, small letters, digits and a sign among them: nothing else is written so
    _bare(
        "password",
        r"(?<![!-~])(?P<v>[A-Za-z0-9!#$%^~_-]{8,40})(?=[,.;?)]?(?![!-~]))",
        lambda v: (
            _shaped(v)
            and bool(re.search(r"[!#$%^~][A-Za-z0-9]", v))
            and not re.fullmatch(r"\w+#\d{3,}", v)
            and not v.isupper()
        ),
    ),
    _rule("code", _BEGINS + en.USE, flags=re.I),
    _rule("code", zh.USE),
)

# --- values behind a label ---

_PAREN: Final = r"(?:\s?[（(][^（）()\n]{1,16}[)）])?"
_LINK: Final = rf"(?:{en.LINK}|{zh.LINK})"
_LINKED: Final = (
    rf"[\"'”’]?{_PAREN}(?:{en.ABOUT}|[\u4e00-\u9fff]{{0,4}}?)?\s{{0,3}}{_LINK}\s{{0,3}}"
)
_BESIDE: Final = rf"{_PAREN}\??\s{{0,3}}(?!@)"
_NEAR: Final = rf"{_PAREN}(?:{en.ABOUT}\s|[\u4e00-\u9fff]{{1,8}}?\s?|[^\n.!?;:@/。！？；]{{0,40}}?(?:[:→–—]|[ ]-[ ])\s{{0,2}}|[,.;?]?\s{{1,2}}(?:it|that)(?:['’]?s|\s(?:is|was))\s(?:(?:now|just|still)\s)?|[\u4e00-\u9fff]{{1,8}}[，,]\s?是?|\?\s?就?是)"
_OPEN: Final = r"[\"'“‘「『`【\[]"
_QUOTED: Final = rf"{_OPEN}(?P<v>(?!\s)[^\"'“”‘’「」『』`【】\[\]\n]{{3,80}})[\"'”’」』`】\]]"
_RUN: Final = r"[\"'“‘「『`【]?(?P<v>(?![\[:=>,.)\]\"'])[!-~]{3,200}?)(?=[,.;)\]】\"']{0,3}(?:[\s，。；！？、）」”】]|[^\x00-\x7f]|$))"
_KEY: Final = r"[\"'“‘「『`【]?(?P<v>[!#-&*+\--:=?-~]{8,200})(?<![.?:])"
_SIGNS: Final = r"(?=[!-~]{0,40}[\d!@#$%^&*+])(?=[!-~]{0,40}[A-Za-z])"
_WORD_END: Final = r"(?=[,.;:!?)，。；！？、\"']{1,3}(?:\s|$|[^\x00-\x7f])|\s{0,2}(?:$|[^\x00-\x7f])|\n| (?:and|but|btw|please|ok|thanks|remember|don't|so)\b)"
_WORDS_END: Final = r"(?=[.!?,;\n，。]|$| - )"
_CODE: Final = rf"[\"'“「【]?(?P<v>[*#]?(?:[A-Za-z]{{1,4}}-?\d|\d[\dA-Za-z*#])[\dA-Za-z*#]{{1,11}}(?:[ -]\d{{2,6}}){{0,3}}[*#]?|\d{{1,6}}(?:[ -]\d{{1,6}}){{1,5}})(?![\dA-Za-z]|{zh.UNITS})"
_ID: Final = (
    r"(?P<v>(?:[A-Z]{0,2} ?|[A-Z]{3,6})\d(?:[ ./-]?[\dA-Z]){4,24}(?:\([\dA]\))?)(?![A-Za-z0-9])"
)
_GROUPS: Final = r"(?P<v>[a-z0-9]{4}(?:[ -][a-z0-9]{4}){2,11})(?![a-z0-9])"
_LIST: Final = r"(?P<v>[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{3,10}| \d{3,6}){0,3}(?:[\s,，、]{1,2}[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{3,10}| \d{3,6})?){0,15})(?![A-Za-z0-9])"

_PHRASE: Final = rf"(?P<v>[a-z]{{1,16}}(?:[ -][a-z]{{1,16}}){{2,9}}){_WORDS_END}"
_TIED: Final = "linked or beside"


class SecretValue(NamedTuple):
    """A value as it may stand behind a label and one of the gaps, and the check on it."""

    gaps: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Callable[[str], bool]


# Compiled once each, apart from the values: together they take half a second.
_GAPS: Final = {_LINKED: re.compile(_LINKED, re.I), _BESIDE: re.compile(_BESIDE)}


def _value(
    gap: str, value: str, check: Callable[[str], bool] = _always, flags: int = re.I
) -> SecretValue:
    if gap == _TIED:
        return SecretValue((_LINKED, _BESIDE), re.compile(value, flags), check)
    if gap in _GAPS:
        return SecretValue((gap,), re.compile(value, flags), check)
    return SecretValue(("",), re.compile(f"(?i:{gap}){value}", flags), check)


_SPOKEN: Final = _value(_TIED, rf"(?P<v>{en.DIGITS}|{zh.DIGITS})")
_LINKED_CODE, _BESIDE_CODE, _NEAR_CODE = (
    _value(_LINKED, _CODE, _some_digits),
    _value(_BESIDE, _CODE, _some_digits),
    _value(_NEAR, _CODE, _number),
)
_QUOTES: Final = _value(_TIED, _QUOTED, lambda v: _real(v) and _said_zh(v))
_PASSWORDS: Final = (
    _QUOTES,
    _value(
        _LINKED,
        r"(?P<v>[\u4e00-\u9fff]{1,12}[!-+\--:<-~]{2,40}[\u4e00-\u9fff!-+\--:<-~]{0,40})",
        lambda v: any(c.isdigit() for c in v) and _said_zh(v),
    ),
    _value(_LINKED, _PHRASE, _phrase),
    _value(_LINKED, rf"(?P<v>[A-Za-z]{{3,40}}){_WORD_END}", _password),
    _value(
        _LINKED, _RUN, lambda v: _password(v) and (not v.isalpha() or (v.isupper() and len(v) > 5))
    ),
    _value(_LINKED, r"(?P<v>[\u4e00-\u9fff]{2,16})(?=[\s，。,.;；！!]|$)", _said_zh),
    _SPOKEN,
    _value(_BESIDE, _RUN, lambda v: _mixed(v) or len(_digits(v)) >= max(4, len(v) - 1)),
    _value(_NEAR, _SIGNS + _RUN, lambda v: _mixed(v) and len(v) >= 6),
    _NEAR_CODE,
)
_KEYS: Final = (
    _value(_TIED, _KEY, _long_mixed),
    _value(_TIED, _GROUPS, lambda v: len(re.findall(r"(?=\w{0,3}\d)\b\w", v)) > 1 and _mixed(v), 0),
    _value(
        rf"{_PAREN}(?:{en.ABOUT}\s|[\u4e00-\u9fff]{{1,8}}?\s?)",
        _SIGNS + _KEY,
        lambda v: len(v) >= 16 and _long_mixed(v),
    ),
)
_CODES: Final = (_SPOKEN, _LINKED_CODE, _BESIDE_CODE, _NEAR_CODE)
_SEEDS: Final = (
    _value(r"[^.!?]{0,30}?", r"(?P<v>1[.)] ?[a-z]{3,8}(?:\s{1,3}\d{1,2}[.)] ?[a-z]{3,8}){11,23})"),
    _value(_LINKED, _SEED, _seed, 0),
)
_USER: Final = _value(
    _LINKED, r"(?:[\w.@-]{1,24} ){0,3}?[^\s/,]{1,40}?\s{0,2}(?:[/,:]|\band\b)\s{0,2}" + _RUN, _mixed
)
VALUES: Final[dict[str, tuple[SecretKind, tuple[SecretValue, ...]]]] = {
    "recovery": ("code", (_value(_TIED, _LIST, _listed), *_KEYS)),
    "seeds": ("recovery_phrase", _SEEDS),
    "seed": (
        "recovery_phrase",
        (
            _value(
                _LINKED,
                r"(?P<v>(?!\[)[a-z]{1,12}(?:[ ,，]{1,2}[a-z]{2,12}){5,23})",
                lambda v: not _PLAIN & set(v.casefold().split()),
            ),
            _value(r"[^\n.!?]{0,40}?(?:[:,，]\s?|\s)", _SEED, _seed, 0),
            *_SEEDS,
            _value(_LINKED, r"(?P<v>[\u4e00-\u9fff](?:[ ,，、]?[\u4e00-\u9fff]){11,23})"),
        ),
    ),
    "passphrase": ("password", (_value(_TIED, _PHRASE, _spoken_phrase), *_PASSWORDS)),
    "opens": ("password", (_QUOTES, _value(_BESIDE, _RUN, _mixed), _BESIDE_CODE)),
    "password": ("password", _PASSWORDS),
    "login": ("password", (_USER,)),
    "access": (
        "password",
        (
            _value(_TIED, _RUN, _shaped),
            _value(_LINKED, _RUN, lambda v: _simple(v) and v[-1].isdigit()),
            _USER,
            _USER._replace(gaps=(_BESIDE,), check=_simple),
        ),
    ),
    "key": ("api_key", _KEYS),
    "cvv": ("code", _CODES),
    "pin": ("pin", _CODES),
    "code": (
        "code",
        (
            _SPOKEN,
            _LINKED_CODE._replace(check=lambda v: _some_digits(v) and len(v) > 3),
            _BESIDE_CODE._replace(check=_number),
            _NEAR_CODE,
        ),
    ),
    "grant": (
        "code",
        (
            *_CODES,
            _value(
                _TIED,
                r"(?P<v>[a-z]{16}|[A-Za-z0-9]{4,16})(?![A-Za-z0-9])",
                lambda v: len(v) in {4, 16} or not v.isalpha(),
            ),
        ),
    ),
    "branch": (
        "bank_account",
        (_value(_TIED, r"(?P<v>\d{2,3}[ -]?\d{2,3}(?:[ -]?\d{2,3})?)(?!\d)"),),
    ),
    "net": (
        "password",
        (
            _value(_LINKED, _RUN, _long_mixed),
            _value(_BESIDE, _RUN, lambda v: len(v) >= 8 and v.islower() and _simple(v)),
            _value(_LINKED, r"\S{1,24}(?: \S{1,8})?\s{0,2}/\s{0,2}" + _RUN, lambda v: len(v) >= 8),
        ),
    ),
    "spot": ("code", (_SPOKEN, _LINKED_CODE._replace(check=_dialled))),
    "place": (
        "code",
        (_SPOKEN, *(c._replace(check=_dialled) for c in (_LINKED_CODE, _BESIDE_CODE))),
    ),
    "id": ("id_number", (_value(_TIED, _ID, lambda v: len(_digits(v)) >= 5, 0),)),
    "card": (
        "card_number",
        (
            _value(
                r"[^\d\n]{0,48}?",
                r"(?P<v>\d{4}(?P<s>[ -]?)\d{4}(?P=s)\d{4}(?P=s)\d{1,7}(?:(?P=s)\d{1,3})?)(?!\d)",
            ),
            _value(_TIED, r"(?P<v>\d(?:[ -]?\d){11,18})(?!\d)"),
        ),
    ),
    "account": (
        "bank_account",
        (
            _value(_LINKED, r"(?P<v>\d(?:[ -]?\d){5,22})(?!\d)"),
            _value(_BESIDE, r"(?P<v>(?!1[3-9]\d{9}(?!\d))\d(?:[ -]?\d){7,22})(?!\d)"),
        ),
    ),
}
# fmt: on


def _labels(of: dict[str, str], before: str, after: str, flags: int) -> re.Pattern[str]:
    return re.compile(
        before + "(?:" + "|".join(f"(?P<{name}>{p})" for name, p in of.items()) + ")" + after, flags
    )


_LABELS: Final = (_labels(en.LABELS, _BEGINS, _ENDS, re.I), _labels(zh.LABELS, "", "", 0))
_PUBLIC: Final = re.compile(rf"(?:{_BEGINS}{en.PUBLIC}|{zh.PUBLIC})$", re.I)
_CHANGE: Final = re.compile(en.CHANGE, re.I)
_BEFORE: Final = re.compile(
    rf"(?<![!-~])(?P<v>[!-~]{{4,64}}?)\s{{0,2}}(?:{en.AS_LABEL}|{zh.AS_LABEL})$", re.I
)
# Right before a shape that has no label of its own, these say what it is.
HARMLESS: Final = re.compile(
    rf"(?:(?<![A-Za-z]){en.HARMLESS}[^\d\n]{{0,24}}|{zh.HARMLESS}[^\d\n]{{0,12}})$", re.I
)
_INK: Final = "".join(map(chr, range(33, 127)))
_AHEAD, _BACK = 200, 60


def find_labelled_values(text: str) -> Iterator[tuple[SecretKind, int, int]]:
    """Each value that a label names: its kind and where it stands."""
    for labels in _LABELS:
        for m in labels.finditer(text):
            start, end = m.span()
            if _PUBLIC.search(text, max(0, start - 16), start) and m[0][:4].casefold() != "pass":
                continue
            kind, values = VALUES[m.lastgroup or ""]
            ahead = text[end : end + _AHEAD]
            if (
                m.lastgroup != "spot"
                and ahead[:4] in {" to ", " as "}
                and _CHANGE.search(text[:start][-40:])
            ):
                ahead = " = " + ahead[3:]
            before = _BEFORE.search(text, max(0, start - _BACK), start)
            if before and _before(before["v"], m.lastgroup or ""):
                yield kind, *before.span("v")
                continue
            ends = {"": 0, **{gap: g.end() for gap, p in _GAPS.items() if (g := p.match(ahead))}}
            tries = ((x, ends[gap]) for x in values for gap in x.gaps if gap in ends)
            found = next(
                (v for x, at in tries if (v := x.pattern.match(ahead, at)) and x.check(v["v"])),
                None,
            )
            if found:
                at = end + found.end("v")
                rest = text[at : at + 4000] if found.end("v") == _AHEAD else ""  # it was cut
                yield kind, end + found.start("v"), at + len(rest) - len(rest.lstrip(_INK))


def _before(v: str, label: str) -> bool:
    """Whether what stands before a label can be its value: "Vx9#mQ is the password", 881204（验证码）."""
    return bool(_mixed(v) and re.search(r"\d|[!@#$%^&*]\w", v)) or (
        v.isdigit() and label in {"password", "pin", "cvv", "code"}
    )
