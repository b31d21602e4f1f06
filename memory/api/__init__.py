"""All of memory that the bot and the front ends may use, beside its types and ports.

`Memory` is the facade, `Memory.open` the small library for other programs. The stub beside this
file says where each name is found (SPEC 1 of Scientific Python): nothing is loaded before it is
used, for a terminal's first paint needs `clean_output` and no database.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_STUB: Final = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_HOMES: Final = {
    name.name: line.module
    for line in _STUB.body
    if isinstance(line, ast.ImportFrom) and line.module
    for name in line.names
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
