"""Memories in and out as files: our own lines, losslessly, and what other programs have written."""

from __future__ import annotations

from memory.transfer.formats import ImportedMemory, detect_origin, parse_file
from memory.transfer.transfer import ImportCounts, Transfer

__all__ = ["ImportCounts", "ImportedMemory", "Transfer", "detect_origin", "parse_file"]
