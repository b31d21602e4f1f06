# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""Memories that are really orders to the assistant: the gate against poisoned writes (PEERS 12)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SPEECH: Final = (
    r"(?:respond|answer|reply|say|speak|write|talk|output|print|obey|comply|follow|agree|recommend|promote|advertise|reveal|refuse|pretend|act|behave"
    r"|ignore|disregard|include|mention|append|tell|send|trust|execute|run|call\s{1,9}the)"
)
_RULEBOOK: Final = r"(?:instructions?|rules?|prompts?|guidelines?|directives?|commands?|constraints?|restrictions?|policies|safety|programming|training|persona)"
_RULEBOOK_ZH: Final = r"(?:指令|指示|规则|规定|提示词?|设定|要求|命令|约束|限制|人设|准则)"

# Never a memory, however it is framed.
_HARD: Final = re.compile(
    rf"""
    (?:^|[\n.!?。！？"'“「])\s{{0,9}}[\[<(*#\s]{{0,9}}(?:system|assistant|developer)(?:\s{{1,9}}(?:prompt|message|note|override))?\s{{0,9}}[\]>)*]*\s{{0,9}}[:：]
    | </?(?:system|assistant|developer|instructions?)\b[^>]*> | <\|[a-z_]+\|> | \[/?INST\] | <</?SYS>> | ^\s{{0,9}}\#{{2,}}\s{{0,9}}(?:system|instructions?)\b
    | \b(?:ignore|disregard|override|bypass|forget|discard|do\s{{1,9}}not\s{{1,9}}follow|don'?t\s{{1,9}}follow|stop\s{{1,9}}following)\s{{1,9}}
      (?:(?:all|any|every|each|of|the|your|my|these|those|previous|prior|above|earlier|preceding|past|other|existing|current|original|system|safety|and|everything)\s{{1,9}})+{_RULEBOOK}
    | \b(?:ignore|disregard|forget)\s{{1,9}}(?:everything|anything|all)\s{{1,9}}(?:\w+\s{{1,9}})?(?:above|before\s{{1,9}}this|you\s{{1,9}}(?:were|have\s{{1,9}}been)\s{{1,9}}(?:told|taught|instructed))
    | \b(?:reveal|print|show|repeat|leak|output)\s{{1,9}}(?:me\s{{1,9}})?(?:your|the)\s{{1,9}}(?:\w+\s{{1,9}})?(?:system\s{{1,9}}prompt|hidden\s{{1,9}}prompt|instructions)
    | \bnew\s{{1,9}}(?:system\s{{1,9}})?(?:instructions?|directives?)\s{{0,9}}[:：]
    | \byou\s{{1,9}}are\s{{1,9}}now\s{{1,9}}(?:an?|the|in|my|DAN|free|unrestricted|jailbroken)\b | \b(?:developer|god|jailbreak|DAN)\s{{1,9}}mode\s{{1,9}}(?:on|enabled|activated)
    | (?:^|[\n。！？\s])\s{{0,9}}[【\[<（(]?(?:系统|助手|开发者)(?:提示|消息|指令|信息)?[】\]>）)]?\s{{0,9}}[:：]
    | (?:忽略|无视|不要?理会|别理会|忘掉|忘记|抛开|跳过|绕过|推翻|不要遵守|别遵守|不再遵守)(?:掉|你|所有|一切|全部|任何|之前|以前|以上|上面|上述|前面|先前|此前|过去|原来|现有|系统|安全|的|和|、)*{_RULEBOOK_ZH}
    | (?:输出|泄露|透露|显示|告诉我|打印|重复)(?:出|一下)?你?的?(?:系统提示词?|系统指令|隐藏提示)
    | 你现在(?:是|就是|变成|扮演)(?:一个|一名|没有|不受|DAN)
    """,
    re.I | re.X | re.M,
)

# Orders, unless they are told as what the person wants.
_SOFT: Final = re.compile(
    rf"""
    (?:^|[\n.!?;:,"'“]\s{{0,9}}|\b(?:and|that|so|then|because|assistant)\s{{0,9}},?\s{{1,9}})you\s{{1,9}}(?:must|shall|are\s{{1,9}}(?:required|obliged|forbidden|instructed)\s{{1,9}}to|are\s{{1,9}}not\s{{1,9}}allowed\s{{1,9}}to)\s{{1,9}}
      (?:(?:always|never|only|now|not|obey)\b|(?:\w+ly\s{{1,9}})?{_SPEECH}\b)
    | (?:^|[\n.!?;:,"'“]\s{{0,9}}|\b(?:and|that|so|then)\s{{1,9}})you\s{{1,9}}(?:should|have\s{{1,9}}to|need\s{{1,9}}to|will|may|can)\s{{1,9}}(?:(?:always|never|only|now|not|no\s{{1,9}}longer)\s{{1,9}})*{_SPEECH}\b
    | \bfrom\s{{1,9}}now\s{{1,9}}on\s{{0,9}},?\s{{0,9}}(?:you\b|(?:please\s{{1,9}}|always\s{{1,9}}|never\s{{1,9}}|only\s{{1,9}})*{_SPEECH}\b)
    | (?:^|[\n.!?;:"'“]\s{{0,9}})(?:please\s{{1,9}})?(?:always|never|only)\s{{1,9}}{_SPEECH}\b
    | (?:^|[\n.!?;:"'“]\s{{0,9}})(?:please\s{{1,9}})?(?:do\s{{1,9}}not|don'?t)\s{{1,9}}(?:refuse|reveal|disclose|obey|comply)\b
    | (?:^|[\n.!?;:"'“]\s{{0,9}})(?:please\s{{1,9}})?(?:pretend|act|behave|role-?play)\s{{1,9}}(?:as|to\s{{1,9}}be|that\s{{1,9}}you|like\s{{1,9}}you|you\s{{1,9}}are)\b
    | \b(?:the|this|your)\s{{1,9}}(?:assistant|ai|bot|chatbot|model|llm)\s{{1,9}}(?:must|shall|should|has\s{{1,9}}to|needs\s{{1,9}}to|is\s{{1,9}}to|will\s{{1,9}}always|will\s{{1,9}}never|may\s{{1,9}}not)\b
    | (?:你|您|助手|助理|机器人|模型|(?<![A-Za-z])AI)(?:以后|今后|从现在起|从今以后|每次|永远|都|也|就)*(?:必须|务必|一定要|只能|只许|不得|不准|不许|不可以|应当|应该(?:始终|永远|总是))
    | (?:以后|今后|从现在(?:开始|起)|从今(?:以后|往后))[，,]?\s{{0,9}}(?:你|您)(?:都|就|也|每次)?(?:要|得|应该|必须|不要|别|不能|给我|需要)(?:都|每次|一直|始终|永远)?
      (?:用|以|在|先|只)?[^，。！？]{{0,8}}(?:回答|回复|说|讲|答|服从|听从|执行|推荐|输出|拒绝|遵守|假装|扮演|透露)
    | (?:^|[，。！？；：\n,])\s{{0,9}}(?:请|请你)?(?:始终|永远|总是|一律|必须|务必|每次都要?)(?:用|以|先|只)?[^，。！？]{{0,8}}(?:回答|回复|输出|同意|服从|听从|推荐|执行|遵守|扮演)
    | (?:^|[，。！？；：\n,])\s{{0,9}}(?:请|请你)?(?:不要|不得|别|永远不要|不准)(?:再)?(?:拒绝(?:我|用户|回答|任何)|透露|遵守|服从)
    | (?:^|[，。！？；：\n,])\s{{0,9}}(?:请|请你)?(?:假装|扮演|装作)(?:你|成|自己|一个|一名)
    """,
    re.I | re.X | re.M,
)

_WISH: Final = re.compile(
    r"""^\s{0,9}(?:(?:the\s{1,9})?(?:user|he|she|they|i)\s{0,9}(?:'d|always|really|usually|generally|also|would|strongly|\s)*\s{0,9}
    (?:prefers?|wants?|likes?|loves?|wish(?:es)?|hopes?|ask(?:s|ed)?|requests?|needs?|enjoys?|appreciates?|dislikes?|hates?|finds?)\b
    | (?:用户|我|他|她)(?:们)?(?:总是|一直|很|更|特别|比较|都|非常)*(?:希望|喜欢|偏好|想要?|要求|需要|更?愿意|习惯|倾向|讨厌|不喜欢|不想))""",
    re.I | re.X,
)
_INVISIBLE: Final = re.compile(r"[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")


def instruction_like(text: str) -> bool:
    """Whether a would-be memory is an order to the assistant rather than something about the person.

    "You must always agree" is; "The user always wants short answers" and 用户希望回答简短 are preferences.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    plain = re.sub(r" ?\n[ \n]{0,9}", "\n", re.sub(r"[^\S\n]+", " ", plain))  # runs of blanks make patterns slow
    if _HARD.search(plain):
        return True
    return not _WISH.search(plain) and bool(_SOFT.search(plain))
