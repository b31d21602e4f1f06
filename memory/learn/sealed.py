# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""Secrets in use: opened only when the person asks for the very one (DESIGN §11)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from memory import privacy
from memory.errors import NotFound
from memory.learn.contains import units
from memory.models import Filter, Hit, Memory, MemoryId, Sensitivity, State
from memory.ports import Store

_NOUN: Final = re.compile(
    r"\b(?:passwords?|passcode|passphrase|pins?|codes?|keys?|tokens?|card numbers?|account|iban|cvv|seed phrase|recovery phrase|login|ssn|id number|secret)\b"
    r"|密码|口令|密钥|令牌|卡号|账号|账户|身份证|验证码|门禁|助记词|私钥|PIN",
    re.I,
)
_ASKED: Final = re.compile(
    r"\?|？|\b(?:what|which|tell|remind|show|give|need|look up|find|forgot|can['’]?t remember|do you (?:know|remember))\b"
    r"|什么|多少|告诉|提醒|给我|查|忘|记得|吗|是啥|显示|帮我找",
    re.I,
)
_NOT_ONE: Final = re.compile(
    r"password manager|(?:good|strong|best|safe|new) password|密码管理器|密码学|source code|key point", re.I
)
_ENOUGH: Final = 0.6  # share of the label's words, or of the question's, that have to agree
_MOST: Final = 2


def asked_for(text: str) -> bool:
    """Whether the message asks for a secret at all."""
    return bool(_NOUN.search(text) and _ASKED.search(text) and not _NOT_ONE.search(text))


@dataclass(frozen=True, slots=True)
class Sealed:
    """Opens what was sealed with this home's key."""

    store: Store
    key: bytes

    async def open(self, user_id: str, memory_id: MemoryId) -> str | None:
        """What was sealed; None if the key was lost or nothing is sealed there. Raises NotFound."""
        found = await self.store.read(user_id, lambda tx: (tx.memories.get(memory_id), tx.secret(memory_id)))
        memory, kept = found
        if memory is None:
            raise NotFound(f"There is no memory {memory_id}.")
        return None if kept is None else privacy.unseal(self.key, kept, bound_to=memory_id)

    async def hits(self, user_id: str, text: str) -> list[Hit]:
        """The secrets that the message asks for, opened, for this one prompt. Traces keep ids alone."""
        if not asked_for(text):
            return []
        f = Filter(states=frozenset({State.ACTIVE}), max_sensitivity=Sensitivity.SECRET)
        page = await self.store.read(user_id, lambda tx: tx.memories.find(f, limit=5_000))
        scored = [(_fit(text, m), m) for m in page.items if m.sensitivity is Sensitivity.SECRET]
        best = sorted((s for s in scored if s[0] >= _ENOUGH), key=lambda s: -s[0])[:_MOST]
        out: list[Hit] = []
        for score, m in best:
            value = await self.open(user_id, m.id)
            if value is not None and score >= best[0][0] - 0.2:
                out.append(Hit(replace(m, content=f"{m.content}: {value}"), score, gate=1.0, why="secret"))
        return out


def _fit(text: str, m: Memory) -> float:
    asked, label = units(_joined(text)), units(_joined(m.original_content))
    if not _NOUN.search(m.original_content) or not label:
        return 0.0
    shared = len(asked & label)
    specific = len(label & units(" ".join(_NOUN.findall(_joined(m.original_content)))))
    if shared == 0 or not (asked & label & units(" ".join(_NOUN.findall(_joined(text))))):
        return 0.0
    return max(shared / len(label), 0.7 if shared > specific else 0.0)


def _joined(text: str) -> str:
    return re.sub(r"\bwi[- ]fi\b", "wifi", text, flags=re.I)
