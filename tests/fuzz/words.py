"""Layers of strings, which a graph grows by that begins with strings: their values are known while it grows."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.fuzz.graph import Graph, ValidIR, Value
from tests.fuzz.layers import LAYERS
from tests.fuzz.moves import MOVES

WORDS = ("", "a", "bcd", "éé", "\u2028", "𝄞x", "end of it")
LARGEST = 64


class Words(Graph):
    """A graph that knows the strings of its values."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(chance)
        self.strings: dict[Value, Array] = {}
        self.constant_words: set[Value] = set()
        """Values that follow from constants: only we infer how many bytes they have."""

    def array(self, type: str, shape: tuple[int, ...]) -> Array:  # type: ignore[override]
        """Return small random values, or strings."""
        if type != "string":
            return super().array(type, shape)
        return np.array([self.chance.choice(WORDS) for _ in range(int(np.prod(shape)))], object).reshape(shape)

    def word(self) -> Value:
        """Return a value of strings, the newest ones more often."""
        known = list(self.strings)
        return self.chance.choice([*known, *known[-2:]])

    def made(self, type: str, version: int, inputs: list[Value], result: Array, **attributes: Any) -> object:
        """Add a layer of which the output holds these strings."""
        if not 0 < result.size <= LARGEST or result.ndim > 4:
            return False
        value = self.add(type, version, inputs, [("string", result.shape)], **attributes)[0]
        if self.constant_words.issuperset(source for source in inputs if source.type == "string"):
            self.constant_words.add(value)
        self.strings[value] = result
        return value


def source(graph: Words) -> object:
    shape = tuple(graph.number(1, 3) for _ in range(graph.number(1, 3)))
    if graph.flag():
        value = graph.parameter("string", shape)
        graph.strings[value] = graph.inputs[-1]
        return value
    words = graph.array("string", shape)
    index, data = graph.number(0, shape[0] - 1), graph.constant(words, "string")
    graph.constant_words.add(data)
    inputs = [data, graph.constant([index]), graph.constant(0)]
    return graph.made("Gather", 8, inputs, words[[index]], batch_dims=0)


def unpack(graph: Words) -> object:
    """Take strings apart, and perhaps put them together again."""
    data = graph.word()
    words = graph.strings[data]
    count = sum(len(word.encode()) for word in words.reshape(-1))
    outputs = [("i32", data.shape), ("i32", data.shape), ("u8", (count,))]
    if not count or data in graph.constant_words:
        return False
    parts = graph.add("StringTensorUnpack", 15, [data], outputs)
    return graph.flag() and graph.made("StringTensorPack", 15, parts, words)


def gather(graph: Words) -> object:
    data = graph.word()
    axis = graph.number(0, data.rank - 1)
    indices = [graph.number(0, data.shape[axis] - 1) for _ in range(graph.number(1, 3))]
    inputs = [data, graph.constant(indices), graph.constant(axis)]
    return graph.made("Gather", 8, inputs, graph.strings[data].take(indices, axis), batch_dims=0)


def reshape(graph: Words) -> object:
    data = graph.word()
    shape = [-1] if graph.flag() else [*data.shape[1:], data.shape[0]]
    inputs = [data, graph.constant(shape)]
    return graph.made("Reshape", 1, inputs, graph.strings[data].reshape(shape), special_zero=False)


def unsqueeze(graph: Words) -> object:
    data = graph.word()
    axis = graph.number(0, data.rank)
    return graph.made("Unsqueeze", 1, [data, graph.constant([axis])], np.expand_dims(graph.strings[data], axis))


def concat(graph: Words) -> object:
    data = graph.word()
    axis = graph.number(0, data.rank - 1)
    fit = [
        other for other in graph.strings
        if other.rank == data.rank and other.shape[:axis] == data.shape[:axis]
        and other.shape[axis + 1 :] == data.shape[axis + 1 :]
    ]  # fmt: skip
    inputs = [data, graph.chance.choice(fit)]
    return graph.made("Concat", 1, inputs, np.concatenate([graph.strings[value] for value in inputs], axis), axis=axis)


def transpose(graph: Words) -> object:
    data = graph.word()
    order = graph.chance.sample(range(data.rank), data.rank)
    return graph.made("Transpose", 1, [data, graph.constant(order)], graph.strings[data].transpose(order))


def shape_of(graph: Words) -> object:
    data = graph.word()
    return graph.add("ShapeOf", 3, [data], [("i64", [data.rank])], output_type="i64")


STRINGS = (source, unpack, unpack, gather, gather, reshape, unsqueeze, concat, transpose, shape_of)


def grown_of_words(chance: random.Random) -> ValidIR:
    """Return a random valid IR of layers of strings, and of numbers behind them."""
    graph = Words(chance)
    first = graph.parameter("string", (graph.number(1, 3), graph.number(1, 3)))
    graph.strings[first] = graph.inputs[0]
    wanted = graph.number(3, 12)
    for _ in range(4 * wanted):
        if graph.number(0, 3):
            chance.choice(STRINGS)(graph)
        else:
            chance.choice(LAYERS + MOVES)(graph)
        if len(graph.types) >= wanted:
            break
    return graph.finish()
