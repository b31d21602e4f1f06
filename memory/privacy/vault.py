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
_POINTER: Final = "key.keyring"  # names the entry in the keyring of the operating system
_SERVICE: Final = "ebb"
_VERSION: Final = b"\x01"
_NONCE: Final = 12
_TAG: Final = 16


def find_key(home: Path) -> bytes | None:
    """Return the key of this home, from the file `key` or else the keyring, None if in neither."""
    path, pointer = home / _NAME, home / _POINTER
    key: bytes | None = None
    if path.exists():
        key = path.read_bytes()
    elif pointer.exists():
        key = _from_keyring(pointer.read_text("ascii").strip())
    return key if key is not None and len(key) == KEY_BYTES else None


def find_key_place(home: Path) -> Path:
    """Return the file `key`, or the file that names the key's entry in the keyring."""
    pointer = home / _POINTER
    return pointer if pointer.exists() and not (home / _NAME).exists() else home / _NAME


def load_key(home: Path) -> bytes:
    """Return the key of this home, made at first use: in the system's keyring, else in a 0600 file.

    Two processes starting at once get the same key: its file appears whole or not at all, and the
    first one stays. A file of the wrong length is set aside as `key.damaged`.
    """
    home.mkdir(parents=True, exist_ok=True)
    for _ in range(8):
        if (key := find_key(home)) is not None:
            return key
        held = find_key_place(home)
        if held.exists():
            if find_key(home) is not None:  # another thread or process has just made it
                continue
            held.replace(home / "key.damaged")
        entry, made = secrets.token_hex(8), secrets.token_bytes(KEY_BYTES)
        if _to_keyring(entry, made):
            _create(home / _POINTER, entry.encode())
        else:
            _create(home / _NAME, made)
    raise OSError(f"Cannot keep a key in {home}: is the directory writable?")


def fingerprint_key(key: bytes) -> str:
    """Return what tells keys apart and gives nothing of them away."""
    return hmac.new(key, b"ebb key 1", hashlib.sha256).hexdigest()[:16]


def _to_keyring(entry: str, key: bytes) -> bool:
    """Put the key into the system's keyring; False where there is none that gives it back."""
    import keyring
    from keyring.errors import KeyringError

    try:
        if keyring.get_keyring().priority < 1:
            return False
        keyring.set_password(_SERVICE, entry, key.hex())
    except (KeyringError, OSError, RuntimeError):
        return False
    return _from_keyring(entry) == key


def _from_keyring(entry: str) -> bytes | None:
    import keyring
    from keyring.errors import KeyringError

    try:
        return bytes.fromhex(keyring.get_password(_SERVICE, entry) or "")
    except (KeyringError, OSError, RuntimeError, ValueError):
        return None


def _create(path: Path, content: bytes) -> None:
    """Put a new file at `path` unless somebody else does so first."""
    fd, name = tempfile.mkstemp(prefix=".key-", dir=path.parent)  # mkstemp gives 0600
    try:
        with os.fdopen(fd, "wb") as f:
            f.write(content)
            f.flush()
            os.fsync(f.fileno())
        try:
            os.link(name, path)  # fails if the name is taken, unlike rename
        except FileExistsError:
            return
        except OSError:
            # A file system without hard links: rename is still whole, though the later of two may
            # win.
            if not path.exists():
                Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _subkey(key: bytes) -> bytes:
    """Derive the key of sealing: tombstones are hashed with the file's own."""
    return hmac.new(key, b"ebb seal 1", hashlib.sha256).digest()


def seal(key: bytes, text: str, *, bound_to: str = "") -> bytes:
    """Encrypt a text; only the same key and `bound_to` (the memory's id) open it."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = secrets.token_bytes(_NONCE)
    return _VERSION + nonce + AESGCM(_subkey(key)).encrypt(nonce, text.encode(), bound_to.encode())


def unseal(key: bytes, sealed: bytes, *, bound_to: str = "") -> str | None:
    """Return the text; None if the key was lost, or the bytes changed or belong elsewhere."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(sealed) < 1 + _NONCE + _TAG or sealed[:1] != _VERSION:
        return None
    try:
        plain = AESGCM(_subkey(key)).decrypt(
            sealed[1 : 1 + _NONCE], sealed[1 + _NONCE :], bound_to.encode()
        )
    except InvalidTag:
        return None
    return plain.decode()
