"""One-layer IRs as text and weights, written from samples, independent of the package's own writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from ir_plugin.tensors import ElementType
from ir_plugin.tensors.packing import pack
from tests.support.sample import In


@dataclass(frozen=True)
class BuiltIR:
    """An IR, and the positions of its layer's inputs that are parameters."""

    xml: bytes
    weights: bytes
    parameters: tuple[int, ...]


def text_of(value: object) -> str:
    """Return an attribute's value as an IR writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(text_of, value))
    return str(value)


class _Writer:
    def __init__(self) -> None:
        self.layers: list[str] = []
        self.edges: list[str] = []
        self.weights = bytearray()

    def layer(self, name: str, type: str, version: str, data: Mapping[str, object], body: str) -> int:
        attributes = " ".join(f"{key}={quoteattr(text_of(value))}" for key, value in data.items())
        shown = f"<data {attributes}/>" if attributes else ""
        id = len(self.layers)
        self.layers.append(
            f'<layer id="{id}" name={quoteattr(name)} type="{type}" version="{version}">{shown}{body}</layer>'
        )
        return id

    def edge(self, source: int, source_port: int, target: int, target_port: int) -> None:
        self.edges.append(
            f'<edge from-layer="{source}" from-port="{source_port}" to-layer="{target}" to-port="{target_port}"/>'
        )


def build(
    type: str,
    version: int | str,
    inputs: Sequence[In | tuple[ElementType, str] | None],
    attributes: Mapping[str, object],
    outputs: int,
    shapes: Mapping[int, str] | None = None,
    precision: bool = True,
) -> BuiltIR:
    """Return the IR of one layer; `shapes` gives partial shapes of parameters by input position.

    Ports carry no dimensions, and no precision that says anything (none at all with `precision=False`).
    """
    writer = _Writer()
    unknown = ' precision="UNSPECIFIED"' if precision else ""
    sources: list[int | None] = []
    parameters: list[int] = []
    for position, layer_input in enumerate(inputs):
        if layer_input is None:
            sources.append(None)
        elif isinstance(layer_input, In) and layer_input.constant:
            sources.append(_constant(writer, position, layer_input, unknown))
        else:
            type_of, shape = _parameter(layer_input)
            sources.append(_add_parameter(writer, position, type_of, (shapes or {}).get(position, shape), unknown))
            parameters.append(position)
    connected = [position for position, source in enumerate(sources) if source is not None]
    count = len(sources)
    ports = "".join(f'<port id="{position}"/>' for position in range(count))
    output_ports = "".join(f'<port id="{count + index}"{unknown}/>' for index in range(outputs))
    body = (f"<input>{ports}</input>" if count else "") + (f"<output>{output_ports}</output>" if outputs else "")
    opset = f"opset{version}" if isinstance(version, int) else version
    layer = writer.layer("layer", type, opset, attributes, body)
    for position in connected:
        writer.edge(sources[position] or 0, 0, layer, position)
    for index in range(outputs):
        result = writer.layer(f"result{index}", "Result", "opset1", {}, '<input><port id="0"/></input>')
        writer.edge(layer, count + index, result, 0)
    xml = (
        f'<?xml version="1.0"?><net name="sample" version="11"><layers>{"".join(writer.layers)}</layers>'
        f"<edges>{''.join(writer.edges)}</edges><rt_info/></net>"
    )
    return BuiltIR(xml.encode(), bytes(writer.weights), tuple(parameters))


def _parameter(layer_input: In | tuple[ElementType, str]) -> tuple[ElementType, str]:
    if isinstance(layer_input, In):
        return layer_input.type, ",".join(map(str, layer_input.value.shape))
    return layer_input


def _add_parameter(writer: _Writer, position: int, type: ElementType, shape: str, unknown: str) -> int:
    precision = f' precision="{type.precision}"' if unknown else ""
    body = f'<output><port id="0"{precision} names="in{position}"/></output>'
    return writer.layer(f"in{position}", "Parameter", "opset1", {"shape": shape, "element_type": type.name}, body)


def _constant(writer: _Writer, position: int, constant: In, unknown: str) -> int:
    data = pack(constant.value, constant.type)
    dims = "".join(f"<dim>{length}</dim>" for length in constant.value.shape)
    attributes = {
        "element_type": constant.type.name,
        "shape": ", ".join(map(str, constant.value.shape)),
        "offset": len(writer.weights),
        "size": max(len(data), 1),
    }
    writer.weights += data or b"\0"
    precision = f' precision="{constant.type.precision}"' if unknown else ""
    body = f'<output><port id="0"{precision}>{dims}</port></output>'
    return writer.layer(f"in{position}", "Const", "opset1", attributes, body)
