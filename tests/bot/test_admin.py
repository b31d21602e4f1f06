"""`ebb memory …`: its words in both languages, one sentence for each mistake, and what its verbs show."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from bot.cli import memory as admin
from bot.settings import Settings
from bot.texts import LANGS, Texts
from memory.errors import StoreDamaged
from memory.models import Lang

FOR_PROGRAMMERS = re.compile(
    r"subparser|call__|unknown parser|mode %r|can't open|merge|invalid (argument|option string|conflict)"
    r"|dest=|conflicting|must be optional|unexpected option|not callable|deprecated|default: |required' is"
)
Run: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ebb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a verb; its exit code, and what it said on both streams."""

    def run(*argv: str, lang: Lang = "en") -> tuple[int, str, str]:
        try:
            code = admin.run(Settings(home=tmp_path, provider="offline", tz="UTC", lang=lang), argv)
        except SystemExit as e:  # of argparse
            code = int(e.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_argparse_speaks_both_languages() -> None:
    """Whatever this Python's argparse says to a person is translated; what it says to a programmer is not."""
    tree = ast.parse(Path(argparse.__file__).read_text("utf-8"))
    calls = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") in {"_", "ngettext"}
    ]
    said = {
        a.value
        for n in calls
        for a in n.args
        if isinstance(a, ast.Constant) and isinstance(a.value, str)
    }
    for lang in LANGS:
        assert {m for m in said if not FOR_PROGRAMMERS.search(m)} <= set(
            Texts("argparse").all(lang)
        )


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("nosuch",), 2),
        (("list", "--limit", "many"), 2),
        (("list", "--limit", "-1"), 2),
        (("list", "--kind", "foo"), 2),
        (("list", "--as-of"), 2),
        (("edit",), 2),
        (("report", "--nights", "0"), 2),
        (("upkeep", "--wet-run"), 2),
        (("mirror", "--keep-missing", "--forget-missing"), 2),
        (("show", "zzz"), 1),
        (("edit", "zzz", "x"), 1),
        (("delete",), 1),
        (("delete", "zzz"), 1),
        (("purge", "zzz"), 1),
        (("restore", "zzz"), 1),
        (("pin", "zzz"), 1),
        (("accept", "zzz"), 1),
        (("undo",), 1),
        (("undo", "last"), 1),
        (("undo", "zzz"), 1),
        (("add", " "), 1),
        (("import", "/nowhere/at/all"), 1),
        (("export", "/nowhere/at/all"), 1),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_mistake_gets_one_sentence(
    ebb: Run, argv: tuple[str, ...], code: int, lang: Lang
) -> None:
    """On stderr, in the person's language, with a code that a script can tell by."""
    got, out, err = ebb(*argv, lang=lang)
    assert (got, out) == (code, "")
    assert len(err.strip().splitlines()) == 1, err
    assert any("\u4e00" <= c <= "\u9fff" for c in err) is (lang == "zh"), err
    assert "Traceback" not in err


@pytest.mark.parametrize(("lang", "word"), [("en", "options"), ("zh", "选项")])
def test_bare_it_shows_its_help(ebb: Run, lang: Lang, word: str) -> None:
    """As with --help, of each verb too."""
    for argv in ((), ("--help",), ("undo", "--help")):
        code, out, err = ebb(*argv, lang=lang)
        assert (code, err) == (0, "")
        assert word in out


def test_a_word_is_found_wherever_it_stands(ebb: Run) -> None:
    """A search shows what a reply would recall, and whatever else has the word in it."""
    ebb("add", "My sister Anna lives in Oslo")
    ebb("add", "我喜欢喝绿茶")
    assert "Oslo" in ebb("search", "Anna")[1]
    assert "绿茶" in ebb("search", "绿茶")[1]
    assert ebb("search", "where does my sister live")[1].count("Oslo") == 1
    assert "“恐龙”" in ebb("search", "恐龙", lang="zh")[1]


def test_any_change_can_be_found_and_taken_back_by_its_id(ebb: Run) -> None:
    """The list names each act; one taken back twice, or in the wrong order, is told apart."""
    _, added, _ = ebb("add", "I like tea")
    memory_id = added.rpartition("[")[2].partition("]")[0]
    ebb("edit", memory_id, "I like green tea")
    code, out, _ = ebb("undo", "--list", lang="zh")
    assert code == 0
    _, edit, add = (line.partition("]")[0].rpartition("[")[2] for line in out.splitlines())
    assert "一次修改" in out
    code, _, err = ebb("undo", add)
    assert (code, edit in err) == (1, True)
    assert ebb("undo", "last")[0] == 0
    assert "I like tea" in ebb("list")[1]
    code, _, err = ebb("undo", edit)
    assert (code, "already" in err) == (1, True)
    assert ebb("undo", add)[0] == 0
    assert "已忘掉" in ebb("list", "--state", "deleted", lang="zh")[1]


@pytest.mark.parametrize(("lang", "said"), [("en", "1 new"), ("zh", "新增 1 条")])
def test_what_was_edited_is_told(ebb: Run, tmp_path: Path, lang: Lang, said: str) -> None:
    """By the verb that looks at the file, though every verb takes the edits."""
    ebb("add", "I like tea")
    page = tmp_path / "MEMORY.md"
    page.write_text(
        page.read_text("utf-8").replace("## Archived", "- 我养了一只猫\n\n## Archived"), "utf-8"
    )
    assert said in ebb("mirror", lang=lang)[1]
    assert said not in ebb("mirror", lang=lang)[1]
    assert "我养了一只猫" in ebb("list")[1]


@pytest.mark.parametrize(
    ("lang", "text", "words", "none"),
    [
        ("en", "I play the Zugtrompete", "zugtrompete", "stands nowhere"),
        ("zh", "我会吹尺八", "尺八", "没有任何地方"),
    ],
)
def test_words_are_traced_until_they_are_purged_from_backups_too(
    ebb: Run, tmp_path: Path, lang: Lang, text: str, words: str, none: str
) -> None:
    """A backup, a purge, a look at every byte; and where the file is damaged, which backups there are."""
    assert ebb("trace", words, lang=lang)[0] == 0
    memory_id = ebb("add", text, lang=lang)[1].rstrip().rpartition("[")[2].strip("]`")
    assert ebb("backup", lang=lang)[0] == 0
    code, out, _ = ebb("trace", words, lang=lang)
    assert code == 1
    assert "memories.content" in out
    assert "backups/" in out
    assert ebb("purge", memory_id, "--yes", lang=lang)[0] == 0
    code, out, _ = ebb("trace", words, lang=lang)
    assert (code, none in out) == (0, True)
    (name,) = (p.name for p in (tmp_path / "backups").iterdir())
    assert name in ebb("recover", lang=lang)[1]
    (tmp_path / "ebb.db").write_bytes(b"no database")
    with pytest.raises(StoreDamaged, match=name):
        ebb("list", lang=lang)
    assert ebb("recover", __file__, lang=lang)[0] == 1
    assert ebb("recover", name, lang=lang)[0] == 0
    assert ebb("list", lang=lang)[0] == 0
    assert ebb("trace", "?!", lang=lang)[0] == 2


def test_a_reader_that_leaves_is_no_fault_of_the_home(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ebb memory list | head` says nothing of a folder that cannot be used."""

    def leave(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(admin, "format_memory", leave)
    settings = Settings(home=tmp_path, provider="offline", tz="UTC", lang="en")
    with pytest.raises(BrokenPipeError):
        admin.run(settings, ["add", "Plays the cello"])
    assert capsys.readouterr().err == ""
