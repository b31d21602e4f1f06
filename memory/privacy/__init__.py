"""Find what must not be stored as said, and keep the key that protects it.

Pure but for the key. Secrets are found by shape (keys, cards, identity numbers) or because the person
named them ("my password is …", 密码是…); ordinary numbers, dates and phone numbers are left alone.
"""

from __future__ import annotations

from memory.privacy.instructions import instruction_like, instruction_sort
from memory.privacy.redaction import Finding, mask, redact, secret_label
from memory.privacy.rules import SecretKind
from memory.privacy.sensitivity import sensitivity_of
from memory.privacy.vault import find_key, key_mark, load_key, seal, unseal, where_key

__all__ = [
    "Finding",
    "SecretKind",
    "find_key",
    "instruction_like",
    "instruction_sort",
    "key_mark",
    "load_key",
    "mask",
    "redact",
    "seal",
    "secret_label",
    "sensitivity_of",
    "unseal",
    "where_key",
]
