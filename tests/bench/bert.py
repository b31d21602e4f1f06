"""A BERT sentence model as safetensors → the same as ONNX: `python -m tests.bench.bert MODEL_FOLDER OUT_FOLDER`.

Then `EBB_EMBEDDER_PATH=OUT_FOLDER`, or `--embedder OUT_FOLDER` of a benchmark. Weights stay float32; tokenizer and
settings are copied. Only plain BERT encoders (absolute positions, GELU) are known.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.bench.onnx_file import Graph

Weights = Mapping[str, NDArray[np.float32]]
_COPIED = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "modules.json",
)
_FLOATS = {"F32": np.float32, "F16": np.float16}


def weights(path: Path) -> Weights:
    """The float tensors of a safetensors file: a length, a JSON header, the bytes."""
    raw = memoryview(path.read_bytes())
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(bytes(raw[8 : 8 + size]))
    out = {}
    for name, at in header.items():
        if name != "__metadata__" and at["dtype"] in _FLOATS:
            start, end = (8 + size + o for o in at["data_offsets"])
            array = np.frombuffer(raw[start:end], _FLOATS[at["dtype"]]).reshape(at["shape"])
            out[name.removeprefix("bert.")] = array.astype(np.float32, copy=False)
    return out


def graph(w: Weights, heads: int, eps: float) -> Graph:
    """input_ids, attention_mask, token_type_ids → last_hidden_state."""
    width = w["embeddings.word_embeddings.weight"].shape[1]
    ids = {name: ("batch", "words") for name in ("input_ids", "attention_mask", "token_type_ids")}
    g = Graph(ids, {"last_hidden_state": ("batch", "words", width)})

    def linear(x: str, name: str) -> str:
        product = g.op("MatMul", x, g.constant(np.ascontiguousarray(w[f"{name}.weight"].T)))
        return g.op("Add", product, g.constant(w[f"{name}.bias"]))

    def norm(x: str, name: str, out: str = "") -> str:
        scale, bias = g.constant(w[f"{name}.weight"]), g.constant(w[f"{name}.bias"])
        return g.op("LayerNormalization", x, scale, bias, out=out, axis=-1, epsilon=eps)

    def looked_up(name: str, at: str) -> str:
        return g.op("Gather", g.constant(w[f"embeddings.{name}_embeddings.weight"]), at)

    length = g.op("Gather", g.op("Shape", "input_ids"), g.constant(np.asarray(1)))
    places = g.op("Range", g.constant(np.asarray(0)), length, g.constant(np.asarray(1)))
    x = g.op("Add", looked_up("word", "input_ids"), looked_up("position", places))
    x = norm(g.op("Add", x, looked_up("token_type", "token_type_ids")), "embeddings.LayerNorm")
    mask = g.op("Cast", g.op("Unsqueeze", "attention_mask", g.constant([1, 2])), to=1)
    hidden = g.op("Mul", g.op("Sub", g.constant(1.0), mask), g.constant(-10000.0))
    layers = 1 + max(int(k.split(".")[2]) for k in w if k.startswith("encoder.layer."))
    for i in range(layers):
        at, last = f"encoder.layer.{i}", i == layers - 1
        x = norm(
            g.op("Add", x, _attention(g, linear, x, hidden, at, heads, width)),
            f"{at}.attention.output.LayerNorm",
        )
        up = linear(x, f"{at}.intermediate.dense")
        erf = g.op("Erf", g.op("Mul", up, g.constant(1 / sqrt(2))))
        gelu = g.op("Mul", g.op("Mul", up, g.constant(0.5)), g.op("Add", erf, g.constant(1.0)))
        down = g.op("Add", x, linear(gelu, f"{at}.output.dense"))
        x = norm(down, f"{at}.output.LayerNorm", out="last_hidden_state" if last else "")
    return g


def _attention(
    g: Graph,
    linear: Callable[[str, str], str],
    x: str,
    hidden: str,
    at: str,
    heads: int,
    width: int,
) -> str:
    each = width // heads
    apart, together = g.constant([0, 0, heads, each]), g.constant([0, 0, width])

    def split(name: str, *axes: int) -> str:
        return g.op(
            "Transpose", g.op("Reshape", linear(x, f"{at}.attention.self.{name}"), apart), perm=axes
        )

    scores = g.op("MatMul", split("query", 0, 2, 1, 3), split("key", 0, 2, 3, 1))
    scaled = g.op("Add", g.op("Mul", scores, g.constant(1 / sqrt(each))), hidden)
    seen = g.op("MatMul", g.op("Softmax", scaled, axis=-1), split("value", 0, 2, 1, 3))
    joined = g.op("Reshape", g.op("Transpose", seen, perm=(0, 2, 1, 3)), together)
    return linear(joined, f"{at}.attention.output.dense")


def convert(model: Path, out: Path) -> None:
    """The whole folder."""
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] != "bert" or config["hidden_act"] != "gelu":
        raise SystemExit(
            f"{model} is a {config['model_type']} with {config['hidden_act']}, and only plain BERT is known."
        )
    out.mkdir(parents=True, exist_ok=True)
    made = graph(
        weights(model / "model.safetensors"),
        config["num_attention_heads"],
        config["layer_norm_eps"],
    )
    made.save(out / "model.onnx")
    for name in (*_COPIED, "sentence_bert_config.json"):
        if (model / name).exists():
            shutil.copy(model / name, out / name)
    if (model / "1_Pooling").is_dir():
        shutil.copytree(model / "1_Pooling", out / "1_Pooling", dirs_exist_ok=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
