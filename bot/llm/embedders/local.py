"""A sentence model on this machine: an ONNX graph and a tokenizer in a folder, run by onnxruntime.

The packages come with the extra `ebb[local]`; which model it is meant for, and where that is to be
had, fastembed knows. Any other folder with a sentence model will do as well. Nothing is imported
before the first use, and nothing here runs in the event loop.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from bot.llm.embedders import EmbedderSource, NoEmbedder
from bot.llm.embedders.api import PREFIXES
from bot.llm.endpoint import ClientPool
from bot.llm.providers import ProviderChoice
from bot.settings import Settings
from memory.api import ThreadedEmbedder
from memory.errors import ModelError
from memory.ports import Embedder, FloatArray

HUB_CACHE: Final = Path(
    "~/.cache/huggingface/hub"
).expanduser()  # where other programs here keep models
NAME: Final = "paraphrase-multilingual-MiniLM-L12-v2"
BYTES: Final = 240_000_000  # about what is downloaded
_WANTED: Final = f"sentence-transformers/{NAME}"
_FILES: Final = ("model.onnx", "model_optimized.onnx", "model_quantized.onnx")
_LONGEST: Final = 512  # tokens, where the model does not say
_CHARS: Final = 8_000  # of a text; no tokenizer needs more to fill its limit
_SAMPLE: Final = 1 << 16  # bytes at either end of the graph that tell models apart


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A sentence model found in a folder.

    Attributes:
        graph, tokenizer: the files.
        name: as it stands in vectors' ids; other weights have another name.
        dim: length of a vector, 0 if only running it will tell.
        limit: tokens of a text that are read.
        pooling: how a text's vector comes of its tokens': their mean, or that of the first.
    """

    graph: Path
    tokenizer: Path
    name: str
    dim: int
    limit: int
    pooling: Literal["mean", "cls"] = "mean"


def is_installed() -> bool:
    """Tell whether the packages are there that run a model."""
    return all(importlib.util.find_spec(package) for package in ("onnxruntime", "tokenizers"))


def find_model(folder: Path) -> LocalModel | None:
    """Find the model in a folder, or in the `onnx` folder of it; None if there is none."""
    places = [folder, folder / "onnx"]
    graph = next((p / name for p in places for name in _FILES if (p / name).is_file()), None)
    tokenizer = next(
        (p / "tokenizer.json" for p in places if (p / "tokenizer.json").is_file()), None
    )
    if graph is None or tokenizer is None:
        return None
    config, pooling = _json(folder, "config.json"), _json(folder, "1_Pooling/config.json")
    dim = pooling.get("word_embedding_dimension") or config.get("hidden_size") or 0
    said = [_json(folder, "sentence_bert_config.json").get("max_seq_length")]
    said += [
        _json(folder, "tokenizer_config.json").get(key)
        for key in ("model_max_length", "max_length")
    ]
    limit = min((n for n in said if isinstance(n, int) and 0 < n < 100_000), default=_LONGEST)
    first = bool(pooling.get("pooling_mode_cls_token"))
    return LocalModel(
        graph, tokenizer, _name(folder, graph), int(dim), limit, "cls" if first else "mean"
    )


def find(path: Path | None, home: Path, caches: Sequence[Path] = ()) -> LocalModel | None:
    """Find the model in the folder that was named, else the multilingual one, downloaded here or by others."""
    if path is not None:
        return find_model(path)
    for cache in (home / "models", *caches):
        for found in sorted(cache.glob(f"models--*--*{NAME}*/snapshots/*")):
            model = find_model(found)
            if model is not None:
                return model
    return None


def download(home: Path) -> LocalModel:
    """Fetch the multilingual model into `home/models`, by fastembed, whose progress goes to stderr.
    Blocks.

    Raises ModelError: not installed, or it could not be had.
    """
    try:
        from fastembed import TextEmbedding
    except ImportError as e:
        raise ModelError("unknown_model", detail="not installed", model=NAME) from e
    try:
        TextEmbedding(_WANTED, cache_dir=str(home / "models"), lazy_load=True)
    except (
        Exception
    ) as e:  # the hub's client, its transport and the disk raise anything; the lexical one goes on
        raise ModelError(
            "no_connection", detail=type(e).__name__, model=NAME, host="huggingface.co"
        ) from e
    model = find(None, home)
    if model is None:
        raise ModelError(
            "unreadable", detail="nothing that can be used came", model=NAME, host="huggingface.co"
        )
    return model


def count_downloaded_bytes(home: Path) -> int:
    """Bytes of the model that have come so far."""
    size = 0
    for path in (home / "models").rglob("*"):
        try:
            size += 0 if path.is_symlink() or not path.is_file() else path.stat().st_size
        except OSError:  # finished files are renamed while we look
            continue
    return size


def run_in_background(work: Callable[[], LocalModel]) -> asyncio.Future[LocalModel]:
    """Run a download in a thread that holds nobody up who wants to leave."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[LocalModel] = loop.create_future()

    def settle(model: LocalModel | None, error: ModelError | None) -> None:
        if future.done():
            return
        if model is not None:
            future.set_result(model)
        elif error is not None:
            future.set_exception(error)

    def run() -> None:
        try:
            model, error = work(), None
        except ModelError as e:
            model, error = None, e
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, model, error)

    threading.Thread(target=run, name="ebb-download", daemon=True).start()
    return future


class LocalEmbedder(ThreadedEmbedder["_OnnxRunner"]):
    """Embeds with a model of this machine's. Its length may not be known before it is loaded."""

    def __init__(self, model: LocalModel, patience: float = 0.2) -> None:
        super().__init__(model.name, model.dim, patience)
        self.model = model

    @property
    def id(self) -> str:
        """`provider:model:dim`."""
        return f"{'fastembed' if self.name == NAME else 'onnx'}:{self.name}:{self.dim}"

    def open_model(self) -> _OnnxRunner:
        """Load the graph, and learn `dim` if it is not known. Raises ModelError."""
        runner = _OnnxRunner(self.model)
        self.dim = self.dim or runner.dim
        if runner.dim != self.dim:
            raise _unreadable(self.model, f"vectors of {runner.dim} instead of {self.dim}")
        return runner

    def run_model(
        self, model: _OnnxRunner, texts: Sequence[str], kind: Literal["query", "content"]
    ) -> FloatArray:
        """Embed texts behind the prefix that the model wants. Raises ModelError."""
        before = next((p for name, p in PREFIXES.items() if name in self.name.lower()), ("", ""))
        return model.run([before[kind == "content"] + t.strip()[:_CHARS] for t in texts])


class _OnnxRunner:
    """The loaded graph and tokenizer. `run` may be called from several threads."""

    def __init__(self, model: LocalModel) -> None:
        try:
            import onnxruntime as ort
            from tokenizers import Tokenizer
        except ImportError as e:
            raise ModelError("unknown_model", detail="not installed", model=model.name) from e
        self._model = model
        try:
            self._tokenizer = _prepared(Tokenizer.from_file(str(model.tokenizer)), model)
            self._session = ort.InferenceSession(
                str(model.graph), _options(ort), providers=["CPUExecutionProvider"]
            )
        except Exception as e:  # both libraries raise bare exceptions for a file they cannot use
            raise _unreadable(model, str(e)[:200]) from e
        self._inputs = {node.name for node in self._session.get_inputs()}
        outputs = [node.name for node in self._session.get_outputs()]
        # Some exports pool by themselves; theirs is then what the authors meant.
        self._output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
        self.dim = self.run(["?"]).shape[1]

    def run(self, texts: Sequence[str]) -> FloatArray:
        """(n, dim), unit length. Raises ModelError."""
        encoded = self._tokenizer.encode_batch(list(texts))
        ids = np.array([e.ids for e in encoded], np.int64)
        mask = np.array([e.attention_mask for e in encoded], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            (out,) = self._session.run(
                [self._output], {k: v for k, v in given.items() if k in self._inputs}
            )
        except Exception as e:  # onnxruntime's errors have no base of their own
            raise _unreadable(self._model, str(e)[:200]) from e
        pooled = self._pooled(np.asarray(out, np.float32), mask)
        if pooled.ndim != 2 or not np.isfinite(pooled).all():
            raise _unreadable(self._model, f"vectors of shape {pooled.shape}")
        unit: FloatArray = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return unit

    def _pooled(self, out: FloatArray, mask: np.ndarray[Any, np.dtype[np.int64]]) -> FloatArray:
        if out.ndim != 3:
            return out
        if self._model.pooling == "cls":
            return out[:, 0]
        weight = mask[:, :, None].astype(np.float32)
        mean: FloatArray = (out * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-9)
        return mean


def _prepared(tokenizer: Any, model: LocalModel) -> Any:
    """Cut at the model's limit, padded to the longest of a batch: a serialized fixed length costs the most."""
    config, padding = (
        _json(model.tokenizer.parent, "tokenizer_config.json"),
        tokenizer.padding or {},
    )
    token = padding.get("pad_token") or config.get("pad_token") or "[PAD]"
    token = token.get("content", "[PAD]") if isinstance(token, dict) else token
    known = padding.get("pad_id", tokenizer.token_to_id(token))
    tokenizer.enable_truncation(max_length=model.limit)
    tokenizer.enable_padding(
        pad_id=known or 0,
        pad_token=token,
        pad_type_id=padding.get("pad_type_id", 0),
        direction=config.get("padding_side") or padding.get("direction", "right"),
    )
    return tokenizer


def _options(ort: Any) -> Any:
    """Few threads, which sleep while there is nothing to do: this runs beside a conversation."""
    if hasattr(ort, "disable_telemetry_events"):
        ort.disable_telemetry_events()
    ort.set_default_logger_severity(3)
    options = ort.SessionOptions()
    options.intra_op_num_threads = max(1, min(4, (os.cpu_count() or 2) // 2))
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def _name(folder: Path, graph: Path) -> str:
    """Name the model; any but the downloaded one with a hash of its weights: folders are called anything."""
    hub = next((part for part in reversed(folder.parts) if part.startswith("models--")), "")
    if NAME in hub:
        return NAME
    size = graph.stat().st_size
    with graph.open("rb") as f:
        head = f.read(_SAMPLE)
        f.seek(max(0, size - _SAMPLE))
        mark = hashlib.sha256(head + f.read() + str(size).encode()).hexdigest()[:8]
    name = hub.rpartition("--")[2] or folder.resolve().name
    return f"{name}-{mark}".replace(":", "-")


def _json(folder: Path, name: str) -> dict[str, Any]:
    try:
        found = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _unreadable(model: LocalModel, detail: str) -> ModelError:
    return ModelError("unreadable", detail=detail, model=model.name, host=str(model.graph.parent))


class Local(EmbedderSource):
    """Finds a model on this machine."""

    name = "local"
    order = 3

    def make(self, settings: Settings) -> LocalEmbedder | None:
        """Make it for the model in the folder that is named, or the downloaded one."""
        # What other programs downloaded is used by who asks for it; by itself only what is Ebb's
        # own.
        caches = [HUB_CACHE] if self.asked(settings) else []
        model = find(settings.embedder_path, settings.home, caches) if is_installed() else None
        return (
            LocalEmbedder(model, patience=settings.recall_deadline_ms / 1000)
            if model is not None
            else None
        )

    async def open(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool
    ) -> Embedder | None:
        """Return it, loaded where only that tells its length. Raises NoEmbedder."""
        embedder = self.make(settings)
        if embedder is None:
            if self.asked(settings):
                raise NoEmbedder("no model" if is_installed() else "not installed")
            return None
        try:
            if not embedder.dim:
                await embedder.load()
        except ModelError as e:
            raise NoEmbedder("broken model") from e
        return embedder

    def named(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder_id: str
    ) -> Embedder | None:
        """Return the one with those weights, where they are still on this machine."""
        return super().named(replace(settings, embedder=self.name), choice, clients, embedder_id)

    def asked(self, settings: Settings) -> bool:
        """Tell whether it is named, or its folder is."""
        return super().asked(settings) or settings.embedder_path is not None


EMBEDDER = Local()
