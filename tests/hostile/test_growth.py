"""The work of a check grows as its input does: lines of Python that run are counted, which no clock and load changes.

`python -m tests.hostile.test_growth` prints the exponents of lines, seconds and memory for inputs that grow tenfold.
"""

from __future__ import annotations

import math
import sys
import time
import tracemalloc
from collections.abc import Callable

import pytest

from ir_plugin import Core
from tests.hostile.growing_models import MODELS
from tests.support.work import counted_lines

PORT = '<port id="{}" precision="FP32"><dim>2</dim></port>'
HEAD = (
    '<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>'
    f"<output>{PORT.format(0)}</output></layer>"
)
SMALL, TENFOLD = 40, 400


def net(layers: str, edges: str, head: str = HEAD) -> bytes:
    """Return an IR."""
    return f'<net name="n" version="11"><layers>{head}{layers}</layers><edges>{edges}</edges></net>'.encode()


def layer(id: int, type: str, inputs: int = 1, data: str = "", more: str = "", name: str = "") -> str:
    """Return a layer with an output, unless it is a Result."""
    ports = "".join(PORT.format(port) for port in range(inputs))
    output = "" if type == "Result" else f"<output>{PORT.format(inputs)}</output>"
    start = f'<layer id="{id}" name="{name or f"n{id}"}" type="{type}" version="opset1">'
    return f"{start}{data}<input>{ports}</input>{output}{more}</layer>"


def edge(source: int, port: int, target: int, to_port: int = 0) -> str:
    """Return an edge."""
    return f'<edge from-layer="{source}" from-port="{port}" to-layer="{target}" to-port="{to_port}"/>'


def _result(id: int, source: int) -> tuple[str, str]:
    return layer(id, "Result"), edge(source, int(source > 0), id)


def layers(count: int) -> tuple[bytes, bytes]:
    """Return an IR with a chain of layers."""
    chain = "".join(layer(id, "Exp") for id in range(1, count + 1))
    edges = "".join(edge(id, int(id > 0), id + 1) for id in range(count + 1))
    return net(chain + layer(count + 1, "Result"), edges), b""


def broken_layers(count: int) -> tuple[bytes, bytes]:
    """Return an IR in which every layer has a fault."""
    return layers(count)[0].replace(b'type="Exp"', b'type="Expo"'), b""


def attributes(count: int) -> tuple[bytes, bytes]:
    """Return an IR with unknown attributes of a layer."""
    data = "<data " + " ".join(f'a{number}="1"' for number in range(count)) + "/>"
    result, last = _result(2, 1)
    return net(layer(1, "Exp", data=data) + result, edge(0, 0, 1) + last), b""


def names(count: int) -> tuple[bytes, bytes]:
    """Return an IR with a long list of tensor names."""
    text = ",".join(f"t{number}" for number in range(count))
    result, last = _result(2, 1)
    body = layer(1, "Exp").replace('<port id="1"', f'<port id="1" names="{text}"')
    return net(body + result, edge(0, 0, 1) + last), b""


def constants(count: int) -> tuple[bytes, bytes]:
    """Return an IR with constants that overlap, which a sum reads one after another."""
    parts, edges, previous = "", "", 0
    for number in range(count):
        constant, total = 2 * number + 1, 2 * number + 2
        parts += (
            f'<layer id="{constant}" name="c{number}" type="Const" version="opset1"><data element_type="f32" shape="2" '
            f'offset="{4 * number}" size="8"/><output>{PORT.format(0)}</output></layer>' + layer(total, "Add", 2)
        )
        edges += edge(previous, 2 if previous else 0, total) + edge(constant, 0, total, 1)
        previous = total
    last = 2 * count + 1
    return net(parts + layer(last, "Result"), edges + edge(previous, 2, last)), bytes(4 * count + 4)


def edges(count: int) -> tuple[bytes, bytes]:
    """Return an IR with a layer of many inputs, all of them the same."""
    data = '<data axis="0"/>'
    port = f'<port id="{count}" precision="FP32"><dim>'
    wide = layer(1, "Concat", count, data).replace(f"{port}2<", f"{port}{2 * count}<")
    result = layer(2, "Result").replace("<dim>2<", f"<dim>{2 * count}<")
    return net(wide + result, "".join(edge(0, 0, 1, port) for port in range(count)) + edge(1, count, 2)), b""


def bodies(count: int) -> tuple[bytes, bytes]:
    """Return an IR with a chain of layers that have a body each."""
    body = "<body><layers>" + HEAD + layer(1, "Exp") + layer(2, "Result")
    body += f"</layers><edges>{edge(0, 0, 1)}{edge(1, 1, 2)}</edges></body>"
    maps = (
        '<port_map><input external_port_id="0" internal_layer_id="0"/>'
        '<output external_port_id="1" internal_layer_id="2"/></port_map><back_edges/>'
    )
    chain = "".join(layer(id, "TensorIterator", more=maps + body) for id in range(1, count + 1))
    links = "".join(edge(id, int(id > 0), id + 1) for id in range(count + 1))
    return net(chain + layer(count + 1, "Result"), links), b""


def bare(count: int) -> tuple[bytes, bytes]:
    """Return layers without a net, with dots."""
    one = f'<layer ... type="Exp">\n<input>{PORT.format(0)}</input><output>...</output>\n</layer>\n'
    return (one * count).encode(), b""


KINDS: dict[str, Callable[[int], tuple[bytes, bytes]]] = {
    "layers": layers, "broken layers": broken_layers, "attributes": attributes, "tensor names": names,
    "constants": constants, "edges": edges, "bodies": bodies, "bare layers": bare, **MODELS,
}  # fmt: skip
FAULTY = ("broken layers", "broken ONNX nodes", "ONNX attributes")


def lines(kind: str, count: int) -> int:
    """Return how many lines of Python a check runs."""
    file, weights = KINDS[kind](count)
    with counted_lines() as counter:
        Core().validate(file, weights)
    return counter()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in FAULTY])
def test_the_inputs_are_sound(kind: str) -> None:
    errors = Core().validate(*KINDS[kind](5)).findings.errors
    assert [finding.message for finding in errors] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_work_of_a_check_grows_as_its_input_does(kind: str) -> None:
    lines(kind, 3)
    small, large = lines(kind, SMALL), lines(kind, TENFOLD)
    assert math.log10(large / small) < 1.2


def main() -> None:
    """Print the exponents of lines, seconds and memory."""
    for kind, build in KINDS.items():
        figures = []
        for count in (1000, 10_000):
            file, weights = build(count)
            begin = time.process_time()
            Core().validate(file, weights)
            seconds = time.process_time() - begin
            tracemalloc.start()
            Core().validate(file, weights)
            figures.append((seconds, tracemalloc.get_traced_memory()[1]))
            tracemalloc.stop()
        exponents = [math.log10(large / small) for small, large in zip(*figures, strict=True)]
        sys.stdout.write(
            f"{kind:14} {len(file):>9} bytes {figures[1][0]:6.2f} s {figures[1][1] / len(file):5.1f} bytes a byte, "
            f"exponents {exponents[0]:.2f} {exponents[1]:.2f}\n"
        )


if __name__ == "__main__":
    main()
