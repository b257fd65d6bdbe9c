"""The IR of a deep model of equal blocks, as long as that of a large language model."""

from __future__ import annotations

from collections.abc import Callable

WEIGHTS = b"\0" * 64
_PORT = '<port id="{}" precision="FP32"><dim>1</dim><dim>4</dim></port>'
_KINDS = ("Relu", "Tanh", "Sigmoid", "Abs", "Exp", "Sqrt", "Negative")

Naming = Callable[[int, int, str], str]


def by_module(block: int, step: int, kind: str) -> str:
    """Return names as PyTorch's exporter writes them."""
    return f"__module.model.layers.{block}.mlp.{step}/aten::{kind.lower()}/{kind}"


def by_number(block: int, step: int, kind: str) -> str:
    """Return names that say nothing of blocks."""
    return f"{kind}_{block * 7919 + step * 13}_{step}"


class _Writer:
    def __init__(self) -> None:
        self.layers: list[str] = []
        self.edges: list[tuple[int, int, int, int]] = []

    def add(self, name: str, kind: str, data: str, sources: list[tuple[int, int]], *, has_output: bool = True) -> int:
        number = len(self.layers)
        self.edges += [(*source, number, at) for at, source in enumerate(sources)]
        inputs = "".join(_PORT.format(at) for at in range(len(sources)))
        text = f'<layer id="{number}" name="{name}" type="{kind}" version="opset1">{data}'
        text += f"<input>{inputs}</input>" if inputs else ""
        text += f"<output>{_PORT.format(len(sources))}</output>" if has_output else ""
        self.layers.append(f"{text}</layer>")
        return number


def decoder(blocks: int, length: int, naming: Naming = by_module) -> str:
    """Return an IR of about `blocks * length` layers, a third of them constants, with a residual over each block."""
    writer = _Writer()
    constant = '<data element_type="f32" shape="1,4" offset="0" size="16"/>'
    last = (writer.add("x", "Parameter", '<data shape="1,4" element_type="f32"/>', []), 0)
    for block in range(blocks):
        first = last
        for step in range(length // 3):
            kind = _KINDS[step * step % 7]
            weight = writer.add(naming(block, step, "Constant"), "Const", constant, [])
            last = (writer.add(naming(block, step, kind), kind if kind != "Relu" else "ReLU", "", [last]), 1)
            data = '<data auto_broadcast="numpy"/>'
            last = (writer.add(naming(block, step, "Multiply"), "Multiply", data, [last, (weight, 0)]), 2)
        data = '<data auto_broadcast="numpy"/>'
        last = (writer.add(naming(block, length, "Add"), "Add", data, [last, first]), 2)
    writer.add("y", "Result", "", [last], has_output=False)
    edges = "".join(
        f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in writer.edges
    )
    return f'<net name="decoder" version="11"><layers>{"".join(writer.layers)}</layers><edges>{edges}</edges></net>'
