"""How well the check of evidence decides; the rules were made with both of its sets."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from memory.learn.cited_words import Citation, Operation, ShownMessage
from memory.learn.dates import Use
from memory.learn.evidence import check_operation
from tests.eval.data import load_cases

USES: dict[str, Use] = {"until": "until", "from": "since", "due": "due"}


def zone_of(at: datetime) -> str:
    """A zone that had the offset in which the case is written."""
    offset = at.utcoffset()
    hours = offset.total_seconds() / 3_600 if offset else 0.0
    return f"Etc/GMT{-hours:+.0f}" if hours.is_integer() else "Asia/Kolkata"


def is_supported(case: dict[str, Any]) -> bool:
    """What the check says to one case."""
    op, at = case["op"], datetime.fromisoformat(case["at"])
    messages = enumerate(case["messages"], start=1)
    spoken = [ShownMessage(str(n), n, m["role"], m["text"], at, zone_of(at)) for n, m in messages]
    said = (Citation(op["said"]["message"] + 1, op["said"]["words"]),) if op["said"] else ()
    old = next((m["text"] for m in case["shown"] if m["id"] == op["id"]), "")
    days = tuple((use, op[name]) for name, use in USES.items() if op[name])
    wanted = Operation(op["op"].lower(), op["text"], said, op["on"] or "", days, old)
    found = check_operation(wanted, spoken, [m["text"] for m in case["shown"]])
    return not found.reason and not (found.unsaid and not case["supported"])  # which is left out


def shares(name: str, half: Any = None) -> dict[tuple[str, bool], float]:
    """Of statements and short answers, true and untrue: which share is decided correctly."""
    total, right = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    for case in load_cases(name, half):
        sort = ("answer" if case["sort"].startswith("short") else "statement", case["supported"])
        total[sort] += 1
        right[sort] += is_supported(case) is case["supported"]
    return {sort: right[sort] / total[sort] for sort in total}


@pytest.mark.parametrize(
    ("name", "half", "floor"),
    [
        ("evidence", None, 0.94),
        ("evidence", "A", 0.93),
        ("evidence", "B", 0.91),
        ("evidence_more", None, 0.93),
    ],
)
def test_evidence_is_decided_correctly(name: str, half: Any, floor: float) -> None:
    """Statements and short answers, true and untrue, both languages: what was reached."""
    assert {sort: share for sort, share in shares(name, half).items() if share < floor} == {}


@pytest.mark.parametrize(
    ("said", "text", "supported"),
    [
        ("Call me Captain from now on", "Call them Captain", True),
        ("Could you use bullet points?", "Use bullet points", True),
        ("能用列表回答吗？", "希望用列表回答", True),
        ("以后叫我船长", "希望被称为船长", True),
        ("Do people use bullet points in Rome?", "Use bullet points", False),
        ("Wake me at 6:15 not 7:15", "Wants to be woken at 6:15", True),
        ("Wake me at 6:15 not 7:15", "Wants to be woken at 7:15", False),
        ("6:15叫我起床，不是7:15", "希望6:15被叫醒", True),
        ("I am not Bob", "Is Bob", False),
        ("i havent told josh yet", "Has not told Josh yet", True),
        ("Got the results today, its MS", "Has MS, told on 6 May 2026", True),
        ("又去了一趟厦门，一个人，5月2到4号", "2026年5月2到4号一个人去了厦门", True),
        ("2015年到2018年在广州跑外贸", "2016年到2018年在广州跑外贸", False),
        ("下个月一号起我就转白班了", "6月1日起上白班", True),
        ("下个月一号起我就转白班了", "6月2日起上白班", False),
        ("今早上秤七十六点五", "体重76.5公斤", True),
        ("今早上秤七十六点五", "体重76.8公斤", False),
        ("ill be at st jamess from july", "Is at St James's from July", True),
        ("跟我说话不用「您」", "说话不用「您」", True),
        ("我大三 在兰州读材料 困得不行 就我一个想工作", "在兰州读材料，大三", True),
        ("Old Mr Vella next door died on Friday", "Neighbour Mr Vella died", True),
        ("Dr Pham says my knees are shot", "Knees are shot, says the doctor", True),
        ("I doubt that I have cancer", "Has cancer", False),
        ("医生排除了肺癌", "有肺癌", False),
        ("Danielle came over", "Daniel came over", False),
        ("又去了一趟厦门，这次一个人", "2026年17月一个人去了厦门", False),
    ],
)
def test_wishes_and_what_they_are_set_against(said: str, text: str, supported: bool) -> None:
    """How to answer may be said as a request; "6:15 not 7:15" denies the latter alone."""
    spoken = [ShownMessage("m", 1, "user", said, datetime(2026, 5, 6, 15, tzinfo=UTC), "UTC")]
    verdict = check_operation(Operation("add", text, (Citation(1, said),)), spoken, [])
    assert (not verdict.reason) is supported


@pytest.mark.parametrize(
    "text", ["Hello", "Good morning", "Thanks", "你好", "好", "早上好", "谢谢"]
)
@pytest.mark.parametrize("cited", [True, False])
def test_a_greeting_is_no_fact(text: str, cited: bool) -> None:
    """Whether the model quotes it or not, in each language."""
    said = ShownMessage("1", 1, "user", text, datetime(2026, 3, 2, tzinfo=UTC), "UTC")
    op = Operation("add", text, (Citation(1, text),) if cited else ())
    assert check_operation(op, [said], []).reason
