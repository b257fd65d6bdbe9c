"""Replacement of nodes in graphs, and warnings of deprecated functions."""

from __future__ import annotations

from ir_plugin.diagnostics.modules import names_of
from ir_plugin.errors import InputError, require
from ir_plugin.model import Node, Output
from ir_plugin.model.rewiring import rewire
from ir_plugin.utils.deprecation import classproperty, deprecated, deprecatedclassproperty, deprecation_warning

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


def replace_node(target: Node, replacement: Node) -> None:
    """Make all that reads the outputs of a node read those of another, which takes its name."""
    require(target, Node, "a node", "target")
    require(replacement, Node, "a node", "replacement")
    if len(target.outputs) != len(replacement.outputs):
        raise InputError(
            f'"{target.name}" has {len(target.outputs)} outputs, "{replacement.name}" has {len(replacement.outputs)}'
        )
    pairs = zip(target.outputs, replacement.outputs, strict=True)
    rewire([(reader, new) for old, new in pairs for reader in old.readers])


def replace_output_update_name(output: Output, target_output: Output) -> bool:
    """Make all that reads an output read another one, which takes its tensor names; return True."""
    require(output, Output, "an output", "output")
    require(target_output, Output, "an output", "target_output")
    output.replace(target_output)
    target_output.add_names(output.names)
    return True


__getattr__, __dir__ = names_of("utils")
