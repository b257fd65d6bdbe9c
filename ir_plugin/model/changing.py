"""Methods of nodes that change, infer again or run a single node."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter, Signature
from typing import Any

from ir_plugin.errors import ArgumentTypeError, PositionError, is_index, require, wrong_type
from ir_plugin.model.lazily import builders, evaluation
from ir_plugin.model.ports import Input, Output, Ports
from ir_plugin.model.rewiring import rewire
from ir_plugin.tensors import UNBOUNDED


def as_output(value: Any, argument: str = "argument") -> Output:
    """Return an output, or the only one of a node."""
    if isinstance(value, Changing) and len(value.outputs) == 1:
        return value.outputs[0]
    if not isinstance(value, Output):
        raise wrong_type(argument, "an output, or a node with one,", value)
    return value


_EVALUATED = Signature(
    [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("output_values", "input_values")]
    + [Parameter("evaluation_context", Parameter.POSITIONAL_OR_KEYWORD, default=None)]
)
"""The arguments of `evaluate`, which custom operations define with other ones."""


class Changing:
    """The changes of a node; the nodes behind it follow when the model is validated."""

    __slots__ = ()

    name: str
    operation: Any
    inputs: Ports[Input]
    outputs: Ports[Output]

    def set_argument(self, position: int, argument: Changing | Output) -> None:
        """Make an input read another output, or the only one of a node; the position behind the last adds an input."""
        source, count = as_output(argument), len(self.inputs)
        if is_index(position, count):
            self.inputs[position].replace_source_output(source)
        elif is_index(position, count + 1) and self.operation is not None:
            self._read_instead([*(port.get_source_output() for port in self.inputs), source])
        else:
            fault = PositionError if is_index(position, UNBOUNDED) else ArgumentTypeError
            raise fault(f'"{self.name}" has no input {position!r}; it has {count}')

    def set_arguments(self, arguments: Sequence[Changing | Output]) -> None:
        """Make the inputs read other outputs; another number of them has to be one that the operation takes."""
        require(arguments, (list, tuple), "a list of outputs", "arguments")
        sources = list(map(as_output, arguments))
        if len(sources) == len(self.inputs):
            rewire(list(zip(self.inputs, sources, strict=True)))
        else:
            self._read_instead(sources)

    def set_attribute(self, name: str, value: Any) -> None:
        """Change an attribute; `validate_and_infer_types` then infers the outputs again."""
        require(name, str, "a name", "name")
        builders().set_attribute(self, name, value)

    def _read_instead(self, sources: Sequence[Any]) -> None:
        """Read another number of outputs than before; raises if the operation has no such inputs."""
        builders().replace_inputs(self, sources)

    def validate_and_infer_types(self) -> None:
        """Infer the outputs again; raises where the inputs do not fit."""
        builders().update_outputs(self)

    def constructor_validate_and_infer_types(self) -> None:
        """Infer the outputs, as the end of a constructor does."""
        self.validate_and_infer_types()

    def set_output_type(self, index: int, element_type: Any, shape: Any) -> None:
        """Set the type and shape of an output, which hold until they are inferred again."""
        require(index, int, "the index of an output", "index")
        builders().set_output_type(self, index, element_type, shape)

    def set_output_size(self, size: int) -> None:
        """Set the number of outputs; new ones are of unknown type and shape."""
        require(size, int, "a number", "size")
        builders().set_output_size(self, size)

    def evaluate(self, *arguments: Any, **named: Any) -> bool:
        """Run the node on tensors, write its outputs into tensors, and return whether it can be run alone.

        The arguments are `output_values`, `input_values` and `evaluation_context`, which is not used.
        """
        try:
            bound = _EVALUATED.bind(*arguments, **named)
        except TypeError as fault:
            raise ArgumentTypeError(f"evaluate{_EVALUATED}: {fault}") from None
        is_done: bool = evaluation().evaluate_node(self, *bound.args[:2])
        return is_done

    def get_instance_id(self) -> int:
        """Return a number that no other living node has."""
        return id(self)
