# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""Which words and shapes are secrets: the table that `redact` goes through, most certain first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from memory.privacy import checks

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


class Rule(NamedTuple):
    """The secret is group `v`; `check` has the last word on it."""

    kind: SecretKind
    pattern: re.Pattern[str]
    check: Callable[[str], bool]


# What follows "my password is" when no password follows.
_NO_VALUE: Final = frozenset(
    """
    a about again all already also always an and any anything as at back bad because being best better broken by
    case changed coming complicated compromised correct crucial different difficult done due easy either empty
    encrypted enough exactly expired expiring fine for forgotten from getting going gone good hard hashed hidden
    hopefully important impossible in incorrect insecure invalid it its just kept known leaked lengthy like
    locked long lost mandatory memorised memorized missing more most my necessary needed never nice no not
    nothing now off ok okay old on one only optional or our out part private probably protected quite rather
    really reset required reused right same saved secret secure set short similar simple so some something
    somewhere stale still stolen stored strong super supposed sure temporary that the their there this to too
    unchanged under unique unknown unsafe used useless valid very weak what where whether which with without
    working written wrong your yours
    """.split()  # noqa: SIM905 - a list of words reads as words
)
_VERBS: Final = frozenset(
    """
    access avoid be being change check connect continue do enter find get give go have help keep let log login
    make match open prevent proceed protect prove recover reset see sign start stop try unlock update use verify
    view
    """.split()  # noqa: SIM905 - a list of words reads as words
)
_NO_VALUE_ZH: Final = re.compile(
    r"什么|啥|多少|几|谁|哪|怎|不|没|对的|错|我|你|您|他|她|它|用|需要|必须|要|由|由于|为了|一样|旧|新|很|太|一个|默认|随机|因为|忘"
)

_FILLER: Final = r"(?:\s*(?:now|currently|still|just|actually|again)\b)?"
_FOR: Final = r"(?:\s+(?:for|to|of|on|at|in)\s+(?:(?!\b(?:is|was|are)\b)[^\n.!?;:=]){1,48}?)?"
_IS: Final = rf"{_FOR}\s*(?:(?:\bis\b|\bwas\b|'s\b|’s\b){_FILLER}\s*[:：]?|[:=]+>?)\s*"
_IS_ZH: Final = r"\s*(?:就是|是|为|為|叫|设为|设成|改为|改成|换成|变成|[:=]+)\s*[:]?\s*"
_OPEN: Final = r"[\"'“‘「『`]"
_CLOSE: Final = r"[\"'”’」』`]"
_QUOTED: Final = rf"{_OPEN}(?P<q>[^\"'“”‘’「」『』`\n]{{3,80}}){_CLOSE}"
_VALUE: Final = r"(?P<v>(?!\[)[!-~]{3,128}?)(?=[,.;)\]]*(?:[\s，。；！？、）」]|[^\x00-\x7f]|$))"
_MIXED_SCRIPT: Final = r"(?P<v>[\u4e00-\u9fff]{1,12}[!-~]{2,40}[\u4e00-\u9fff!-~]{0,40})"  # 好运2024!abc
_SAID: Final = r"\b(?:pass(?:word|wd|phrase|code)s?|pwd|pw)\b"
_SAID_ZH: Final = r"(?:密码|密碼|口令)"


def _mixed(v: str) -> bool:
    """Letters and digits together, or a sign no word has: nothing one says by chance."""
    return len(v) >= 5 and any(c.isdigit() for c in v) and any(not c.isdigit() for c in v)


def _digits(v: str) -> str:
    return re.sub(r"\D", "", v)


def _with_digit(v: str) -> bool:
    return any(c.isdigit() for c in v) and not _NO_VALUE_ZH.match(v)


def _password_word(v: str) -> bool:
    w = v.casefold().rstrip("!?.,;:")
    return (
        w not in _NO_VALUE
        and w not in _VERBS
        and not w.startswith(("http:", "https:"))
        and any(c.isalnum() for c in v)
    )


def _passphrase(v: str) -> bool:
    return not any(w in _NO_VALUE - {"correct"} or w in _VERBS for w in v.casefold().split())


def _word_list(v: str) -> bool:
    """Words of a recovery phrase; none of its lists has these."""
    return not {"the", "my", "is", "in", "a", "to", "of", "and", "on", "it", "was", "i", "for"} & set(
        v.casefold().split()
    )


def _always(_: str) -> bool:
    return True


def _rule(kind: SecretKind, pattern: str, check: Callable[[str], bool] = _always, flags: int = re.I) -> Rule:
    return Rule(kind, re.compile(pattern, flags), check)


_KEYED: Final = r"\b(?:(?:api|access|secret|auth|bearer|refresh|client|bot|license|encryption)[ _-]?(?:key|token|secret)|token|secret)s?\b"
RULES: Final[tuple[Rule, ...]] = (
    # shapes nothing else has
    _rule(
        "private_key",
        r"(?P<v>-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z))",
        flags=re.S,
    ),
    _rule("private_key", r"(?<![0-9a-z])(?P<v>(?:0x)[0-9a-f]{64}|AGE-SECRET-KEY-1[0-9A-Z]{58})(?![0-9a-z])"),
    _rule(
        "api_key",
        r"(?<![A-Za-z0-9_-])(?P<v>sk-[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}"
        r"|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}"
        r"|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_[0-9a-f]{32,}"
        r"|gsk_[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|\d{8,10}:[A-Za-z0-9_-]{35}"
        r"|eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*)(?![A-Za-z0-9_])",
        flags=0,
    ),
    _rule("api_key", r"\bBearer\s+(?P<v>[A-Za-z0-9._~+/-]{16,}=*)", _mixed),
    _rule("password", r"\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{1,64}:(?P<v>[^\s/@]{1,128})@"),
    _rule(
        "api_key", r"\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)\s*=\s*[\"']?(?P<v>[^\s\"'\[]{4,})", flags=0
    ),
    # check digits
    _rule("id_number", r"(?<![0-9A-Za-z])(?P<v>\d{17}[\dX])(?![0-9A-Za-z])", checks.chinese_id),
    _rule(
        "card_number",
        r"(?<![\d.+A-Za-z-])(?P<v>\d{13,19}|\d{4}([ -])\d{4}\2\d{4}\2\d{1,4}(?:\2\d{1,3})?|\d{4}([ -])\d{6}\3\d{4,5}|\d{6} \d{13})(?![\d-])",
        lambda v: checks.card(_digits(v)),
    ),
    _rule("bank_account", r"\b(?P<v>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?)\b", checks.iban, 0),
    # said as such
    _rule(
        "recovery_phrase",
        r"\b(?:seed|recovery|backup|mnemonic|secret)[ -](?:phrase|words)"
        + _IS
        + r"(?P<v>(?!\[)[a-z]+(?:[ ,]+[a-z]+){5,23})",
        _word_list,
    ),
    _rule(
        "recovery_phrase", r"助记词" + _IS_ZH + r"(?P<v>(?!\[)(?:[a-z]+[ ,，]+){5,23}[a-z]+|[\u4e00-\u9fff]{12,24})"
    ),
    _rule("password", _SAID + _IS + _QUOTED),
    _rule("password", _SAID + r"\s+(?:to\s+)?" + _QUOTED),
    _rule("password", _SAID + _IS + _MIXED_SCRIPT, _with_digit),
    _rule("password", _SAID + _IS + r"(?P<v>[a-z]+(?:[ -][a-z]+){3,7})(?=[.!?,;\n]|$)", _passphrase),
    _rule("password", _SAID + _IS + _VALUE, _password_word),
    _rule(
        "password",
        r"\b(?:changed|set|changing|setting|make|made)\b[^.!?\n]{0,24}"
        + _SAID
        + r"\s+(?:to|as|be)\s+(?:"
        + _QUOTED
        + "|"
        + _VALUE
        + ")",
        _password_word,
    ),
    _rule("password", _SAID + r"\s+(?:to\s+)?" + _OPEN + "?" + _VALUE, _mixed),
    _rule("password", _SAID_ZH + _IS_ZH + _QUOTED),
    _rule("password", _SAID_ZH + r"\s*" + _QUOTED),
    _rule("password", _SAID_ZH + _IS_ZH + _MIXED_SCRIPT, _with_digit),
    _rule("password", _SAID_ZH + _IS_ZH + _VALUE),
    _rule(
        "password",
        _SAID_ZH + _IS_ZH + r"(?P<v>[\u4e00-\u9fff]{2,16})(?=[\s，。,.;；！!、]|$)",
        lambda v: not _NO_VALUE_ZH.match(v) and not v.endswith(("的", "吗", "呢", "了", "吧")),
    ),
    _rule("password", _SAID_ZH + r"\s*" + _VALUE, lambda v: any(c.isdigit() for c in v) and len(v) >= 4),
    _rule("api_key", _KEYED + _IS + _OPEN + "?" + _VALUE, lambda v: len(v) >= 8 and _mixed(v)),
    _rule(
        "api_key",
        r"(?:密钥|秘钥|令牌|api\s*key|token)" + _IS_ZH + _OPEN + "?" + _VALUE,
        lambda v: len(v) >= 8 and _mixed(v),
    ),
    _rule(
        "card_number",
        r"(?:\bcard (?:number|no\.?)|信用卡号?|银行卡号?|储蓄卡号?|卡号)(?:"
        + _IS
        + "|"
        + _IS_ZH
        + r"|\s*)(?P<v>\d(?:[ -]?\d){11,18})(?!\d)",
    ),
    _rule(
        "code",
        r"(?:\b(?:cvv|cvc|cvv2|security code)\b|安全码)(?:" + _IS + "|" + _IS_ZH + r"|\s*)(?P<v>\d{3,4})(?!\d)",
    ),
    _rule(
        "bank_account",
        r"(?:\b(?:bank account|account|routing)(?: (?:number|no\.?))?|\bsort code|(?:银行|对公)?(?:账号|账户|帐号|帐户))(?:"
        + _IS
        + "|"
        + _IS_ZH
        + r")(?P<v>\d(?:[ -]?\d){5,22})(?!\d)",
    ),
    _rule(
        "id_number", r"(?:\b(?:ssn|social security(?: number)?)\b)" + _IS + r"(?P<v>\d{3}[ -]?\d{2}[ -]?\d{4})(?!\d)"
    ),
    _rule("id_number", r"身份证号?码?(?:" + _IS_ZH + r"|\s*)(?P<v>\d{15}(?:\d{2}[\dx])?)(?![\da-z])"),
    _rule(
        "pin",
        r"(?:\bpin(?:[ -]?(?:code|number))?\b|\bPUK\b)(?:" + _IS + "|" + _IS_ZH + r"|\s+)(?P<v>\d{3,8})(?![\d%])",
    ),
    _rule("pin", r"pin\s?码(?:" + _IS_ZH + r"|\s*)(?P<v>\d{3,8})(?!\d)"),
    _rule(
        "code",
        r"\b(?:verification|confirmation|one[- ]time|login|sign[- ]?in|auth(?:entication|orization)?|2fa|otp|door|gate|alarm|entry|access|lock|unlock|safe|locker|backup|sms)"
        r"\s?(?:code|passcode|combination|combo|number)?s?\b"
        + _IS
        + r"(?P<v>[*#]?[A-Z]{0,3}-?\d(?:[ -]?[\dA-Z]){2,9}\b[*#]{0,2})",
        lambda v: len(_digits(v)) >= 3,
    ),
    _rule(
        "code",
        r"(?:验证码|校验码|动态码|动态口令|取件码|开门码|门禁码|提取码)(?:"
        + _IS_ZH
        + r"|\s*)(?P<v>[*#]?[a-z0-9-]{4,10}[*#]{0,2})(?![a-z0-9])",
    ),
)
# A long number introduced like this is no card, whatever its check digit says.
NOT_A_CARD: Final = re.compile(
    r"(?:\b(?:order|tracking|invoice|ticket|parcel|shipment|booking|reference|ref|isbn|imei|serial|case)\b[^\d\n]{0,24}"
    r"|(?:订单|单号|快递|运单|物流|流水|发票|票号|编号|序列)[^\d\n]{0,12})$",
    re.I,
)
