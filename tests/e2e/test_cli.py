"""The command line, as a shell sees it."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests import warm
from tests.servers import tasks
from tests.servers.tasks import answer_tasks, served

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(240)  # each test starts the command many times


def started(home: Path, *args: str) -> subprocess.Popen[str]:
    """`ebb`, begun, with its data in `home`."""
    return subprocess.Popen(
        [sys.executable, "-m", "bot", *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env=surroundings(home),
    )


def surroundings(home: Path, **env: str) -> dict[str, str]:
    """The environment of who has no model."""
    base = {k: v for k, v in os.environ.items() if not k.startswith(("EBB_", "OPENAI_"))}
    base |= {
        "EBB_HOME": str(home),
        "EBB_PROVIDER": "offline",
        "EBB_TZ": "UTC",
        "PYTHONIOENCODING": "utf-8",
        **env,
    }
    return base


def ebb(
    home: Path, *args: str, stdin: str | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run `ebb` with its data in `home`, without a model; warm, for tests that run it many times."""
    return warm.ebb(args, surroundings(home, **env), stdin=stdin, timeout=50)


def cold(
    home: Path, *args: str, stdin: str | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run `ebb` from nothing, as a shell does."""
    return subprocess.run(
        [sys.executable, "-m", "bot", *args],
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env=surroundings(home, **env),
        timeout=50,
        check=False,
    )


def test_one_question_with_the_same_memory(tmp_path: Path) -> None:
    """What one call was told the next one knows; a pipe works as well; /why and the list explain."""
    with served() as model:
        answer_tasks(model)
        env = tasks.surroundings(tmp_path, model)
        told = cold(tmp_path, "ask", "I'm allergic to peanuts.", **env)
        assert (told.returncode, told.stderr) == (0, "")
        asked = ebb(tmp_path, "ask", stdin="What am I allergic to?\n", **env)
        assert asked.returncode == 0
        assert "peanut" in asked.stdout
        listed = ebb(tmp_path, "memory", "list", **env)
        assert "peanut" in listed.stdout
        why = ebb(tmp_path, "ask", "/why", **env)
        assert "peanut" in why.stdout
        assert ebb(tmp_path, "ask", "--temp", "I love figs.", **env).returncode == 0
        assert "figs" not in ebb(tmp_path, "memory", "list", **env).stdout


def test_bad_input_gets_one_sentence(tmp_path: Path) -> None:
    """No traceback, no stack: one line that says what to do."""
    for args, env in (
        (("ask",), {}),
        (("ask", "hi"), {"EBB_FORGETTING": "sometimes"}),
        (("ask", "hi"), {"EBB_TZ": "Mars/Olympus"}),
        (("memory", "show", "zzzzzz"), {}),
        (("ask", "hi"), {"EBB_CONTEXT_TOKENS": "many"}),
        (("ask", "hi"), {"EBB_PERSONA": str(tmp_path / "nobody.md")}),
        (("aks", "hi"), {}),
    ):
        done = ebb(tmp_path, *args, **env)
        assert done.returncode in (1, 2), (args, env)
        assert "Traceback" not in done.stderr + done.stdout
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_no_control_sequence_reaches_the_terminal(tmp_path: Path) -> None:
    """Neither what was told nor what is typed as an argument; joined emoji, tabs and lines stay."""
    ebb(
        tmp_path,
        "memory",
        "add",
        "My cat\x1b]52;c;aGk=\x07 is \u202ecalled\x9b31m 👨‍👩‍👧 Zork\x08 now",
    )
    shown = [
        ebb(tmp_path, *args)
        for args in (
            ("memory", "list"),
            ("memory", "search", "cat\x1b[2J"),
            ("ask", "/memories"),
            ("ask", "What is my cat called?\x1b[31m"),
            ("memory", "show", "no\x1b]8;;http://a\x07"),
            ("memory", "export"),
            ("\x1b[31mnothing",),
        )
    ]
    text = "".join(done.stdout + done.stderr for done in shown)
    assert not re.search(
        "[^\\S\n\t ]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]",
        text.replace("\u3000", ""),
    )
    assert "␛]52;c;aGk=␇" in shown[0].stdout
    assert "👨‍👩‍👧" in shown[0].stdout
    assert "\\u001b]52" in shown[5].stdout


def test_the_command_speaks_chinese_too(tmp_path: Path) -> None:
    """Its help, a command there is none of, an option nobody knows, a file that cannot be used."""
    helped = cold(tmp_path, "--help", EBB_LANG="zh")
    assert (helped.returncode, helped.stderr) == (0, "")
    assert "在终端里聊天" in helped.stdout
    for args in (("aks", "hi"), ("ask", "--nosuch"), ("memory", "import", "/nowhere/at/all")):
        done = ebb(tmp_path, *args, EBB_LANG="zh")
        assert done.returncode in (1, 2)
        assert len(done.stderr.strip().splitlines()) == 1
        assert any("\u4e00" <= c <= "\u9fff" for c in done.stderr), done.stderr


def test_a_dry_run_changes_not_a_byte(tmp_path: Path) -> None:
    """Not even what was edited in MEMORY.md is taken: every file is what it was, and what is said is not done."""
    ebb(tmp_path, "memory", "add", "I like tea")
    notes = tmp_path / "notes.txt"
    notes.write_text("I like plums\n", "utf-8")
    page = tmp_path / "MEMORY.md"
    page.write_text(page.read_text("utf-8").replace("I like tea", "I like green tea"), "utf-8")
    before = _contents(tmp_path)
    for args in (("upkeep", "--dry-run"), ("import", str(notes), "--dry-run")):
        assert ebb(tmp_path, "memory", *args).returncode == 0
        assert _contents(tmp_path) == before
    assert "green tea" in ebb(tmp_path, "memory", "list").stdout


def _contents(home: Path) -> tuple[list[str], dict[str, bytes]]:
    """The database as SQL, for a file of SQLite's may be written anew without changing; the rest as it is."""
    with closing(sqlite3.connect(home / "ebb.db")) as con:
        tables = [
            r[0]
            for r in con.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
            )
        ]
        rows = [f"{t}: {r}" for t in tables for r in con.execute(f'SELECT * FROM "{t}"').fetchall()]
    return rows, {
        p.name: p.read_bytes() for p in home.iterdir() if p.suffix in {".md", ".bak", ".txt"}
    }


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    """One sentence, and the file stays as it was."""
    (tmp_path / "ebb.db").write_bytes(b"not a database at all" * 100)
    done = ebb(tmp_path, "ask", "hi")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert (tmp_path / "ebb.db").read_bytes() == b"not a database at all" * 100


def test_everything_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    """Database, key and log: 0600."""
    home = tmp_path / "home"
    ebb(home, "ask", "hello")
    modes = {p.name: oct(p.stat().st_mode & 0o777) for p in home.iterdir() if p.is_file()}
    assert modes["ebb.db"] == "0o600"
    assert set(modes.values()) == {"0o600"}
    assert oct(home.stat().st_mode & 0o777) == "0o700"


def test_a_directory_that_cannot_be_used(tmp_path: Path) -> None:
    """One sentence; the doctor looks at everything else all the same."""
    home = tmp_path / "home"
    home.write_text("a file where the directory should be")
    asked = ebb(home, "ask", "hi")
    assert asked.returncode == 2
    assert len(asked.stderr.strip().splitlines()) == 1
    doctor = ebb(home, "doctor")
    assert "cannot be written to" in doctor.stdout
    assert "SQLite" in doctor.stdout
    assert doctor.stderr == ""


def test_a_log_that_cannot_be_written_is_not_spoken_of(tmp_path: Path) -> None:
    """Whatever goes wrong with the log, the screen shows none of it."""
    (tmp_path / "ebb.log").symlink_to("/dev/full")
    broken = {
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
        "OPENAI_API_KEY": "x",
        "EBB_PROVIDER": "openai",
    }
    asked = cold(tmp_path, "ask", "hi", **broken)
    assert "Logging error" not in asked.stderr
    assert "Traceback" not in asked.stderr
    assert "cannot be reached" in asked.stderr


@pytest.mark.parametrize(
    ("question", "waiting"),
    [("What do I like?", "keeps the memory file locked"), ("我喜欢什么？", "正锁着记忆文件")],
)
def test_a_lock_of_another_process_is_named_while_it_lasts(
    tmp_path: Path, question: str, waiting: str
) -> None:
    """One sentence on stderr, the answer on stdout when the lock is gone."""
    assert ebb(tmp_path, "ask", "I like tea").returncode == 0
    with closing(sqlite3.connect(tmp_path / "ebb.db", isolation_level=None)) as con:
        con.execute("BEGIN IMMEDIATE")
        with started(tmp_path, "ask", question) as asked:
            assert asked.stderr is not None
            first = asked.stderr.readline()  # said while it waits: only then is the lock let go
            con.execute("ROLLBACK")
            out, rest = asked.communicate(timeout=50)
    assert waiting in first
    assert rest == ""
    assert asked.returncode == 0
    assert out.strip()


def test_a_lock_that_stays_ends_in_one_sentence(tmp_path: Path) -> None:
    """After the wait is named, one more line says that nothing was done."""
    assert ebb(tmp_path, "ask", "I like tea").returncode == 0
    with closing(sqlite3.connect(tmp_path / "ebb.db", isolation_level=None)) as con:
        con.execute("BEGIN IMMEDIATE")
        asked = cold(tmp_path, "ask", "What do I like?")
        con.execute("ROLLBACK")
    assert asked.returncode == 2
    assert asked.stdout == ""
    waiting, ended = asked.stderr.strip().splitlines()
    assert "waiting" in waiting
    assert "nothing was done" in ended
