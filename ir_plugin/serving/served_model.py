"""A compiled model behind the protocol: its metadata, and inference on the tensors of requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ir_plugin.errors import InputError
from ir_plugin.model import Output
from ir_plugin.openvino.api import CompiledModel, InferRequest
from ir_plugin.openvino.api.lookup import names_of, position_of
from ir_plugin.openvino.api.output_values import output_values
from ir_plugin.serving.datatypes import datatype_of
from ir_plugin.serving.messages import InferenceRequest, OutputTensor
from ir_plugin.serving.request_error import RequestError
from ir_plugin.tensors import Array, ElementType, PartialShape

VERSION = "1"
"""The only version of a model."""


@dataclass(frozen=True)
class PortFacts:
    """What the protocol says of an input or output; an unknown length is -1."""

    name: str
    datatype: str
    element_type: ElementType
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

    def bind(self, request: InferenceRequest) -> list[Array]:
        """Return the array of each input; raises `RequestError` where the request does not fit the model."""
        self.selected(request)
        arrays: dict[int, Array] = {}
        for tensor in request.inputs:
            position = self._position(self.compiled.inputs, tensor.name, "input")
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

    def infer(self, arrays: Sequence[Array], request: InferRequest) -> Sequence[Array]:
        """Return the outputs of a run of an infer request without earlier state."""
        request.reset_state()
        return output_values(request, dict(enumerate(arrays)))

    def respond(self, request: InferenceRequest, outputs: Sequence[Array]) -> list[OutputTensor]:
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
        return {name: self._position(self.compiled.outputs, name, "output") for name in request.outputs}

    @staticmethod
    def _position(ports: Sequence[Output], name: str, kind: str) -> int:
        try:
            return position_of(ports, name, kind)
        except InputError as fault:
            raise RequestError(str(fault)) from fault


def _facts(port: Output) -> PortFacts:
    name = names_of(port)[0]
    return PortFacts(name, datatype_of(name, port.element_type), port.element_type, PartialShape(port.partial_shape))
