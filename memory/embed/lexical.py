"""The built-in embedder: hashed words and n-grams, which needs no model, download or network.

Two texts are near when they share words, stems, parts of words or Chinese pairs. It knows no
synonyms: that is what an embedding model is for. Fast enough to run in the event loop (about 10,000
short texts a second).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memory.ports import FloatArray
from memory.text.words import STOP_WORDS, is_unspaced, stem, tokens

_BATCH = 256  # texts between two looks at the event loop
_CACHED = 30_000  # tokens whose features are kept; then the cache starts anew

_DULL: Final = 0.08  # of the weight of a telling word
_PAIR_DULL: Final = 0.4  # a pair with one dull character in it
_SINGLE: Final = 0.6  # a lone Chinese character beside the pairs it stands in
_PIECES_SHARE: Final = 0.6  # of a word's weight that its letter n-grams carry

Feature = tuple[int, float]  # (hash, weight)
_Row = tuple[NDArray[np.int32], NDArray[np.float64]]


class LexicalEmbedder:
    """Hashed n-grams, signed, with sub-linear term frequency; `dim` is a power of two.

    512 by measurement: of recall@10 of the vectors alone, doubling it brings a point in Chinese and
    none in English (and next to nothing beside BM25), while it doubles the store (2 kB a memory at
    512) and the time of a search.
    """

    local = True
    immediate = True

    def __init__(self, dim: int = 512) -> None:
        if dim & (dim - 1) or dim < 64:
            raise ValueError("dim must be a power of two, 64 or more")
        self.dim = dim
        self.id = f"lexical:ngrams-2:{dim}"
        self._rows: dict[str, _Row] = {}

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:  # noqa: ARG002
        """(n, dim) float32, each row of unit length; queries and contents alike."""
        parts = []
        for start in range(0, len(texts), _BATCH):
            if start:
                await asyncio.sleep(0)
            parts.append(self.vectors(texts[start : start + _BATCH]))
        return np.concatenate(parts) if parts else np.zeros((0, self.dim), np.float32)

    def vectors(self, texts: Sequence[str]) -> FloatArray:
        """Embed at once and without an event loop; as `embed`."""
        at: list[NDArray[np.int32]] = []
        values: list[NDArray[np.float64]] = []
        scale: list[float] = []
        owner: list[int] = []
        if len(self._rows) > _CACHED:
            self._rows.clear()
        for n, text in enumerate(texts):
            for row, count in self._counted(text):
                at.append(row[0])
                values.append(row[1])
                scale.append(1.0 if count == 1 else 1.0 + float(np.log(count)))
                owner.append(n)
        sizes = [len(a) for a in at]
        flat = np.repeat(np.asarray(owner, np.int64) * self.dim, sizes) + np.concatenate(at)
        weights = np.concatenate(values) * np.repeat(scale, sizes)
        out = np.bincount(flat, weights, minlength=len(texts) * self.dim).reshape(
            len(texts), self.dim
        )
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        lost = lengths[:, 0] == 0.0  # two short words may undo each other; they are as good as none
        out[lost, 0] = lengths[lost] = 1.0
        return np.asarray(out / lengths, np.float32)

    def _counted(self, text: str) -> list[tuple[_Row, int]]:
        """Rows of the text's features, each with how often it occurs."""
        rows, found = self._rows, Counter[str]()
        for token in tokens(text):
            if is_unspaced(token):
                for name, features in list_chinese_features(token):
                    found[name] += 1
                    if name not in rows:
                        self._keep(name, features)
            else:
                found[token] += 1
                if token not in rows:
                    self._keep(token, list_word_features(token))
        if not found:  # a unit vector even for "…": near other such texts alone
            return [(self._row([(0, 1.0)]), 1)]
        return [(rows[name], count) for name, count in found.items()]

    def _keep(self, name: str, features: list[Feature]) -> None:
        self._rows[name] = self._row(features)

    def _row(self, features: list[Feature]) -> _Row:
        at = np.array([h & (self.dim - 1) for h, _ in features], np.int32)
        signed = np.array([w if h >> 31 else -w for h, w in features], np.float64)
        return at, signed


def hash_name(name: str) -> int:
    """Hash a name to 32 bits, the same everywhere. crc32 is linear; the rounds after it are not."""
    h = crc32(name.encode())
    h = ((h ^ (h >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    h = ((h ^ (h >> 15)) * 0x846CA68B) & 0xFFFFFFFF
    return h ^ (h >> 16)


def list_word_features(word: str) -> list[Feature]:
    """Return the features of a word: its stem, and its 3- and 4-letter pieces."""
    weight = _DULL if word in STOP_WORDS else 1.0
    if word.isdigit():
        return [(hash_name("d:" + word), weight)]
    s = stem(word)
    found = [(hash_name("w:" + s), weight)]
    if weight == 1.0 and len(s) > 3:
        framed = f"<{s}>"
        grams = [framed[i : i + n] for n in (3, 4) for i in range(len(framed) - n + 1)]
        each = weight * (_PIECES_SHARE / len(grams)) ** 0.5
        found += [(hash_name("g:" + g), each) for g in grams]
    return found


def list_chinese_features(run: str) -> Iterator[tuple[str, list[Feature]]]:
    """Yield every character of a run faintly, and every pair, those of dull characters least."""
    for i, char in enumerate(run):
        dull = char in STOP_WORDS
        yield char, [(hash_name("c:" + char), _SINGLE * (_DULL if dull else 1.0))]
        if i + 1 < len(run):
            pair = run[i : i + 2]
            n = dull + (pair[1] in STOP_WORDS)
            yield pair, [(hash_name("p:" + pair), (1.0, _PAIR_DULL, _DULL)[n])]
