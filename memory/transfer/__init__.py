"""Memories in and out as files: our own lines, losslessly, and what other programs have written."""

from __future__ import annotations

from memory.transfer.jsonl import Counts, Lines
from memory.transfer.others import Found, Item, Origin, Said, Talk, found_in, origin_of
from memory.transfer.porter import Porter
from memory.transfer.taking import Taken

__all__ = ["Counts", "Found", "Item", "Lines", "Origin", "Porter", "Said", "Taken", "Talk", "found_in", "origin_of"]
