"""Small models for tests of the API."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WEIGHTS = np.array([1, 2, 3], np.float32).tobytes() + np.array(1, np.int64).tobytes()


def layer(
    id: int, name: str, type: str, inputs: int, outputs: int, data: str = "", version: int = 1, inner: str = ""
) -> str:
    read = "".join(f'<port id="{port}"/>' for port in range(inputs))
    written = "".join(
        f'<port id="{inputs + port}" precision="UNSPECIFIED" names="{name}_{port}"/>' for port in range(outputs)
    )
    shown = f"<data {data}/>" if data else ""
    body = (f"<input>{read}</input>" if inputs else "") + (f"<output>{written}</output>" if outputs else "")
    return f'<layer id="{id}" name="{name}" type="{type}" version="opset{version}">{shown}{inner}{body}</layer>'


def graph(layers: Sequence[str], edges: Sequence[tuple[int, int, int, int]]) -> str:
    lines = "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
    return f"<layers>{''.join(layers)}</layers><edges>{lines}</edges>"


def net(inner: str) -> bytes:
    return f'<net name="net" version="11">{inner}<rt_info/></net>'.encode()


def two_inputs() -> bytes:
    """Return relu(x * w + y), split in three, of which the first is an output, and the whole."""
    return net(
        graph(
            [
                layer(0, "x", "Parameter", 0, 1, 'shape="?,3,4" element_type="f32"'),
                layer(1, "y", "Parameter", 0, 1, 'shape="1,3,1" element_type="f32"'),
                layer(2, "w", "Const", 0, 1, 'element_type="f32" shape="1, 3, 1" offset="0" size="12"'),
                layer(3, "scaled", "Multiply", 2, 1, 'auto_broadcast="numpy"'),
                layer(4, "sum", "Add", 2, 1, 'auto_broadcast="numpy"'),
                layer(5, "relu", "ReLU", 1, 1),
                layer(6, "axis", "Const", 0, 1, 'element_type="i64" shape="" offset="12" size="8"'),
                layer(7, "split", "Split", 2, 3, 'num_splits="3"'),
                layer(8, "first", "Result", 1, 0),
                layer(9, "whole", "Result", 1, 0),
            ],
            [(0, 0, 3, 0), (2, 0, 3, 1), (3, 2, 4, 0), (1, 0, 4, 1), (4, 2, 5, 0), (5, 1, 7, 0), (6, 0, 7, 1),
             (7, 2, 8, 0), (5, 1, 9, 0)],
        )
    )  # fmt: skip


def in_a_loop() -> bytes:
    """Return a TensorIterator over the rows of x that adds each to a running total."""
    body = graph(
        [
            layer(0, "row", "Parameter", 0, 1, 'shape="1,2" element_type="f32"'),
            layer(1, "before", "Parameter", 0, 1, 'shape="1,2" element_type="f32"'),
            layer(2, "total", "Add", 2, 1, 'auto_broadcast="numpy"'),
            layer(3, "after", "Result", 1, 0),
        ],
        [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)],
    )
    inner = (
        '<port_map><input external_port_id="0" internal_layer_id="0" axis="0" start="0" end="-1" stride="1" '
        'part_size="1"/><input external_port_id="1" internal_layer_id="1"/>'
        '<output external_port_id="2" internal_layer_id="3"/></port_map>'
        '<back_edges><edge from-layer="3" to-layer="1"/></back_edges>'
        f"<body>{body}<rt_info/></body>"
    )
    return net(
        graph(
            [
                layer(0, "x", "Parameter", 0, 1, 'shape="3,2" element_type="f32"'),
                layer(1, "start", "Parameter", 0, 1, 'shape="1,2" element_type="f32"'),
                layer(2, "loop", "TensorIterator", 2, 1, inner=inner),
                layer(3, "out", "Result", 1, 0),
            ],
            [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)],
        )
    )
