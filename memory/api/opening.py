"""Opening memory: the store with its home's key, users by name, and what stands in for a model."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from memory.errors import ModelError
from memory.models import Json, Usage
from memory.ports import Chunk, Clock, ModelRequest, Store, SystemTransaction
from memory.privacy import find_key, fingerprint_key, load_key, redact
from memory.store import open_store
from memory.text.spans import is_question, split_sentences, split_spans

LONGEST: Final = 1_000  # characters of a quotation


async def get_or_create_user(store: Store, provider: str, external_id: str, now: datetime) -> str:
    """Return the user of an identity; one is made where there is none."""

    def find_or_make(s: SystemTransaction) -> str:
        user_id = s.resolve(provider, external_id)
        if user_id is None:
            user_id = s.create_user(now)
            s.link(provider, external_id, user_id, now)
        return user_id

    return await store.write_system(find_or_make)


async def open_keyed(
    path: Path, home: Path, *, clock: Clock, worker: str
) -> tuple[Store, bytes | None]:
    """Open the database with its home's key.

    The key is None if it is lost: then no new one is made by itself.

    A key is made where nothing rests on one yet, or where its owner put an empty file `key.new`.
    Raises StoreError.
    """
    key = await asyncio.to_thread(find_key, home)
    store = await open_store(path, clock=clock, worker=worker, key=key or secrets.token_bytes(32))
    keyed, mark = await store.write_system(lambda s: (s.keyed(), s.get("key")))
    wish = home / "key.new"
    if key is None and (not keyed or wish.exists()):
        await store.close()
        key, keyed = await asyncio.to_thread(load_key, home), False
        store = await open_store(path, clock=clock, worker=worker, key=key)
        wish.unlink(missing_ok=True)
    if key is not None and mark != (mine := fingerprint_key(key)):
        if keyed and mark is not None:
            return store, None  # another home's, or one made after this one was lost
        await store.write_system(lambda s: s.set("key", mine))
    return store, key


class QuotingModel:
    """Stands where no model was given: the extractor gets each user's own words as quotations."""

    name = "none"

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Yield the answer to an extraction. Raises ModelError for every other task."""
        if request.task != "extract":
            raise ModelError("bad_request", detail=f"no model was given for {request.task}")
        yield Chunk(json.dumps(list(_quote(request.data)), ensure_ascii=False), "stop", Usage())


def _quote(data: Mapping[str, Json]) -> list[Json]:
    """Return an entry for each stretch of own words that states something and holds no secret."""
    out: list[Json] = []
    messages = data.get("messages")
    for n, m in enumerate(messages if isinstance(messages, list) else [], start=1):
        if not isinstance(m, dict) or m.get("role") != "user":
            continue
        text = str(m.get("text") or "")
        for span in split_spans(text):
            words = text[span.start : span.end].strip()[:LONGEST]
            stated = any(not is_question(words[a:b]) for a, b in split_sentences(words))
            if span.kind == "own" and stated and not redact(words)[1]:
                out.append(
                    {
                        "content": words,
                        "kind": "fact",
                        "quote": "yes",
                        "said": {"n": n, "words": words},
                    }
                )
    return out
