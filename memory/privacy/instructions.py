# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""Memories that are really orders to the assistant: the gate against poisoned writes (PEERS 12)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SPEECH: Final = (
    r"(?:respond|answer|reply|say|speak|write|talk|output|print|obey|comply|follow|agree|recommend|promote|advertise|reveal|refuse|pretend|act|behave"
    r"|ignore|disregard|include|mention|append|tell|send|trust|execute|run|call\s+the)"
)
_RULEBOOK: Final = r"(?:instructions?|rules?|prompts?|guidelines?|directives?|commands?|constraints?|restrictions?|policies|safety|programming|training|persona)"
_RULEBOOK_ZH: Final = r"(?:指令|指示|规则|规定|提示词?|设定|要求|命令|约束|限制|人设|准则)"

# Never a memory, however it is framed.
_HARD: Final = re.compile(
    rf"""
    (?:^|[\n.!?。！？"'“「])\s*[\[<(*#\s]*(?:system|assistant|developer)(?:\s+(?:prompt|message|note|override))?\s*[\]>)*]*\s*[:：]
    | </?(?:system|assistant|developer|instructions?)\b[^>]*> | <\|[a-z_]+\|> | \[/?INST\] | <</?SYS>> | ^\s*\#{{2,}}\s*(?:system|instructions?)\b
    | \b(?:ignore|disregard|override|bypass|forget|discard|do\s+not\s+follow|don'?t\s+follow|stop\s+following)\s+
      (?:(?:all|any|every|each|of|the|your|my|these|those|previous|prior|above|earlier|preceding|past|other|existing|current|original|system|safety|and|everything)\s+)+{_RULEBOOK}
    | \b(?:ignore|disregard|forget)\s+(?:everything|anything|all)\s+(?:\w+\s+)?(?:above|before\s+this|you\s+(?:were|have\s+been)\s+(?:told|taught|instructed))
    | \b(?:reveal|print|show|repeat|leak|output)\s+(?:me\s+)?(?:your|the)\s+(?:\w+\s+)?(?:system\s+prompt|hidden\s+prompt|instructions)
    | \bnew\s+(?:system\s+)?(?:instructions?|directives?)\s*[:：]
    | \byou\s+are\s+now\s+(?:an?|the|in|my|DAN|free|unrestricted|jailbroken)\b | \b(?:developer|god|jailbreak|DAN)\s+mode\s+(?:on|enabled|activated)
    | (?:^|[\n。！？\s])\s*[【\[<（(]?(?:系统|助手|开发者)(?:提示|消息|指令|信息)?[】\]>）)]?\s*[:：]
    | (?:忽略|无视|不要?理会|别理会|忘掉|忘记|抛开|跳过|绕过|推翻|不要遵守|别遵守|不再遵守)(?:掉|你|所有|一切|全部|任何|之前|以前|以上|上面|上述|前面|先前|此前|过去|原来|现有|系统|安全|的|和|、)*{_RULEBOOK_ZH}
    | (?:输出|泄露|透露|显示|告诉我|打印|重复)(?:出|一下)?你?的?(?:系统提示词?|系统指令|隐藏提示)
    | 你现在(?:是|就是|变成|扮演)(?:一个|一名|没有|不受|DAN)
    """,
    re.I | re.X | re.M,
)

# Orders, unless they are told as what the person wants.
_SOFT: Final = re.compile(
    rf"""
    (?:^|[\n.!?;:,"'“]\s*|\b(?:and|that|so|then|because|assistant)\s*,?\s+)you\s+(?:must|shall|are\s+(?:required|obliged|forbidden|instructed)\s+to|are\s+not\s+allowed\s+to)\s+
      (?:(?:always|never|only|now|not|obey)\b|(?:\w+ly\s+)?{_SPEECH}\b)
    | (?:^|[\n.!?;:,"'“]\s*|\b(?:and|that|so|then)\s+)you\s+(?:should|have\s+to|need\s+to|will|may|can)\s+(?:(?:always|never|only|now|not|no\s+longer)\s+)*{_SPEECH}\b
    | \bfrom\s+now\s+on\s*,?\s*(?:you\b|(?:please\s+|always\s+|never\s+|only\s+)*{_SPEECH}\b)
    | (?:^|[\n.!?;:"'“]\s*)(?:please\s+)?(?:always|never|only)\s+{_SPEECH}\b
    | (?:^|[\n.!?;:"'“]\s*)(?:please\s+)?(?:do\s+not|don'?t)\s+(?:refuse|reveal|disclose|obey|comply)\b
    | (?:^|[\n.!?;:"'“]\s*)(?:please\s+)?(?:pretend|act|behave|role-?play)\s+(?:as|to\s+be|that\s+you|like\s+you|you\s+are)\b
    | \b(?:the|this|your)\s+(?:assistant|ai|bot|chatbot|model|llm)\s+(?:must|shall|should|has\s+to|needs\s+to|is\s+to|will\s+always|will\s+never|may\s+not)\b
    | (?:你|您|助手|助理|机器人|模型|(?<![A-Za-z])AI)(?:以后|今后|从现在起|从今以后|每次|永远|都|也|就)*(?:必须|务必|一定要|只能|只许|不得|不准|不许|不可以|应当|应该(?:始终|永远|总是))
    | (?:以后|今后|从现在(?:开始|起)|从今(?:以后|往后))[，,]?\s*(?:你|您)(?:都|就|也|每次)?(?:要|得|应该|必须|不要|别|不能|给我|需要)(?:都|每次|一直|始终|永远)?
      (?:用|以|在|先|只)?[^，。！？]{{0,8}}(?:回答|回复|说|讲|答|服从|听从|执行|推荐|输出|拒绝|遵守|假装|扮演|透露)
    | (?:^|[，。！？；：\n,])\s*(?:请|请你)?(?:始终|永远|总是|一律|必须|务必|每次都要?)(?:用|以|先|只)?[^，。！？]{{0,8}}(?:回答|回复|输出|同意|服从|听从|推荐|执行|遵守|扮演)
    | (?:^|[，。！？；：\n,])\s*(?:请|请你)?(?:不要|不得|别|永远不要|不准)(?:再)?(?:拒绝(?:我|用户|回答|任何)|透露|遵守|服从)
    | (?:^|[，。！？；：\n,])\s*(?:请|请你)?(?:假装|扮演|装作)(?:你|成|自己|一个|一名)
    """,
    re.I | re.X | re.M,
)

_WISH: Final = re.compile(
    r"""^\s*(?:(?:the\s+)?(?:user|he|she|they|i)\s*(?:'d|always|really|usually|generally|also|would|strongly|\s)*\s*
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
    plain = re.sub(r" ?\n[ \n]*", "\n", re.sub(r"[^\S\n]+", " ", plain))  # runs of blanks make patterns slow
    if _HARD.search(plain):
        return True
    return not _WISH.search(plain) and bool(_SOFT.search(plain))
