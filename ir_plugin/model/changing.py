"""Methods of nodes that change, infer again or run a single node."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

from ir_plugin.errors import ArgumentTypeError, require
from ir_plugin.model.hooks import HOOKS

_EVALUATED = Signature(
    [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("output_values", "input_values")]
    + [Parameter("evaluation_context", Parameter.POSITIONAL_OR_KEYWORD, default=None)]
)
"""The arguments of `evaluate`, which custom operations define with other ones."""


class Changing:
    """The changes of a node; nodes downstream are inferred again when the model is validated."""

    __slots__ = ()

    def set_attribute(self, name: str, value: Any) -> None:
        """Change an attribute; `validate_and_infer_types` then infers the outputs again."""
        require(name, str, "a name", "name")
        HOOKS.builders().set_attribute(self, name, value)

    def _read_instead(self, sources: list[Any]) -> None:
        """Read another number of outputs than before; raises if the operation has no such inputs."""
        HOOKS.builders().replace_inputs(self, sources)

    def validate_and_infer_types(self) -> None:
        """Infer the outputs again; raises where the inputs do not fit."""
        HOOKS.builders().update_outputs(self)

    def constructor_validate_and_infer_types(self) -> None:
        """Infer the outputs, as the end of a constructor does."""
        self.validate_and_infer_types()

    def set_output_type(self, index: int, element_type: Any, shape: Any) -> None:
        """Set the type and shape of an output, which hold until they are inferred again."""
        require(index, int, "the index of an output", "index")
        HOOKS.builders().set_output_type(self, index, element_type, shape)

    def set_output_size(self, size: int) -> None:
        """Set the number of outputs; new ones are of unknown type and shape."""
        require(size, int, "a number", "size")
        HOOKS.builders().set_output_size(self, size)

    def evaluate(self, *arguments: Any, **named: Any) -> bool:
        """Run the node on tensors, write its outputs into tensors, and return whether it can be run alone.

        The arguments are `output_values`, `input_values` and `evaluation_context`, which is not used.
        """
        try:
            bound = _EVALUATED.bind(*arguments, **named)
        except TypeError as fault:
            raise ArgumentTypeError(f"evaluate{_EVALUATED}: {fault}") from None
        is_done: bool = HOOKS.evaluation().evaluate_node(self, *bound.args[:2])
        return is_done

    def get_instance_id(self) -> int:
        """Return a number that no other living node has."""
        return hash(self)
