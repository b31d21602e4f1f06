"""What models really write, read: answers in forms that nobody asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.learn.lines import OperationLine, read
from tests.eval.data import load_cases

_NAMES: Mapping[str, str] = {"from": "since"}
_NOT_COMPARED = {"op", "id", "text", "said"}


def is_read(case: Mapping[str, Any]) -> bool:
    """Tell whether an answer is read as its case says: operations, ids, texts and attributes."""
    found = [x for x in read(case["answer"])[0] if x.op != "skip"]
    wanted = case["operations"]
    return len(found) == len(wanted) and all(map(_fits, found, wanted))


def _fits(found: OperationLine, wanted: Mapping[str, Any]) -> bool:
    if (found.op, found.id) != (wanted["op"], wanted.get("id", "")):
        return False
    if found.text != wanted.get("text", "") and found.op not in {
        "boost",
        "delete",
        "same",
        "affirm",
    }:
        return False
    if found.op in {"boost", "delete"}:
        return True
    said = ":".join(map(str, wanted["said"])) if "said" in wanted else ""
    if said and found.attributes.get("said", "").rstrip(":") != said:
        return False
    return all(
        found.attributes.get(_NAMES.get(k, k)) == _write(v)
        for k, v in wanted.items()
        if k not in _NOT_COMPARED
    )


def _write(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def test_the_forms_of_models_are_read() -> None:
    """Nearly every answer of the set is read whole, and no word around one becomes a memory."""
    cases = load_cases("renderings")
    wrong = [c["id"] for c in cases if not is_read(c)]
    assert len(wrong) <= 0.05 * len(cases), wrong
    more = [
        c["id"]
        for c in cases
        if len([x for x in read(c["answer"])[0] if x.op != "skip"]) > len(c["operations"])
    ]
    assert not more
