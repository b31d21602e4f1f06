"""The one key of an Ebb home, and sealing with it (AES-256-GCM)."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from pathlib import Path
from typing import Final

KEY_BYTES: Final = 32
_NAME: Final = "key"
_VERSION: Final = b"\x01"
_NONCE: Final = 12
_TAG: Final = 16


def load_key(home: Path) -> bytes:
    """The 32 bytes in `home/key`, made at first use with mode 0600.

    Two processes starting at once get the same key: the file appears whole or not at all, and the first one
    stays. A lost key is made anew: what was sealed with the old one can no longer be opened, and nothing else
    changes. A file of the wrong length is set aside as `key.damaged`.
    """
    path = home / _NAME
    home.mkdir(parents=True, exist_ok=True)
    for _ in range(8):
        try:
            key = path.read_bytes()
        except FileNotFoundError:
            _create(path)
            continue
        if len(key) == KEY_BYTES:
            return key
        path.replace(path.with_name("key.damaged"))
    raise OSError(f"Cannot keep a key in {path}: is the directory writable?")


def _create(path: Path) -> None:
    """Put a new key at `path` unless somebody else does so first."""
    fd, name = tempfile.mkstemp(prefix=".key-", dir=path.parent)  # mkstemp gives 0600
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(secrets.token_bytes(KEY_BYTES))
            f.flush()
            os.fsync(f.fileno())
        try:
            os.link(name, path)  # fails if the name is taken, unlike rename
        except FileExistsError:
            return
        except OSError:
            # A file system without hard links: rename is still whole, though the later of two may win.
            if not path.exists():
                Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _subkey(key: bytes) -> bytes:
    """Tombstones are hashed with the same file's key; sealing uses one of its own derived from it."""
    return hmac.new(key, b"ebb seal 1", hashlib.sha256).digest()


def seal(key: bytes, text: str, *, bound_to: str = "") -> bytes:
    """Encrypt `text`; it can only be opened with the same key and the same `bound_to` (the memory's id)."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = secrets.token_bytes(_NONCE)
    return _VERSION + nonce + AESGCM(_subkey(key)).encrypt(nonce, text.encode(), bound_to.encode())


def unseal(key: bytes, sealed: bytes, *, bound_to: str = "") -> str | None:
    """The text, or None if the key was lost, the bytes were changed, or they belong to something else."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(sealed) < 1 + _NONCE + _TAG or sealed[:1] != _VERSION:
        return None
    try:
        plain = AESGCM(_subkey(key)).decrypt(sealed[1 : 1 + _NONCE], sealed[1 + _NONCE :], bound_to.encode())
    except InvalidTag:
        return None
    return plain.decode()
