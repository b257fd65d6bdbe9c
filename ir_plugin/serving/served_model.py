"""A compiled model that is served: its metadata, and inference on the tensors of requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ir_plugin import CompiledModel, InferRequest, Output, PartialShape, Type
from ir_plugin.errors import InputError
from ir_plugin.serving.datatypes import datatype_of
from ir_plugin.serving.messages import InferenceRequest, OutputTensor
from ir_plugin.serving.request_error import RequestError

VERSION = "1"
"""The only version of a model."""


@dataclass(frozen=True)
class PortFacts:
    """What the protocol says of an input or output; an unknown length is -1."""

    name: str
    datatype: str
    element_type: Type
    shape: PartialShape

    def to_dict(self) -> dict[str, Any]:
        """Return the entry of the model's metadata."""
        dims = self.shape.dims
        lengths = [-1] if dims is None else [dim.get_length() if dim.is_static else -1 for dim in dims]
        return {"name": self.name, "datatype": self.datatype, "shape": lengths}


class ServedModel:
    """A compiled model with a name. It may be used from several threads; state does not outlive a request."""

    def __init__(self, compiled: CompiledModel, name: str) -> None:
        self.compiled, self.name = compiled, name
        self.inputs = [_facts(port) for port in compiled.inputs]
        self.outputs = [_facts(port) for port in compiled.outputs]

    def metadata(self) -> dict[str, Any]:
        """Return the metadata of the model."""
        return {
            "name": self.name,
            "versions": [VERSION],
            "platform": "openvino_ir",
            "inputs": [facts.to_dict() for facts in self.inputs],
            "outputs": [facts.to_dict() for facts in self.outputs],
        }

    def bind(self, request: InferenceRequest) -> list[NDArray[Any]]:
        """Return the array of each input; raises `RequestError` where the request does not fit the model."""
        self.selected(request)
        arrays: dict[int, NDArray[Any]] = {}
        for tensor in request.inputs:
            position = _position(self.compiled.input, self.compiled.inputs, tensor.name)
            facts = self.inputs[position]
            if tensor.datatype != facts.datatype:
                raise RequestError(f"input {tensor.name!r} is {facts.datatype}, not {tensor.datatype:.40}")
            if not facts.shape.compatible(PartialShape(list(tensor.shape))):
                raise RequestError(f"input {tensor.name!r} has the shape {facts.shape}, not {list(tensor.shape)}")
            if position in arrays:
                raise RequestError(f"the input {tensor.name!r} appears twice")
            arrays[position] = tensor.array(facts.element_type)
        missing = [facts.name for position, facts in enumerate(self.inputs) if position not in arrays]
        if missing:
            raise RequestError(f"missing inputs: {', '.join(missing)}")
        return [arrays[position] for position in range(len(self.inputs))]

    def infer(self, arrays: Sequence[NDArray[Any]], request: InferRequest) -> Sequence[NDArray[Any]]:
        """Return the outputs of a run of an infer request without earlier state."""
        request.reset_state()
        request.infer(dict(enumerate(arrays)), share_inputs=True, share_outputs=True)
        return request.output_values()

    def respond(self, request: InferenceRequest, outputs: Sequence[NDArray[Any]]) -> list[OutputTensor]:
        """Return the requested outputs, under the names that the request uses."""
        return [
            OutputTensor(name, facts.datatype, facts.element_type, outputs[position])
            for name, position in self.selected(request).items()
            for facts in [self.outputs[position]]
        ]

    def selected(self, request: InferenceRequest) -> Mapping[str, int]:
        """Return the position of each requested output by name; all outputs where the request names none."""
        if not request.outputs:
            return {facts.name: position for position, facts in enumerate(self.outputs)}
        return {name: _position(self.compiled.output, self.compiled.outputs, name) for name in request.outputs}


def _position(port_of: Callable[[str], Output], ports: Sequence[Output], name: str) -> int:
    """Return the position of the port of a name; raises `RequestError` where there is none."""
    try:
        return ports.index(port_of(name))
    except InputError as fault:
        raise RequestError(str(fault)) from fault


def _facts(port: Output) -> PortFacts:
    name = min(port.names, default=port.node.friendly_name)
    return PortFacts(name, datatype_of(name, port.element_type), port.element_type, PartialShape(port.partial_shape))
