"""A graph that grows layer by layer, written as an IR whose ports declare nothing."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import pack
from tests.support.ir import text_of

UNKNOWN = ' precision="UNSPECIFIED"'


@dataclass(frozen=True)
class Value:
    """An output of a layer, with the type and the shape that it has for the concrete inputs."""

    layer: int
    port: int
    type: str
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class ValidIR:
    """A valid IR, values for its parameters, and the types of its layers."""

    xml: bytes
    weights: bytes
    inputs: list[Array]
    types: tuple[str, ...]


class Graph:
    """What a random graph is so far; `values` may be read by later layers. A body shares the weights of its model."""

    def __init__(self, chance: random.Random, outer: Graph | None = None) -> None:
        self.chance = chance
        self.values: list[Value] = []
        self.inputs: list[Array] = []
        self.types: list[str] = []
        self._layers: list[str] = []
        self._edges: list[str] = []
        self._weights: bytearray = bytearray() if outer is None else outer._weights
        self._read: set[tuple[int, int]] = set()

    def number(self, low: int, high: int) -> int:
        return self.chance.randint(low, high)

    def flag(self) -> bool:
        return self.number(0, 1) == 1

    def pick(self, *, types: Sequence[str] = (), ranks: Sequence[int] = ()) -> Value | None:
        """Return a value that later layers may read, the newest ones more often."""
        fit = [
            known for known in self.values if (not types or known.type in types) and (not ranks or known.rank in ranks)
        ]
        return self.chance.choice([*fit, *fit[-3:]]) if fit else None

    def array(self, type: str, shape: Sequence[int]) -> Array:
        """Return small random values."""
        rng = np.random.default_rng(self.number(0, 2**16))
        if type in ("f32", "f16", "bf16"):
            return (rng.random(shape) * 4 - 2).astype(ElementType(type).dtype)
        low = {"u8": 0, "boolean": 0}.get(type, -5)
        return rng.integers(low, 2 if type == "boolean" else 6, shape).astype(ElementType(type).dtype)

    def parameter(self, type: str, shape: tuple[int, ...], free: bool = True) -> Value:
        """Add a parameter whose partial shape is `shape`, or admits it where it is `free`."""
        name = f"x{len(self.inputs)}"
        self.inputs.append(self.array(type, shape))
        value = Value(self.declare(name, map(self._dimension if free else str, shape), type), 0, type, shape)
        self.values.append(value)
        return value

    def declare(self, name: str, dimensions: Iterable[str], type: str) -> int:
        """Add a parameter with these dimensions, and return its id."""
        port = f'<output><port id="0" precision="{ElementType(type).precision}" names="{name}"/></output>'
        return self._layer(name, "Parameter", 1, {"shape": ",".join(dimensions), "element_type": type}, port)

    def _dimension(self, length: int) -> str:
        kind = self.number(0, 7)
        if kind < 5:
            return str(length)
        return "?" if kind == 5 else f"{self.number(1, length)}..{length + self.number(0, 4)}" if length else "?"

    def constant(self, value: Any, type: str = "i64") -> Value:
        """Add a constant, which is read by the layer that it is made for only."""
        array = np.asarray(value).astype(ElementType(type).dtype)
        offset, data = len(self._weights), pack(array, ElementType(type))
        self._weights += data or b"\0"
        size = max(len(data), 1)
        data_of = {"element_type": type, "shape": ", ".join(map(str, array.shape)), "offset": offset, "size": size}
        dims = "".join(f"<dim>{length}</dim>" for length in array.shape)
        port = f'<output><port id="0" precision="{ElementType(type).precision}">{dims}</port></output>'
        return Value(self._layer(f"c{len(self._layers)}", "Const", 1, data_of, port), 0, type, array.shape)

    def add(
        self,
        type: str,
        version: int | str,
        inputs: Sequence[Value | None],
        outputs: Sequence[tuple[str, Sequence[int]]],
        bodies: str = "",
        name: str = "",
        **attributes: object,
    ) -> list[Value]:
        """Add a layer, with its `bodies` and port maps as XML; its outputs may be read from now on."""
        taken = "".join(f'<port id="{index}"/>' for index in range(len(inputs)))
        made = "".join(f'<port id="{len(inputs) + index}"{UNKNOWN}/>' for index in range(len(outputs)))
        body = f"<input>{taken}</input><output>{made}</output>{bodies}"
        id = self._layer(f"{name or type}{len(self._layers)}", type, version, attributes, body)
        for index, source in enumerate(inputs):
            if source is not None:
                self._edge(source, id, index)
        found = [
            Value(id, len(inputs) + index, type, tuple(map(int, shape))) for index, (type, shape) in enumerate(outputs)
        ]
        self.values += found
        self.types.append(type)
        return found

    def _edge(self, source: Value, layer: int, port: int) -> None:
        self._read.add((source.layer, source.port))
        ends = f'from-layer="{source.layer}" from-port="{source.port}" to-layer="{layer}" to-port="{port}"'
        self._edges.append(f"<edge {ends}/>")

    def _layer(self, name: str, type: str, version: int | str, attributes: Mapping[str, object], body: str) -> int:
        texts = " ".join(f"{key.rstrip('_')}={quoteattr(text_of(value))}" for key, value in attributes.items())
        data = f"<data {texts}/>" if attributes else ""
        id = len(self._layers)
        opset = f"opset{version}" if isinstance(version, int) else version
        self._layers.append(f'<layer id="{id}" name="{name}" type="{type}" version="{opset}">{data}{body}</layer>')
        return id

    def result(self, value: Value) -> int:
        """Add a result, and return its id."""
        id = self._layer(f"r{len(self._layers)}", "Result", 1, {}, '<input><port id="0"/></input>')
        self._edge(value, id, 0)
        return id

    @property
    def content(self) -> str:
        """The layers and edges as XML."""
        lines = "\n".join(self._layers), "\n".join(self._edges)
        return f"<layers>\n{lines[0]}\n</layers><edges>\n{lines[1]}\n</edges><rt_info/>"

    def finish(self) -> ValidIR:
        """Return the IR; what nothing reads becomes a result, bf16 as f32: OpenVINO's Python has no arrays of it."""
        for value in list(self.values):
            if (value.layer, value.port) in self._read:
                continue
            shown = [value]
            if value.type == "bf16":
                shown = self.add("Convert", 1, shown, [("f32", value.shape)], name="small", destination_type="f32")
            self.result(shown[0])
        xml = f'<?xml version="1.0"?>\n<net name="random" version="11">{self.content}</net>'
        return ValidIR(xml.encode(), bytes(self._weights), self.inputs, tuple(self.types))
