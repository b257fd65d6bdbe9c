"""`Model` as OpenVINO's users know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin import model as graph
from ir_plugin.api.lookup import find_port
from ir_plugin.diagnostics import Findings
from ir_plugin.errors import InputError, ValidationError
from ir_plugin.model import Node, Output
from ir_plugin.tensors import PartialShape, Tensor
from ir_plugin.validation.check import infer_model


class Model(graph.Model):
    """A model that was read: its inputs and outputs, its nodes, and its shapes."""

    def __init__(self, read: graph.Model) -> None:
        super().__init__(read.name, read.nodes, read.version)
        self.rt_info = read.rt_info
        for result in self.results:
            source = result.inputs[0].source if result.inputs else None
            if source is not None and result.outputs:
                listed = frozenset(name for name in result.attributes.get("output_names", "").split(",") if name)
                result.outputs[0].names = listed & source.names or source.names
                result.outputs[0].tensor = source.tensor

    @property
    def inputs(self) -> list[Output]:
        """The outputs of the Parameter layers."""
        return [node.outputs[0] for node in self.parameters]

    @property
    def outputs(self) -> list[Output]:
        """The outputs of the Result layers, with the tensor names of what they read."""
        return [node.outputs[0] for node in self.results]

    def input(self, key: int | str | None = None) -> Output:
        """Return the input of this index or name, or the only one."""
        return find_port(self.inputs, key, "input")

    def output(self, key: int | str | None = None) -> Output:
        """Return the output of this index or name, or the only one."""
        return find_port(self.outputs, key, "output")

    def get_parameters(self) -> list[Node]:
        """Return the Parameter layers."""
        return self.parameters

    def get_results(self) -> list[Node]:
        """Return the Result layers."""
        return self.results

    def get_sinks(self) -> list[Node]:
        """Return the Assign layers."""
        return self.sinks

    def get_ops(self) -> list[Node]:
        """Return all nodes that contribute to a result."""
        return self.ordered()

    def get_ordered_ops(self) -> list[Node]:
        """Return all nodes that contribute to a result, each after what it reads."""
        return self.ordered()

    def get_name(self) -> str:
        """Return the model's name."""
        return self.name

    def get_friendly_name(self) -> str:
        """Return the model's name."""
        return self.name

    @property
    def friendly_name(self) -> str:
        """The model's name."""
        return self.name

    def is_dynamic(self) -> bool:
        """Return whether a node has an output of which the shape is not known in full."""
        return any(port.partial_shape.is_dynamic for node in self.ordered() for port in node.outputs)

    @property
    def dynamic(self) -> bool:
        """Whether a node has an output of which the shape is not known in full."""
        return self.is_dynamic()

    def get_output_size(self) -> int:
        """Return the number of outputs."""
        return len(self.results)

    def get_rt_info(self, path: Sequence[str] | str = ()) -> Any:
        """Return the runtime information, or what stands there under a path of names."""
        found: Any = self.rt_info
        for name in [path] if isinstance(path, str) else path:
            if not isinstance(found, Mapping) or name not in found:
                raise InputError(f"the model has no runtime information {path!r}")
            found = found[name]
        return found

    def reshape(self, shapes: Any) -> None:
        """Give the inputs other partial shapes, and infer all others anew.

        `shapes` is one shape for the only input, or a dictionary by index, name or port. A layer that does not fit
        raises `ValidationError` naming it, and the model stays as it was.
        """
        given = shapes if isinstance(shapes, Mapping) else {None: shapes}
        ports = {self._port(key): PartialShape(shape) for key, shape in given.items()}
        before = {port: port.node.operation.shape for port in ports}
        self._set_shapes(ports)
        findings = Findings()
        infer_model(self, findings, strict=False)
        if findings.errors:
            self._set_shapes(before)
            infer_model(self, Findings(), strict=False)
            first = findings.errors[0]
            raise ValidationError(f"the model cannot be reshaped: layer {first.layer}: {first.message}", list(findings))
        self._note_results()

    def _note_results(self) -> None:
        for result in self.results:
            result.outputs[0].tensor = result.inputs[0].tensor

    def _port(self, key: Any) -> Output:
        return key if isinstance(key, Output) else find_port(self.inputs, key, "input")

    @staticmethod
    def _set_shapes(shapes: Mapping[Output, PartialShape]) -> None:
        for port, shape in shapes.items():
            port.node.operation.shape = shape
            port.tensor = Tensor(port.element_type, shape)

    def __repr__(self) -> str:
        inputs, outputs = ("\n".join(map(repr, ports)) for ports in (self.inputs, self.outputs))
        return f"<Model: '{self.name}'\ninputs[\n{inputs}\n]\noutputs[\n{outputs}\n]>"
