"""Replacement of nodes in graphs, and warnings of deprecated functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_plugin.diagnostics.modules import names_of
from ir_plugin.errors import InputError, require
from ir_plugin.model import Node, Output
from ir_plugin.model.rewiring import rewire
from ir_plugin.openvino.utils.deprecation import classproperty, deprecated, deprecatedclassproperty, deprecation_warning

__all__ = [
    "classproperty",
    "deprecated",
    "deprecatedclassproperty",
    "deprecation_warning",
    "get_cmake_path",
    "replace_node",
    "replace_output_update_name",
]


def get_cmake_path() -> str:
    """Return an empty text, as OpenVINO does where no CMake files are installed: this library has none."""
    return ""


def replace_node(target: Node, replacement: Any, outputs_order: Sequence[int] | None = None) -> None:
    """Rewire the readers of a node's outputs to another node's outputs, or to a list of outputs.

    With `outputs_order`, output i is replaced by output `outputs_order[i]` of the replacement.
    """
    require(target, Node, "a node", "target")
    outputs = _outputs(replacement)
    order = range(len(outputs)) if outputs_order is None else outputs_order
    require(order, (range, list, tuple), "a list of positions", "outputs_order")
    if len(target.outputs) != len(order):
        raise InputError(f'"{target.name}" has {len(target.outputs)} outputs, its replacement has {len(order)}')
    pairs = list(zip(target.outputs, [outputs[position] for position in order], strict=True))
    rewire([(reader, new) for old, new in pairs for reader in old.readers])
    for old, new in pairs:
        new.add_names(old.names)


def _outputs(replacement: Any) -> list[Output]:
    """Return the outputs of a replacement: of a node, or the list itself."""
    if isinstance(replacement, Node):
        return list(replacement.outputs)
    require(replacement, (list, tuple), "a node or a list of outputs", "replacement")
    for output in replacement:
        require(output, Output, "an output", "replacement")
    return list(replacement)


def replace_output_update_name(output: Output, target_output: Output) -> bool:
    """Make all that reads an output read another one, whose node takes the name that a result of the model has.

    Nothing changes, and the result is False, where that name would be lost: the node of the output has several
    outputs, or the other one is a Parameter or ends the model itself.
    """
    require(output, Output, "an output", "output")
    require(target_output, Output, "an output", "target_output")
    if _ends_model(output):
        node = target_output.node
        if len(output.node.outputs) > 1 or _ends_model(target_output) or node.get_type_name() == "Parameter":
            return False
        node.name = output.node.name
    output.replace(target_output)
    return True


def _ends_model(output: Output) -> bool:
    return any(reader.node.get_type_name() == "Result" for reader in output.readers)


__getattr__, __dir__ = names_of("utils")
