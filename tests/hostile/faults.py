"""A chain of equal blocks, and faults of one layer of a block, of which any two in different blocks are independent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from tests.hostile.bases import Base, const, layer, net, port
from tests.hostile.variant import Edit, cut_layer, cut_within, swap, within

SIZE, BLOCKS, OUT = 592, 3, 90
IMAGE, KERNEL, BIAS = [1, 4, 8, 8], [4, 4, 3, 3], [1, 4, 1, 1]
OUTPUT = '<port id="2" precision="FP32"'
FIRST = "\n                    <dim>1</dim>\n                    <dim>"


@dataclass(frozen=True)
class Fault:
    """An edit of a block, the code of its finding, and the layer that the finding names (empty: any)."""

    name: str
    edit: Callable[[int], Edit]
    code: str
    layer: str = ""


@cache
def chain() -> Base:
    """Return x -> (Convolution(w) -> Add(b) -> ReLU) three times -> out; block n has the ids from 10 n on."""
    data = 'strides="1, 1" dilations="1, 1" pads_begin="1, 1" pads_end="1, 1" auto_pad="explicit"'
    layers = [layer(0, "x", "Parameter", 'shape="1,4,8,8" element_type="f32"', (), [port(0, IMAGE, names="x")])]
    edges, source = [], (0, 0)
    for number in range(1, BLOCKS + 1):
        id, offset = 10 * number, (number - 1) * SIZE
        layers += [
            const(id, f"w{number}", KERNEL, offset),
            layer(id + 1, f"conv{number}", "Convolution", data, [port(0, IMAGE), port(1, KERNEL)], [port(2, IMAGE)]),
            const(id + 2, f"b{number}", BIAS, offset + 576),
            layer(
                id + 3, f"add{number}", "Add", 'auto_broadcast="numpy"', [port(0, IMAGE), port(1, BIAS)],
                [port(2, IMAGE)],
            ),
            layer(id + 4, f"relu{number}", "ReLU", "", [port(0, IMAGE)], [port(1, IMAGE)]),
        ]  # fmt: skip
        edges += [(*source, id + 1, 0), (id, 0, id + 1, 1), (id + 1, 2, id + 3, 0), (id + 2, 0, id + 3, 1)]
        edges.append((id + 3, 2, id + 4, 0))
        source = id + 4, 1
    layers.append(layer(OUT, "out", "Result", "", [port(0, IMAGE)]))
    return Base(net(layers, [*edges, (*source, OUT, 0)]), np.linspace(-1, 1, 444, dtype=np.float32).tobytes())


def _edge(number: int, member: int, port: int) -> str:
    return f'to-layer="{10 * number + member}" to-port="{port}"'


def _without_edge(member: int, port: int) -> Callable[[int], Edit]:
    def edit_of(number: int) -> Edit:
        def edit(text: str) -> str:
            found = text.index(_edge(number, member, port))
            begin = text.rindex("        <edge", 0, found)
            return text[:begin] + text[text.index("\n", found) + 1 :]

        return edit

    return edit_of


def _feed_back(number: int) -> Edit:
    """Let the Add of a block read its ReLU."""
    old = f'from-layer="{10 * number + 1}" from-port="2" {_edge(number, 3, 0)}'
    return swap(old, f'from-layer="{10 * number + 4}" from-port="1" {_edge(number, 3, 0)}')


def _spare(number: int) -> Edit:
    """Add a layer that nothing reads."""
    spare = layer(500 + number, f"spare{number}", "ReLU", "", [port(0, KERNEL)], [port(1, KERNEL)])
    ends = f'        <edge from-layer="{10 * number}" from-port="0" to-layer="{500 + number}" to-port="0"/>\n'
    add_edge = swap("    </edges>", f"{ends}    </edges>")
    return lambda text: add_edge(swap("    </layers>", f"{spare}    </layers>")(text))


def _of(name: str, old: str, new: str, code: str, found: str = "") -> Fault:
    """Return the fault of another text in a layer; `{0}` stands for the ten of the block's ids."""

    def edit(number: int) -> Edit:
        return within(f"{name}{number}", old.format(number), new.format(number))

    return Fault(f"{code} {new or old}", edit, code, found or name)  # fmt: skip


FAULTS = [
    Fault("an input without edge", _without_edge(4, 0), "IR207", "relu"),
    Fault("a bias without edge", _without_edge(3, 1), "IR207", "add"),
    Fault("weights without edge", _without_edge(1, 1), "IR207", "conv"),
    _of("relu", 'id="{0}4"', 'id="{0}0"', "IR201"),
    _of("b", 'id="{0}2"', 'id="{0}0"', "IR201"),
    Fault("an edge to no layer", lambda number: swap(f'to-layer="{number}4"', 'to-layer="77"'), "IR204"),
    Fault("a deleted layer", lambda number: cut_layer(f"add{number}"), "IR204"),
    Fault("an edge to no port", lambda number: swap(_edge(number, 1, 1), f'to-layer="{number}1" to-port="7"'),
          "IR205", "conv"),
    Fault("two edges into an input", lambda number: swap(_edge(number, 4, 0), f'to-layer="{number}3" to-port="1"'),
          "IR206", "add"),
    Fault("a word for a layer", lambda number: swap(f'to-layer="{number}4"', 'to-layer="five"'), "IR213"),
    Fault("a cycle", _feed_back, "IR208", "add"),
    Fault("a layer that nothing reads", _spare, "IR209", "spare"),
    Fault("no inputs", lambda number: cut_within(f"relu{number}", "<input>", "</input>"), "IR108", "relu"),
    Fault("an input too few", lambda number: cut_within(f"conv{number}", '<port id="1"', "</port>"), "IR108", "conv"),
    Fault("no data", lambda number: cut_within(f"conv{number}", "<data", "/>"), "IR110", "conv"),
    _of("conv", f"{OUTPUT}>{FIRST}4", f"{OUTPUT}>{FIRST}5", "IR302"),
    _of("add", OUTPUT, '<port id="2" precision="I32"', "IR303"),
    _of("relu", "<dim>4</dim>", "<dim>5</dim>", "IR304"),
    _of("relu", "FP32", "I32", "IR305"),
    _of("conv", 'strides="1, 1"', 'strides="1"', "IR301"),
    _of("conv", "strides=", "stride=", "IR101"),
    _of("conv", "strides=", 'colour="red" strides=', "IR101"),
    _of("conv", 'strides="1, 1"', 'strides="a, 1"', "IR102"),
    _of("conv", 'strides="1, 1" ', "", "IR103"),
    _of("relu", ' id="{0}4"', "", "IR103"),
    _of("relu", ' type="ReLU"', "", "IR103"),
    _of("conv", '"explicit"', '"sideways"', "IR105"),
    _of("conv", '"explicit"', '"EXPLICIT"', "IR106"),
    _of("relu", "<dim>8</dim>", "<Dim>8</Dim>", "IR107"),
    _of("conv", 'strides="1, 1"', 'strides="1.5, 1"', "IR109"),
    _of("relu", "<dim>8</dim>", "<dim>abc</dim>", "IR111"),
    _of("add", 'name="add{0}"', 'name="x"', "IR202", "x"),
    _of("conv", '<port id="1"', '<port id="0"', "IR203"),
    _of("conv", OUTPUT, f'{OUTPUT} names="x"', "IR214"),
    _of("b", 'offset="', 'offset="9000', "IR402"),
    _of("w", 'size="576"', 'size="500"', "IR403"),
    _of("w", 'size="576"', 'size="578"', "IR404"),
    _of("relu", '"ReLU"', '"Frobnicate"', "IR501"),
    _of("relu", "opset1", "opset99", "IR502"),
    _of("relu", "opset1", "opset17", "IR503"),
]  # fmt: skip
