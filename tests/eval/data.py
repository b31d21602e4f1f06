"""Load the labelled sets that rules over language are measured with.

Each set was written before the code it measures, by somebody who had not read that code. A set is split in two by a
hash of its ids: half A is for looking at while building, half B is run once, at the end. Sets whose names end in
`_more`, `_next` and `_proof` came later, by people who had read neither the code nor the sets before; each was run before it was looked at.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

SETS = Path(__file__).parent / "sets"


def half_of(case_id: str) -> Literal["A", "B"]:
    """Say which half of its set a case belongs to."""
    return "A" if sha256(case_id.encode()).digest()[0] % 2 == 0 else "B"


def load_cases(name: str, half: Literal["A", "B"] | None = None) -> list[dict[str, Any]]:
    """Read one set, or one half of it, as dictionaries in file order."""
    lines = (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return [case for case in cases if half is None or half_of(case["id"]) == half]
