"""A page as version 0.1 wrote it: `pages/old.*.md` were made by the code of that form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory.mirror import MirrorPlace
from memory.mirror.page import parse_kind
from memory.models import State
from tests.memory.mirror.conftest import Desk, block

PAGES = Path(__file__).parent / "pages"


async def open_old(desk: Desk, lang: str) -> tuple[str, dict[str, str]]:
    """Return the kept page with the ids of this desk's memories, and the ids by their texts."""
    kept = (PAGES / f"old.{lang}.md").read_text("utf-8")
    desk.service.keep_mirror(MirrorPlace(desk.home, desk.user, lang=lang))
    entries = re.findall(r"^### \[(\w+)\] (.*?) \|.*\n(?:<!--.*\n)?(.*)\n", kept, re.MULTILINE)
    ids = {}
    for n, (was, kind, text) in enumerate(entries[:8]):
        m = await desk.remember(f"thing number {n}")
        m = await desk.put(m, original_content=text, content=text, kind=parse_kind(kind))
        ids[text] = m.id
        kept = kept.replace(f"[{was}]", f"[{m.id}]")
    for was, _, _ in entries[8:]:
        kept = re.sub(rf"### \[{was}\].*\n(?:<!--.*\n)?.*\n\n?", "", kept)
    await desk.sync()
    stamp = re.search("<!-- ebb: .*? -->", desk.text)
    assert stamp is not None
    return re.sub("<!-- ebb: .*? -->", stamp[0], kept), ids


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_a_page_of_the_old_form(desk: Desk, lang: str) -> None:
    """Untouched it is no edit; an edit made to it before the upgrade counts; it is written in the new form."""
    old, ids = await open_old(desk, lang)
    first, second, third, *rest = ids
    before = desk.text
    desk.save(old + "\n")
    assert (await desk.sync()).result()["outcome"] == "nothing"
    assert desk.text.split("\n")[6:] == before.split("\n")[6:]
    mark = "## 归档" if lang == "zh" else "## Archived"
    edited = re.sub(rf"### \[{ids[third]}\].*\n.*\n\n", "", old)
    edited = edited.replace(f"\n{first}\n", f"\n{first} 2\n")
    edited = edited.replace(mark, f"- 养了一只叫团子的猫\n\n### fact\n在学吹笛子\n\n{mark}")
    desk.save(edited)
    a = (await desk.sync()).applied
    assert (a.edited, a.deleted, a.unread, len(a.new)) == ([ids[first]], [ids[third]], 0, 2)
    assert await desk.texts() == {f"{first} 2", second, *rest, "养了一只叫团子的猫", "在学吹笛子"}
    assert (await desk.get(ids[third])).state is State.DELETED
    assert block(desk.text, ids[first]).startswith(f"- {first} 2 <!-- [{ids[first]}] ")
