"""Writing ONNX files with nothing but numpy: the few fields of its protobuf that a graph needs.

For the tests of the local embedder, which make a graph of their own, and for `python -m tests.bench.bert`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

IR_VERSION, OPSET = 8, 17
_TYPES = {np.dtype(np.float32): 1, np.dtype(np.int64): 7}
Attribute = int | float | Sequence[int]


def _varint(n: int) -> bytes:
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*out, n])


def _number(tag: int, n: int) -> bytes:
    return _varint(tag << 3) + _varint(n)


def _bytes(tag: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(tag << 3 | 2) + _varint(len(raw)) + raw


def _tensor(name: str, a: NDArray[np.generic]) -> bytes:
    dims = b"".join(_number(1, d) for d in a.shape)
    return (
        dims
        + _number(2, _TYPES[a.dtype])
        + _bytes(8, name)
        + _bytes(9, np.ascontiguousarray(a).tobytes())
    )


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        return _bytes(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, int):
        return _bytes(1, name) + _number(3, value) + _number(20, 2)
    return _bytes(1, name) + b"".join(_number(8, i) for i in value) + _number(20, 7)


def _place(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(_bytes(1, _number(1, d) if isinstance(d, int) else _bytes(2, d)) for d in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, dims)))


@dataclass
class Graph:
    """A graph being made. Every method that computes returns the name of its result."""

    inputs: Mapping[str, Sequence[int | str]]  # all int64
    outputs: Mapping[str, Sequence[int | str]]  # all float32
    _nodes: list[bytes] = field(default_factory=list)
    _tensors: list[bytes] = field(default_factory=list)
    _count: int = 0

    def constant(self, a: NDArray[np.generic] | float | Sequence[int]) -> str:
        """A weight: arrays as they are, a float as float32, integers as int64."""
        value = np.asarray(a, np.float32) if isinstance(a, float) else np.asarray(a)
        name = self._name()
        self._tensors.append(_tensor(name, value))
        return name

    def op(self, kind: str, *inputs: str, out: str = "", **attributes: Attribute) -> str:
        """One node with one result."""
        name = out or self._name()
        parts = [*(_bytes(1, i) for i in inputs), _bytes(2, name), _bytes(4, kind)]
        self._nodes.append(
            b"".join([*parts, *(_bytes(5, _attribute(k, v)) for k, v in attributes.items())])
        )
        return name

    def save(self, path: Path) -> None:
        """The file."""
        graph = [
            *(_bytes(1, n) for n in self._nodes),
            _bytes(2, "graph"),
            *(_bytes(5, t) for t in self._tensors),
            *(_bytes(11, _place(n, 7, shape)) for n, shape in self.inputs.items()),
            *(_bytes(12, _place(n, 1, shape)) for n, shape in self.outputs.items()),
        ]
        model = (
            _number(1, IR_VERSION)
            + _bytes(7, b"".join(graph))
            + _bytes(8, _bytes(1, "") + _number(2, OPSET))
        )
        path.write_bytes(model)

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"
