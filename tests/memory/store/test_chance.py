"""How near memories are that have nothing to do with each other, measured on the user's own vectors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from memory.index.vectors import level_vectors, normalise_vector
from memory.models import Filter, Lang
from memory.ports import ChanceStatistics, FloatArray, Transaction
from memory.store import SqliteStore
from tests.memory.store.support import MODEL, NOW, a_memory, vector

DIM = 16


def near(seed: int, share: float) -> FloatArray:
    """Vectors that have `share` of one direction in common."""
    v: FloatArray = vector(seed, DIM) * (1 - share) + np.eye(1, DIM, dtype=np.float32)[0] * share
    return v / np.linalg.norm(v)


def mean_cosine(chance: ChanceStatistics) -> float:
    """The mean cosine of memories with each other."""
    assert chance.centre is not None
    return float(chance.centre @ chance.centre)


async def learn(
    store: SqliteStore, user: str, vectors: list[FloatArray], sessions: int = 0
) -> None:
    """A memory a vector, in so many sessions of equal length, those of one all made at one time; 0 for none."""
    size = len(vectors) // sessions if sessions else 0

    def work(tx: Transaction) -> None:
        own = [{"source_session": f"s{i // size}"} if size else {} for i in range(len(vectors))]
        saved = tx.memories.add_many(
            [a_memory(f"memory {i}", **fields) for i, fields in enumerate(own)]
        )
        tx.vectors.put_many({m.id: v for m, v in zip(saved, vectors, strict=True)}, MODEL)

    await store.write(user, work)


async def test_as_the_vectors_are(store: SqliteStore, user: str, other: str) -> None:
    """Mean and spread of the pairs, to the accuracy of a sample, and of this user's alone."""
    await store.use_embedder(MODEL, DIM)
    mine = [near(i, 0.6) for i in range(200)]
    for i in range(0, 200, 20):  # theirs stand between mine
        await learn(store, user, mine[i : i + 20])
        await learn(store, other, [near(1000 + i + j, 0.0) for j in range(20)])
    matrix = np.stack(mine)
    pairs = (matrix @ matrix.T)[np.triu_indices(200, 1)]
    chance = await store.open_reader(user).measure_chance()
    assert abs(mean_cosine(chance) - pairs.mean()) < 0.08
    assert abs(chance.spread - pairs.std()) < 0.05
    theirs = await store.open_reader(other).measure_chance()
    assert abs(mean_cosine(theirs)) < 0.15


async def test_too_few_say_nothing_but_of_small_talk(store: SqliteStore, user: str) -> None:
    """Nothing without vectors; with a handful how near small talk comes; of another embedder's messages nothing."""
    idle: Mapping[Lang, FloatArray] = {"en": np.stack([vector(900 + i, DIM) for i in range(20)])}
    chance = store.open_reader(user).measure_chance
    assert (await chance(idle)).centre is None
    await store.use_embedder(MODEL, DIM)
    assert not (await chance(idle)).idle
    await learn(store, user, [vector(0, DIM)])
    one = await chance(idle)
    assert one.centre is None and one.idle["en"][1] > 0
    await learn(store, user, [vector(i, DIM) for i in range(1, 40)])
    many = await chance(idle)
    assert many.centre is not None and many.idle["en"][0] > one.idle["en"][0]
    assert not (await chance({"en": np.ones((20, DIM + 1), np.float32)})).idle


async def test_vectors_that_come_later_and_memories_that_go_are_measured(
    store: SqliteStore, user: str
) -> None:
    """In one process: a few of many embedded, then all of them, then most forgotten."""
    idle: Mapping[Lang, FloatArray] = {"en": np.stack([vector(900 + i, DIM) for i in range(20)])}
    chance = store.open_reader(user).measure_chance
    await store.use_embedder(MODEL, DIM)
    rows = [a_memory(f"note {i}") for i in range(60)]
    ids = [m.id for m in await store.write(user, lambda tx: tx.memories.add_many(rows))]
    vectors = {m: vector(i, DIM) for i, m in enumerate(ids)}
    await store.write(user, lambda tx: tx.vectors.put_many(dict(list(vectors.items())[:15]), MODEL))
    assert not (await chance(idle)).idle  # a quarter does not stand for all
    await store.write(user, lambda tx: tx.vectors.put_many(vectors, MODEL))
    assert (await chance(idle)).count == 60
    await store.write(user, lambda tx: [tx.memories.erase(m) for m in ids[5:]])
    assert (await chance(idle)).count == 5


async def test_both_languages_are_equally_near(store: SqliteStore, user: str) -> None:
    """An embedder that sets languages apart: what was said in the other one of the message's matter comes first."""
    await store.use_embedder(MODEL, DIM)
    apart = np.eye(1, DIM, dtype=np.float32)[0]
    matters = [vector(i, DIM) for i in range(10)]
    rows = [a_memory(f"{lang} {i}", language=lang) for lang in ("en", "zh") for i in range(10)]
    own = [
        normalise_vector(m + sign * 2 * apart)
        for sign, some in ((1, matters[:5] * 2), (-1, matters))
        for m in some
    ]
    ids = [m.id for m in await store.write(user, lambda tx: tx.memories.add_many(rows))]
    await store.write(user, lambda tx: tx.vectors.put_many(dict(zip(ids, own, strict=True)), MODEL))
    idle: Mapping[Lang, FloatArray] = {"en": np.stack(own[:2]), "zh": np.stack(own[12:14])}
    slant = (await store.open_reader(user).measure_chance(idle)).slant
    asked = normalise_vector(
        matters[7] + 2 * apart
    )  # in English, of what was said in Chinese alone
    near = [
        await store.open_reader(user).search_vectors(v, 1, Filter())
        for v in (asked, level_vectors(asked[None], slant)[0])
    ]
    assert [found[0].id == ids[17] for found in near] == [False, True]


async def test_crowded_or_not(store: SqliteStore, user: str, other: str) -> None:
    """What all vectors have in common does not change how many dimensions they spread over; how few they use does."""
    await store.use_embedder(MODEL, DIM)
    common = np.eye(1, DIM, dtype=np.float32)[0] * 3
    flat = np.array([1.0] * 4 + [0.05] * (DIM - 4), np.float32)
    own = [vector(i, DIM) for i in range(150)]
    await learn(store, user, [v / np.linalg.norm(v) for v in own])
    roomy = await store.open_reader(user).measure_chance()
    await learn(store, other, [(v := o + common) / np.linalg.norm(v) for o in own])
    crowded = await store.open_reader(other).measure_chance()
    third = await store.write_system(lambda s: s.create_user(NOW))
    await learn(store, third, [(v := o * flat) / np.linalg.norm(v) for o in own])
    few = await store.open_reader(third).measure_chance()
    assert mean_cosine(crowded) > 0.8 > 0.2 > mean_cosine(roomy)
    found = [c.dimensions for c in (roomy, crowded, few)]
    assert found[0] and found[1] and found[2]
    assert abs(found[0] / found[1] - 1) < 0.25
    assert found[2] < 0.5 * found[0]


async def test_whether_a_session_is_a_conversation(
    store: SqliteStore, user: str, other: str
) -> None:
    """Where the next of a session shares its words it says so, without an embedder; where none does, it does not."""

    async def say(who: str, texts: list[str], sessions: int) -> ChanceStatistics:
        size = len(texts) // sessions if sessions else 0
        rows = [
            a_memory(t, source_session=f"s{i // size}" if size else None)
            for i, t in enumerate(texts)
        ]
        await store.write(who, lambda tx: tx.memories.add_many(rows))
        return await store.open_reader(who).measure_chance()

    topics = [
        "harbour boats",
        "grandmother soup",
        "night train",
        "violin lesson",
        "broken boiler",
    ] * 4
    talk = await say(user, [f"{topics[i // 10]} {i} thing{i * 7 % 13}" for i in range(200)], 20)
    heap = await say(other, [f"{topics[i * 7 % 20]} {i} thing{i * 5 % 11}" for i in range(200)], 2)
    third = await store.write_system(lambda s: s.create_user(NOW))
    assert (await say(third, [f"{topics[i % 20]} {i}" for i in range(200)], 0)).follows is None
    assert talk.follows is not None and talk.follows > 1
    assert heap.follows is not None and heap.follows < 0.3
