"""One key per home, and what is sealed with it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend

from memory.privacy import find_key, load_key, seal, unseal

KEY = bytes(range(32))


def test_the_key_is_made_once_and_kept_private(tmp_path: Path) -> None:
    """The same 32 bytes at every start, readable by its owner alone, and nothing else left behind."""
    home = tmp_path / "new" / "home"
    key = load_key(home)
    assert len(key) == 32
    assert load_key(home) == key
    assert [p.name for p in home.iterdir()] == ["key"]
    if os.name == "posix":
        assert stat.S_IMODE((home / "key").stat().st_mode) == 0o600


def test_two_processes_at_once_get_one_key(tmp_path: Path) -> None:
    """Whoever is first, both go on with the same."""
    code = "import sys; from pathlib import Path; from memory.privacy import load_key; print(load_key(Path(sys.argv[1])).hex())"

    def run(_: int) -> str:
        return subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)], check=True, capture_output=True, text=True
        ).stdout

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(run, range(4)))) == 1


def test_threads_at_once_get_one_key(tmp_path: Path) -> None:
    """The file appears whole or not at all."""
    with ThreadPoolExecutor(16) as pool:
        assert len(set(pool.map(lambda _: load_key(tmp_path), range(64)))) == 1


def test_the_key_lives_in_the_keyring_of_the_system_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home's own file comes first; a keyring that does not give back what it was given is none."""
    entries = Keyring()
    monkeypatch.setattr("keyring.core._keyring_backend", entries)
    key = load_key(tmp_path / "a")
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["key.keyring"]
    assert find_key(tmp_path / "a") == load_key(tmp_path / "a") == key
    entries.kept.clear()
    assert find_key(tmp_path / "a") is None
    entries.deaf = True
    assert load_key(tmp_path / "b") == (tmp_path / "b" / "key").read_bytes()


class Keyring(KeyringBackend):
    """A keyring in memory; a deaf one keeps nothing."""

    priority = 5

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.deaf = False

    def set_password(self, service: str, username: str, password: str) -> None:
        if not self.deaf:
            self.kept[service, username] = password

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))


def test_a_damaged_key_is_set_aside(tmp_path: Path) -> None:
    """Ebb starts with a new one; the old file stays for whoever wants to mend it."""
    (tmp_path / "key").write_bytes(b"short")
    assert len(load_key(tmp_path)) == 32
    assert (tmp_path / "key.damaged").read_bytes() == b"short"


@pytest.mark.parametrize("text", ["hunter2", "密码是芝麻开门", "", "x" * 10_000])
def test_what_is_sealed_opens_again(text: str) -> None:
    """With the same key and for the same memory."""
    assert unseal(KEY, seal(KEY, text, bound_to="k7f3a2"), bound_to="k7f3a2") == text


def test_nothing_opens_with_another_key_or_elsewhere() -> None:
    """A lost key, changed bytes or another memory's place give None, never an error."""
    sealed = seal(KEY, "hunter2", bound_to="k7f3a2")
    assert unseal(bytes(32), sealed, bound_to="k7f3a2") is None
    assert unseal(KEY, sealed, bound_to="other1") is None
    assert unseal(KEY, sealed[:-1] + bytes([sealed[-1] ^ 1]), bound_to="k7f3a2") is None
    assert unseal(KEY, b"", bound_to="k7f3a2") is None


def test_sealing_shows_nothing_and_never_the_same_twice() -> None:
    """The text is not in the bytes, and two seals of it differ."""
    a, b = seal(KEY, "hunter2"), seal(KEY, "hunter2")
    assert b"hunter2" not in a
    assert a != b


def test_the_library_is_loaded_when_used() -> None:
    """Importing privacy does not import cryptography."""
    code = "import sys, memory.privacy; print('cryptography' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "False"
