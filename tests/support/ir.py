"""IRs of one layer or of several apart, written from samples, independent of the package's own writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from ir_plugin.tensors import ElementType
from ir_plugin.tensors.packing import pack
from tests.support.sample import In, Sample


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
    def __init__(self, precision: bool) -> None:
        self.layers: list[str] = []
        self.edges: list[str] = []
        self.weights = bytearray()
        self.unknown = ' precision="UNSPECIFIED"' if precision else ""

    def xml(self) -> bytes:
        return (
            f'<?xml version="1.0"?><net name="sample" version="11"><layers>{"".join(self.layers)}</layers>'
            f"<edges>{''.join(self.edges)}</edges><rt_info/></net>"
        ).encode()

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

    def add(
        self,
        prefix: str,
        type: str,
        version: int | str,
        inputs: Sequence[In | tuple[ElementType, str] | None],
        attributes: Mapping[str, object],
        outputs: int,
        shapes: Mapping[int, str],
    ) -> tuple[int, ...]:
        """Add a layer with its inputs and results, and return the positions of the inputs that are parameters."""
        sources = {
            position: self.source(f"{prefix}in{position}", layer_input, shapes.get(position))
            for position, layer_input in enumerate(inputs)
            if layer_input is not None
        }
        count = len(inputs)
        ports = "".join(f'<port id="{position}"/>' for position in range(count))
        output_ports = "".join(f'<port id="{count + index}"{self.unknown}/>' for index in range(outputs))
        body = (f"<input>{ports}</input>" if count else "") + (f"<output>{output_ports}</output>" if outputs else "")
        opset = f"opset{version}" if isinstance(version, int) else version
        layer = self.layer(f"{prefix}layer", type, opset, attributes, body)
        for position, source in sources.items():
            self.edge(source, 0, layer, position)
        for index in range(outputs):
            result = self.layer(f"{prefix}result{index}", "Result", "opset1", {}, '<input><port id="0"/></input>')
            self.edge(layer, count + index, result, 0)
        constants = {at for at, item in enumerate(inputs) if isinstance(item, In) and item.constant}
        return tuple(position for position in sources if position not in constants)

    def source(self, name: str, layer_input: In | tuple[ElementType, str], shape: str | None) -> int:
        if isinstance(layer_input, In) and layer_input.constant:
            return _constant(self, name, layer_input)
        type, own = _parameter(layer_input)
        return _add_parameter(self, name, type, own if shape is None else shape)


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
    writer = _Writer(precision)
    parameters = writer.add("", type, version, inputs, attributes, outputs, shapes or {})
    return BuiltIR(writer.xml(), bytes(writer.weights), parameters)


def build_together(layers: Sequence[tuple[Sample, Mapping[int, str]]], precision: bool = True) -> BuiltIR:
    """Return one IR of many samples' layers that share nothing, with partial shapes of their parameters."""
    writer = _Writer(precision)
    for number, (sample, shapes) in enumerate(layers):
        writer.add(f"{number} ", sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs, shapes)
    return BuiltIR(writer.xml(), bytes(writer.weights), ())


def _parameter(layer_input: In | tuple[ElementType, str]) -> tuple[ElementType, str]:
    if isinstance(layer_input, In):
        return layer_input.type, ",".join(map(str, layer_input.value.shape))
    return layer_input


def _add_parameter(writer: _Writer, name: str, type: ElementType, shape: str) -> int:
    precision = f' precision="{type.precision}"' if writer.unknown else ""
    body = f'<output><port id="0"{precision} names="{name}"/></output>'
    return writer.layer(name, "Parameter", "opset1", {"shape": shape, "element_type": type.name}, body)


def _constant(writer: _Writer, name: str, constant: In) -> int:
    data = pack(constant.value, constant.type)
    dims = "".join(f"<dim>{length}</dim>" for length in constant.value.shape)
    attributes = {
        "element_type": constant.type.name,
        "shape": ", ".join(map(str, constant.value.shape)),
        "offset": len(writer.weights),
        "size": max(len(data), 1),
    }
    writer.weights += data or b"\0"
    precision = f' precision="{constant.type.precision}"' if writer.unknown else ""
    body = f'<output><port id="0"{precision}>{dims}</port></output>'
    return writer.layer(name, "Const", "opset1", attributes, body)
