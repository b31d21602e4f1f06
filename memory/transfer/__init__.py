"""Memories in and out as files: our own lines, losslessly, and what other programs have written."""

from __future__ import annotations

from memory.transfer.formats import (
    ImportedConversation,
    ImportedMemory,
    ImportedMessage,
    ImportFile,
    Origin,
    detect_origin,
    parse_file,
)
from memory.transfer.import_others import ImportCounts
from memory.transfer.jsonl import ExportCounts, Lines
from memory.transfer.transfer import Transfer

__all__ = [
    "ExportCounts",
    "ImportCounts",
    "ImportFile",
    "ImportedConversation",
    "ImportedMemory",
    "ImportedMessage",
    "Lines",
    "Origin",
    "Transfer",
    "detect_origin",
    "parse_file",
]
