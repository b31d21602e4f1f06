"""The three ways to SQLite, each in a process of its own; and files that pass from one to another."""

from __future__ import annotations

import json
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memory.errors import StoreError
from memory.store import SqliteRoute, sqlite_report
from memory.store.sqlite_module import choose
from tests.memory.store.support import finished, spawn

SCRIPT = """
import asyncio, json, sys
from dataclasses import replace
from pathlib import Path
from memory.errors import StoreError
from memory.models import Filter, State
from memory.store import SqliteRoute, open_store, sqlite_report, make_worker_id
from tests.memory.store.support import KEY, MODEL, NOW, a_memory, clock, vector

async def main(way, path, step):
    try:
        store = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY, way=SqliteRoute(way))
    except StoreError as e:
        print(json.dumps({"unavailable": str(e)}))
        return
    said = {"way": sqlite_report().way, "vec": sqlite_report().vec_version, "version": sqlite_report().version}
    await store.use_embedder(MODEL, 16)
    users = await store.write_system(lambda s: s.users())
    user = users[0] if users else await store.write_system(lambda s: s.create_user(NOW))
    def write(tx):
        n = tx.memories.count_by("state")["active"]
        for i in range(n, n + 4):
            memory = tx.memories.add(a_memory(f"Walks number {i} 散步"))
            tx.vectors.put_many({memory.id: vector(i)}, MODEL)
        if step == "forget":
            first = tx.memories.find(Filter(), limit=1).items[0]
            tx.memories.put(replace(first, state=State.DELETED, original_content="-", content="-"), "deleted")
    await store.write(user, write)
    reader = store.open_reader(user)
    async def texts(hits):
        return sorted(m.content for m in await reader.get([h.id for h in hits]))
    said["nearest"] = await texts((await reader.search_vectors(vector(2), 1, Filter())))
    said["lexical"] = len(await reader.search_words("walking 散步", 99, Filter()))
    said["vectors"] = len(await reader.search_vectors(vector(2), 99, Filter()))
    if step == "long":
        for i in range(200):
            await store.write(user, lambda tx: tx.memories.add(a_memory(f"{i} " + "long text " * 6000)))
        said["log"] = path.with_name(path.name + "-wal").stat().st_size
    said["scrubbed"] = await store.scrub()
    def look(tx):
        said["connection"] = type(tx.con).__module__.partition(".")[0]
        if not store.shared.vec:
            return None
        return tx.con.execute("SELECT COUNT(*) FROM vec_1").fetchone()[0]
    said["vec0"] = await store.read(user, look)
    await store.close()
    print(json.dumps(said))

asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
"""


@cache
def pythons() -> list[str]:
    """Interpreters of our version: this one, and others whose SQLite was built differently."""
    name = f"python3.{sys.version_info.minor}"
    found = [
        sys.executable,
        *(p for d in ("/usr/bin", "/usr/local/bin") if (p := shutil.which(name, path=d))),
    ]
    return list(dict.fromkeys(found))


def live(way: SqliteRoute, path: Path, step: str = "write") -> dict[str, Any]:
    """A short life of a store by that way; skips where no interpreter here provides it."""
    reasons = []
    for python in pythons():
        said: dict[str, Any] = json.loads(
            finished(spawn(SCRIPT, way, str(path), step, python=python))
        )
        if "unavailable" not in said:
            return said
        reasons.append(said["unavailable"])
    pytest.skip(f"{way}: {' '.join(dict.fromkeys(reasons))}")


@pytest.mark.parametrize("way", list(SqliteRoute))
def test_each_way_does_everything(way: SqliteRoute, path: Path) -> None:
    """Text and vectors are found, and the file is scrubbed."""
    said = live(way, path)
    assert said["way"] == way
    assert (said["nearest"], said["lexical"], said["vectors"], said["scrubbed"]) == (
        ["Walks number 2 散步"],
        4,
        4,
        True,
    )
    assert said["connection"] == ("pysqlite3" if way is SqliteRoute.PYSQLITE3 else "sqlite3")
    assert (said["vec"] is None) == (way is SqliteRoute.PLAIN)
    assert said["vec0"] == (None if way is SqliteRoute.PLAIN else 4)


def test_a_file_goes_from_one_way_to_another_and_back(path: Path) -> None:
    """An older SQLite rebuilds the index a newer one wrote; without sqlite-vec nothing forgotten stays in vec0."""
    live(SqliteRoute.PYSQLITE3, path, "forget")
    said = live(SqliteRoute.PLAIN, path, "forget")
    assert (said["lexical"], said["vectors"], said["scrubbed"]) == (6, 6, True)
    back = live(SqliteRoute.PYSQLITE3, path)
    assert (back["lexical"], back["vectors"], back["vec0"]) == (10, 10, 10)


@pytest.mark.parametrize("way", [SqliteRoute.PYSQLITE3, SqliteRoute.PLAIN])
def test_the_log_is_kept_short(way: SqliteRoute, path: Path) -> None:
    """By SQLite itself where it is safe, by us under a lock where it is not."""
    assert live(way, path, "long")["log"] < 20_000_000


def test_a_process_has_one_way_only() -> None:
    """Two copies of SQLite on one file lose data, so the second choice is refused."""
    first = choose().report
    another = next(w for w in SqliteRoute if w is not first.way)
    with pytest.raises(StoreError, match="already"):
        choose(another)
    assert sqlite_report() == first
