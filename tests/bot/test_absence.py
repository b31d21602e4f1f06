"""No text of ours says that the person never told something: what was not found may be there."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / f for f in ("memory/learn/remember.py",)]
CATALOGUES = [*ROOT.glob("bot/**/texts/*.toml"), *ROOT.glob("tui/texts/*.toml")]
DENIES = re.compile(
    r"\byou (?:haven['’]t|have not|never|didn['’]t|did not) (?:told|tell|said|say|mention\w*|named?)\b"
    r"|\bI (?:don['’]t|do not) (?:know|remember)\b|\bI know (?:nothing|of no)\b|\bnothing (?:is )?known\b"
    r"|\bnothing (?:comes|came) to mind\b|\bno memory of mine\b|\bnothing was said\b"
    r"|没(?:有)?(?:告诉|跟我说|说过|提过)|还?不知道你|还不知道|我不知道(?!说什么)|不记得|没有想起",
    re.IGNORECASE,
)
QUOTED = re.compile(r"“[^”]*”")  # what the rules tell a model not to say
NOT_A_PATTERN = re.compile(r"[|\\^]|\(\?")


def texts() -> list[tuple[str, str]]:
    """Every text that people or models read, with where it stands."""
    out = [(p.name, p.read_text(encoding="utf-8")) for p in (ROOT / "prompts").glob("*.md")]
    for file in FILES:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        said = [
            n.value
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
        out += [(file.name, s) for s in said if not NOT_A_PATTERN.search(s)]
    for file in CATALOGUES:
        tables = tomllib.loads(file.read_text(encoding="utf-8")).values()
        out += [(str(file.relative_to(ROOT)), s) for table in tables for s in table.values()]
    for file in ROOT.glob("memory/text/*/language.toml"):
        words = tomllib.loads(file.read_text(encoding="utf-8"))["mirror"].values()
        out += [(f"{file.parent.name} mirror", s) for s in words if isinstance(s, str)]
    return out


def test_no_text_claims_absence() -> None:
    """Neither language; the rules and the block beside the newest message tell models to speak so."""
    found = texts()
    assert len(found) > 500
    # “没说过” of the empty block: it says that not finding proves nothing.
    proves = "不表示对方没说过"
    denied = [
        (name, s[:120]) for name, s in found if DENIES.search(QUOTED.sub("", s).replace(proves, ""))
    ]
    assert denied == []
    for lang, say in (("en", "I can't find that"), ("zh", "我没找到")):
        assert say in (ROOT / f"prompts/rules.{lang}.md").read_text(encoding="utf-8")
