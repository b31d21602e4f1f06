"""Find what must not be stored as said, and keep the key that protects it.

Pure but for the key. Secrets are found by shape (keys, cards, identity numbers) or because the
person named them ("my password is …", 密码是…); ordinary numbers, dates and phone numbers are left
alone.
"""

from __future__ import annotations

from memory.privacy.judgements import (
    classify_instruction,
    classify_sensitivity,
    is_refused_instruction,
)
from memory.privacy.redaction import make_secret_label, mask_values, redact
from memory.privacy.vault import find_key, find_key_place, fingerprint_key, load_key, seal, unseal

__all__ = [
    "classify_instruction",
    "classify_sensitivity",
    "find_key",
    "find_key_place",
    "fingerprint_key",
    "is_refused_instruction",
    "load_key",
    "make_secret_label",
    "mask_values",
    "redact",
    "seal",
    "unseal",
]
