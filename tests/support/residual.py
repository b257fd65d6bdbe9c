"""A deep model with residual connections."""

from __future__ import annotations


def residual(blocks: int) -> str:
    """Return an IR of `3 * blocks + 2` layers with a residual connection a block."""
    port = '<port id="{}" precision="FP32"><dim>1</dim><dim>4</dim></port>'
    layers, edges, last = [], [], (0, 0)
    layers.append(
        '<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,4" element_type="f32"/>'
        f"<output>{port.format(0)}</output></layer>"
    )
    for block in range(blocks):
        first = 3 * block + 1
        for at, (id, kind) in enumerate(((first, "ReLU"), (first + 1, "Tanh"))):
            source = last if at == 0 else (first, 1)
            layers.append(
                f'<layer id="{id}" name="l{id}" type="{kind}" version="opset1"><input>{port.format(0)}</input>'
                f"<output>{port.format(1)}</output></layer>"
            )
            edges.append((*source, id, 0))
        layers.append(
            f'<layer id="{first + 2}" name="l{first + 2}" type="Add" version="opset1"><data auto_broadcast="numpy"/>'
            f"<input>{port.format(0)}{port.format(1)}</input><output>{port.format(2)}</output></layer>"
        )
        edges += [(first + 1, 1, first + 2, 0), (*last, first + 2, 1)]
        last = (first + 2, 2)
    end = 3 * blocks + 1
    layers.append(f'<layer id="{end}" name="y" type="Result" version="opset1"><input>{port.format(0)}</input></layer>')
    edges.append((*last, end, 0))
    lines = "".join(f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
    return f'<net name="residual" version="11"><layers>{"".join(layers)}</layers><edges>{lines}</edges></net>'
