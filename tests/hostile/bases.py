"""The valid IRs that the variants are made of, as text with one element a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np


@dataclass(frozen=True)
class Base:
    """A valid IR and its weights."""

    xml: str
    weights: bytes


def port(id: int, dims: Sequence[int], precision: str = "FP32", names: str = "") -> str:
    shown = f' names="{names}"' if names else ""
    lines = "".join(f"\n                    <dim>{dim}</dim>" for dim in dims)
    return f'<port id="{id}" precision="{precision}"{shown}>{lines}\n                </port>'


def layer(
    id: int,
    name: str,
    type: str,
    data: str = "",
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    version: int = 1,
    more: str = "",
) -> str:
    """Return a layer, each part of it in lines of its own."""
    text = f'        <layer id="{id}" name="{name}" type="{type}" version="opset{version}">\n'
    text += f"            <data {data}/>\n" if data else ""
    for tag, ports in (("input", inputs), ("output", outputs)):
        lines = "".join(f"                {shown}\n" for shown in ports)
        text += f"            <{tag}>\n{lines}            </{tag}>\n" if ports else ""
    return f"{text}{more}        </layer>\n"


def edge(source: int, source_port: int, target: int, target_port: int) -> str:
    return (
        f'        <edge from-layer="{source}" from-port="{source_port}" to-layer="{target}" to-port="{target_port}"/>\n'
    )


def net(layers: Sequence[str], edges: Sequence[tuple[int, int, int, int]], version: int = 11) -> str:
    return (
        f'<?xml version="1.0"?>\n<net name="model" version="{version}">\n    <layers>\n{"".join(layers)}    </layers>\n'
        f"    <edges>\n{''.join(edge(*ends) for ends in edges)}    </edges>\n    <rt_info/>\n</net>\n"
    )


def const(id: int, name: str, dims: Sequence[int], offset: int, type: str = "f32", precision: str = "FP32") -> str:
    size = int(np.prod(dims)) * {"f32": 4, "i64": 8, "i32": 4}[type]
    shape = ", ".join(map(str, dims))
    data = f'element_type="{type}" shape="{shape}" offset="{offset}" size="{size}"'
    return layer(id, name, "Const", data, (), [port(0, dims, precision)])


@cache
def conv() -> Base:
    """Return x -> Convolution(w) -> Add(b) -> ReLU -> out."""
    data = 'strides="1, 1" dilations="1, 1" pads_begin="1, 1" pads_end="1, 1" auto_pad="explicit"'
    image, kernel, bias, made = [1, 3, 8, 8], [4, 3, 3, 3], [1, 4, 1, 1], [1, 4, 8, 8]
    layers = [
        layer(0, "x", "Parameter", 'shape="1,3,8,8" element_type="f32"', (), [port(0, image, names="x")]),
        const(1, "w", kernel, 0),
        layer(2, "conv", "Convolution", data, [port(0, image), port(1, kernel)], [port(2, made)]),
        const(3, "b", bias, 432),
        layer(4, "add", "Add", 'auto_broadcast="numpy"', [port(0, made), port(1, bias)], [port(2, made)]),
        layer(5, "relu", "ReLU", "", [port(0, made)], [port(1, made, names="y")]),
        layer(6, "out", "Result", "", [port(0, made)]),
    ]
    edges = [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 4, 0), (3, 0, 4, 1), (4, 2, 5, 0), (5, 1, 6, 0)]
    weights = np.linspace(-1, 1, 112, dtype=np.float32).tobytes()
    return Base(net(layers, edges), weights)


@cache
def gather() -> Base:
    """Return data, indices -> Gather-8(axis) -> Concat with itself -> out, and a Split with two outputs."""
    layers = [
        layer(0, "data", "Parameter", 'shape="4,6" element_type="f32"', (), [port(0, [4, 6])]),
        layer(1, "indices", "Parameter", 'shape="2" element_type="i64"', (), [port(0, [2], "I64")]),
        const(2, "axis", [], 0, "i64", "I64"),
        layer(
            3, "gather", "Gather", 'batch_dims="0"', [port(0, [4, 6]), port(1, [2], "I64"), port(2, [], "I64")],
            [port(3, [4, 2])], 8,
        ),
        const(4, "split_axis", [], 8, "i64", "I64"),
        layer(
            5, "split", "Split", 'num_splits="2"', [port(0, [4, 2]), port(1, [], "I64")],
            [port(2, [4, 1]), port(3, [4, 1])],
        ),
        layer(6, "concat", "Concat", 'axis="1"', [port(0, [4, 1]), port(1, [4, 1])], [port(2, [4, 2])]),
        layer(7, "out", "Result", "", [port(0, [4, 2])]),
    ]  # fmt: skip
    edges = [(0, 0, 3, 0), (1, 0, 3, 1), (2, 0, 3, 2), (3, 3, 5, 0), (4, 0, 5, 1), (5, 2, 6, 0), (5, 3, 6, 1)]
    return Base(net(layers, [*edges, (6, 2, 7, 0)]), np.array([1, 1], "<i8").tobytes())


@cache
def strings() -> Base:
    """Return a constant of two strings as a result."""
    text = b"abcd"
    weights = np.array([2, 0, 1, 4], "<i4").tobytes() + text
    data = f'element_type="string" shape="2" offset="0" size="{len(weights)}"'
    layers = [
        layer(0, "words", "Const", data, (), [port(0, [2], "STRING")]),
        layer(1, "out", "Result", "", [port(0, [2], "STRING")]),
    ]
    return Base(net(layers, [(0, 0, 1, 0)]), weights)


@cache
def state() -> Base:
    """Return a variable that is read, added to, assigned and returned."""
    variable = 'variable_id="sum" variable_type="f32" variable_shape="1,2"'
    layers = [
        layer(0, "x", "Parameter", 'shape="1,2" element_type="f32"', (), [port(0, [1, 2])]),
        const(1, "zero", [1, 2], 0),
        layer(2, "read", "ReadValue", variable, [port(0, [1, 2])], [port(1, [1, 2])], 6),
        layer(3, "add", "Add", "", [port(0, [1, 2]), port(1, [1, 2])], [port(2, [1, 2])]),
        layer(4, "assign", "Assign", 'variable_id="sum"', [port(0, [1, 2])], [port(1, [1, 2])], 6),
        layer(5, "out", "Result", "", [port(0, [1, 2])]),
    ]
    edges = [(1, 0, 2, 0), (0, 0, 3, 0), (2, 1, 3, 1), (3, 2, 4, 0), (3, 2, 5, 0)]
    return Base(net(layers, edges), bytes(8))


def _body(layers: Sequence[str], edges: Sequence[tuple[int, int, int, int]], tag: str = "body") -> str:
    lines = "".join(layers) + "            </layers>\n            <edges>\n" + "".join(edge(*ends) for ends in edges)
    return f"            <{tag}>\n            <layers>\n{lines}            </edges>\n            </{tag}>\n"


@cache
def loop() -> Base:
    """Return a TensorIterator that adds up the rows of its input, and a Loop of five trips behind it."""
    row = [1, 3]
    add = [port(0, row), port(1, row)]
    body = [
        layer(0, "row", "Parameter", 'shape="1,3" element_type="f32"', (), [port(0, row)]),
        layer(1, "before", "Parameter", 'shape="1,3" element_type="f32"', (), [port(0, row)]),
        layer(2, "plus", "Add", "", add, [port(2, row)]),
        layer(3, "after", "Result", "", [port(0, row)]),
        layer(4, "each", "Result", "", [port(0, row)]),
    ]
    maps = (
        "            <port_map>\n"
        '                <input axis="0" external_port_id="0" internal_layer_id="0" start="0" end="-1" stride="1"'
        ' part_size="1"/>\n'
        '                <input external_port_id="1" internal_layer_id="1"/>\n'
        '                <output external_port_id="2" internal_layer_id="3"/>\n'
        '                <output axis="0" external_port_id="3" internal_layer_id="4" start="0" end="-1" stride="1"'
        ' part_size="1"/>\n'
        "            </port_map>\n            <back_edges>\n"
        '                <edge from-layer="3" to-layer="1"/>\n            </back_edges>\n'
    )
    inner = _body(body, [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (2, 2, 4, 0)])
    layers = [
        layer(0, "rows", "Parameter", 'shape="5,3" element_type="f32"', (), [port(0, [5, 3])]),
        layer(1, "start", "Parameter", 'shape="1,3" element_type="f32"', (), [port(0, row)]),
        layer(
            2, "sum", "TensorIterator", "", [port(0, [5, 3]), port(1, row)], [port(2, row), port(3, [5, 3])],
            more=maps + inner,
        ),
        layer(3, "total", "Result", "", [port(0, row)]),
        layer(4, "steps", "Result", "", [port(0, [5, 3])]),
    ]  # fmt: skip
    return Base(net(layers, [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (2, 3, 4, 0)]), b"")


@cache
def choice() -> Base:
    """Return an If of which one branch adds 1 and the other gives the input back."""
    row = [1, 3]
    parameter = layer(0, "inner", "Parameter", 'shape="1,3" element_type="f32"', (), [port(0, row)])
    then = [
        parameter, const(1, "one", [1, 1], 0), layer(2, "more", "Add", "", [port(0, row), port(1, [1, 1])], [port(2,
        row)]),
        layer(3, "result", "Result", "", [port(0, row)]),
    ]  # fmt: skip
    maps = "".join(
        f"            <{name}_port_map>\n"
        '                <input external_port_id="1" internal_layer_id="0"/>\n'
        f'                <output external_port_id="2" internal_layer_id="{result}"/>\n'
        f"            </{name}_port_map>\n"
        for name, result in (("then", 3), ("else", 1))
    )
    bodies = _body(then, [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)], "then_body")
    bodies += _body([parameter, layer(1, "result", "Result", "", [port(0, row)])], [(0, 0, 1, 0)], "else_body")
    layers = [
        layer(0, "flag", "Parameter", 'shape="" element_type="boolean"', (), [port(0, [], "BOOL")]),
        layer(1, "x", "Parameter", 'shape="1,3" element_type="f32"', (), [port(0, row)]),
        layer(2, "if", "If", "", [port(0, [], "BOOL"), port(1, row)], [port(2, row)], 8, maps + bodies),
        layer(3, "out", "Result", "", [port(0, row)]),
    ]
    return Base(net(layers, [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)]), np.float32(1).tobytes())


BASES = {
    "conv": conv, "gather": gather, "strings": strings, "state": state, "loop": loop, "choice": choice,
}  # fmt: skip
"""Every base, by name."""
