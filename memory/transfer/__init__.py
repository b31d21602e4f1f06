"""Memories in and out as files: our own lines, losslessly, and what other programs have written."""

from __future__ import annotations

from memory.transfer.formats import (
    ImportedConversation,
    ImportedMemory,
    ImportedMessage,
    ImportFile,
    detect_origin,
    parse_file,
)
from memory.transfer.jsonl import ExportCounts, Lines
from memory.transfer.transfer import ImportCounts, Transfer

__all__ = [
    "ExportCounts",
    "ImportCounts",
    "ImportFile",
    "ImportedConversation",
    "ImportedMemory",
    "ImportedMessage",
    "Lines",
    "Transfer",
    "detect_origin",
    "parse_file",
]
