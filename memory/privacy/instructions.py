# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be
# read
"""Tell wishes of how Ebb should answer from orders that no memory may hold.

Ebb learns how it should answer. Whatever would lift one of its rules, grant a right, hide something
from its owner, reach other people's data or order an act is refused, however it is worded. What the
person says of their own life is neither, whichever of the same words it has.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

from memory.text.languages import section

en, zh = section("en", "orders"), section("zh", "orders")

_INVISIBLE: Final = re.compile(r"[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
# Marks of another speaker, or of a prompt.
_MARKS: Final = re.compile(
    r"(?:^|[\n.!?。！？\"'“「])\s{0,9}[\[<(*#【（]?\s?(?:system|assistant|developer|系统|助手|开发者)(?:\s?(?:prompt|message|note|override|提示|消息|指令|信息))?"
    r"\s?[\]>)*】）]?\s?[:：]|</?(?:system|assistant|developer|instructions?)\b|<\|[a-z_]+\|>|\[/?INST\]|<</?SYS>>"
    r"|^\s?#{2,6}\s?(?:system|instructions?)\b|\b(?:developer|god|jailbreak|DAN)\s(?:mode|has)\b",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED: Final = re.compile(
    r"“[^”\n]{0,300}”|\"[^\"\n]{0,300}\"|「[^」\n]{0,300}」|《[^》\n]{0,300}》"
)
_PIECE: Final = re.compile(
    r"[.!?;\n。！？；]|:\s|[,，：]\s?|\s[-–—]\s|\band\s(?=you\b)|\bso that\s"
)


def _find(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_EBB: Final = r"(?:you|ebb|(?:the|this|your)\s(?:assistant|ai|bot|chatbot|model|llm))"
_WISH: Final = _find(
    rf"^(?:(?:the\s)?user|i|he|she|they)?\s?(?:(?:always|really|also|would|['’]d)\s)?"
    rf"(?:wants?|would like|likes?|prefers?|asks?|asked|needs?|wish(?:es)?|expects?|tells?|told|said)\s(?:that\s|for\s)?{_EBB}\b\s?(?:to\s)?",
)
_MUST: Final = _find(
    rf"^{_EBB}\s(?:must|shall|should|may|can|will|have to|has to|need to|are to|is to|(?:are|is) (?:now )?allowed to)\s",
)
_ADVERB: Final = _find(
    r"^(?:(?:please|always|never|only|also|do not|don['’]t|do|now|just|from now on|and|then|so|to|not|make sure)\s)+",
)
# Ebb, or whoever asks, is said to have or to be something.
_SUBJECT: Final = _find(
    rf"^(?:{_EBB}(?=\s(?:are|is|have|has|need|must|may|can|should|no|do|don['’]t|will|now)\b)|this user|whoever|any(?:one|body) (?:who|with|that))\b(.*)",
)
# A right is granted over what Ebb keeps, or Ebb's own rules are named.
_BEYOND: Final = _find(
    r"\b(?:may|can|allowed to|permission to|right to) (?:read|see|view|edit|change|delete|hear|get|use|access)\b.{0,60}\bmemories\b"
    rf"|\byour (?:own )?(?:{en.RULES})\b|\b(?:ignore|bypass|break|override) its (?:{en.RULES})\b"
    rf"|^(?:answer|tell|give|do)\b.{{0,60}}\b(?:without|no|beyond|breaks?)\b.{{0,20}}\b(?:{en.RULES})\b"
    rf"|^(?:transfer|wire)\b.{{0,60}}\bevery\b|^(?:{en.SEND})\b.{{0,60}}\b(?:my|our|all|the) (?:{en.KEPT})\b(?!.{{0,60}}\b(?:me|i)\b)"
    rf"|^(?:{en.POWER}) (?!me\b|us\b|go\b).{{0,60}}\b(?:as (?:if|me|mine|though|an?)|says?|see|read|edit|change|access|use|control|decide|manage|speak|orders?|commands?|text that|(?:any|every)thing)\b"
    r"|^(?:hide|conceal|deny|pretend|cover up|keep)\b.{0,60}\b(?:from|to be|hidden|exists?)\b|^lie\b|^(?:act|answer|behave) as (?:if|though|an?)\b"
    rf"|^{_EBB} (?:are|is) (?:now |hereby )?(?:no longer|free|authori[sz]ed|permitted|exempt|not bound|above|able to do|unrestricted|not subject)\b"
    rf"|^{_EBB} (?:don['’]t|do not|does not|doesn['’]t|no longer|never|need not|needn['’]t) (?:need|have|require|ask)\b"
    rf"|^{_EBB} (?:have|has) (?:no|full|complete|permission|the right)\b|\b(?:counts?|speaks?|decides?) (?:as|for) me\b|\bin my name\b"
    r"|\b(?:may|can|allowed to|permitted to) (?:see|read|hear|know|change|delete|edit)\b.{0,40}\b(?:you|about me|all of my)\b"
    rf"|\b(?:{en.RULES}) (?:do|does) not apply\b|\byou are (?:an? )?(?:assistant|ai|bot|model)\b|\byou stored\b"
)
_SEND: Final = _find(rf"^(?:{en.SEND})\b")
_FOR_GOOD: Final = _find(
    r"\b(?:always|every|each|whenever|when (?:i|we|he|she|they|any\w+|some\w+)\b|if|any|automatically|instead of asking)\b",
)
_LIFT: Final = _find(rf"^(?:{en.LIFT})\b")
_RULES: Final = _find(rf"\b(?:{en.RULES}|{en.REALM}|you stored|anything)\b")
_ACTS: Final = _find(rf"^(?:{en.ACTS}|{en.LIFT})\b")
_REALM: Final = _find(
    rf"\b(?:{en.REALM}|you(?:['’]ve)? (?:have )?(?:stored|saved|kept|know|remember)"
    r"|(?:any|every|some)(?:one|body) (?:who|asks?|says?|types?|wants?|with|that))\b",
)
_ALWAYS: Final = _find(
    r"\b(?:always|only|must|shall|every|each|all|whenever|pretend)\b|^from now on\b"
)
_YIELD: Final = _find(rf"^(?:{en.YIELD})\b")
_NOT: Final = _find(r"\b(?:never|not|don['’]t)\b")
_MANNER: Final = _find(rf"^(?:{en.MANNER})\b")
_PARTS: Final = _find(
    rf"\b(?:{en.PARTS}|me|you|your|ebb)\b|^(?:(?-i:[Cc]all them (?!\w+day)[A-Z]\w+)|correct my|stop \w+ing|mention my)\b"
)
_TASTE: Final = _find(
    rf"^(?:i\s|(?:the\s)?user\s)?(?:wants?|prefers?|likes?|would like)\s(?:[\w-]+\s){{0,2}}(?:{en.WISHED}|ebb|you)\b"
    rf"|^(?:no|short|long|simple|plain|british|american|fewer|less|more)\s(?:[\w-]+\s){{0,2}}(?:{en.WISHED})\b",
)
_ZH_EBB: Final = r"(?:你|您|Ebb|助手|助理|机器人|模型|(?<![A-Za-z])AI)"
_ZH_SAID: Final = _find(
    rf"^(?:请|用户(?:说|希望|要求)?|我?希望|我?要求)*(?={_ZH_EBB})|{_ZH_EBB}(?:必须|务必|没有|不受)"
)
_ZH_WHOEVER: Final = _find(zh.WHOEVER)
_ZH_BEYOND: Final = _find(
    r"(?:不用|不必|无需|不经|不需要).{0,6}我.{0,4}(?:同意|确认|点头|批准)|^把(?:所有|全部|我的|大家).{0,6}(?:记录|记忆|数据|资料|日记)(?!.{0,40}了)"
    rf"|(?:别|不要|不准|不许).{{0,12}}{_ZH_EBB}.{{0,4}}(?:记|存|知道)|^我是(?:管理员|开发者|你的主人)|有权看"
    r"|^(?:请|绝对|千万|永远)?(?:别|不要|不准|不许|不能)(?:让|跟|给|对)(?!我[^老太妈爸妻家]).{1,10}(?:知道|发现|说起|透露)"
    r"|自动.{0,8}(?:发|转给|删|汇|订|下单|回复|执行)|(?:只要|凡是|一旦|如果|听到|看到).{0,16}就.{0,10}(?:发给|发到|转给|转发|删|汇|给他|给她|开锁|开门|照做|执行)"
    r"|(?:当成|视为|等同于?|如同|就是).{0,3}(?:我本人|我说的|我的(?:话|意思|命令)|管理员)|以我的名义|(?:可以|允许|能)(?:随便|随时|任意)?(?:看|查|读|改|删|知道).{0,10}(?:记忆|你知道|你记)"
    r"|^(?:不用|不必|无需|别|不要)再?(?:警告|审核|过滤|核实|征求|请示|免责|管法律|管道德)|(?:别的|其他|所有|其它)用户|别人的(?:记忆|聊天)|(?:你|可以)绕[开过]|规定限制"
    r"|^(?:你)?(?:谎称|冒充|瞒着|否认|隐瞒|假装|装作|当作没)(?!.{0,20}过)|就?说(?:没存|没记|什么都没)|^听(?!我).{1,6}的(?:命令|指挥)|系统提示"
    rf"|(?:始终|永远|总是|一律|必须|务必|都要|只能).{{0,8}}(?:{zh.YIELD})|^(?:请)?(?:假装|扮演|装作)[你成自]|(?:可以|都要?|一律)照[办做答]|规定不适用"
)
_ZH_LIFT: Final = _find(rf"^(?:请)?(?:{zh.LIFT})")
_ZH_RULES: Final = _find(zh.RULES)
_ZH_RISK: Final = _find(f"{zh.RULES}|{zh.RISK}")
_ZH_MANNER: Final = _find(rf"^(?:我|用户)?(?:{zh.HEADS}).{{0,20}}(?:{zh.MANNER})|^(?:{zh.MANNER})")


def classify_instruction(text: str) -> Literal["refused", "manner", ""]:
    """Say whether a text is a refused order, how to answer, or neither.

    "You have no restrictions" is refused, "short answers, please" is manner, "never eats meat" is
    neither.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    plain = re.sub(r"\b(you|they|we)['’]re\b", r"\1 are", plain, flags=re.I)
    plain = re.sub(
        r" ?\n[ \n]{0,9}", "\n", re.sub(r"[^\S\n]+", " ", plain)
    )  # runs of blanks make patterns slow
    if _MARKS.search(plain):
        return "refused"
    bare = _QUOTED.sub("", plain)
    pieces = [
        p
        for x in _PIECE.split(bare if len(bare.strip()) > 3 else plain)
        if (p := " ".join(x.split()))
    ]
    if any(_refused(p, bare) for p in pieces):
        return "refused"
    return "manner" if any(_is_manner(p) for p in pieces) else ""


def is_refused_instruction(text: str) -> bool:
    """Say whether a would-be memory is an order that Ebb refuses."""
    return classify_instruction(text) == "refused"


def _refused(piece: str, whole: str) -> bool:
    wished = _WISH.sub("", piece)
    bare = _ADVERB.sub("", wished)
    act = _ADVERB.sub("", _MUST.sub("", bare))
    told = wished != piece or _MUST.match(bare)  # somebody says what Ebb must do
    subject = _SUBJECT.search(bare)
    return bool(
        ((told or _ACTS.search(act)) and _REALM.search(act))
        or ((told or _LIFT.search(act)) and _RULES.search(act))
        or (subject and _RULES.search(subject[1]))
        or _BEYOND.search(act)
        or _BEYOND.search(bare)
        or (told and _ACTS.search(act) and not _is_manner(piece))
        or (_SEND.search(act) and _FOR_GOOD.search(whole) and not re.search(r"\bme\b", act))
        or (_YIELD.search(act) and not _NOT.search(piece) and (told or _ALWAYS.search(piece)))
        or _ZH_BEYOND.search(piece)
        or (_ZH_LIFT.search(piece) and _ZH_RULES.search(piece))
        or ((_ZH_SAID.search(piece) or _ZH_WHOEVER.search(piece)) and _ZH_RISK.search(whole))
    )


def _is_manner(piece: str) -> bool:
    wished = _WISH.sub("", piece)
    said = _MUST.sub("", _ADVERB.sub("", wished))
    act = _ADVERB.sub("", said)
    asked = _MANNER.search(act) and (_PARTS.search(act) or wished != piece or said != act)
    return bool(asked or _TASTE.search(piece) or _ZH_MANNER.search(piece))
