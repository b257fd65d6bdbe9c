"""Removal of what computes nothing: calls without a reader, and those that give back their input."""

from __future__ import annotations

from ir_plugin.compiler.graph import Call, Program


def remove_identities(program: Program) -> None:
    """Let readers of a call that gives back its input read that input."""
    for call in list(program.calls):
        source = call.inputs[0] if call.inputs else None
        if source is None or not _is_identity(call):
            continue
        program.replace(call.outputs[0], source)
        program.remove([call])


def _is_identity(call: Call) -> bool:
    source, target = call.inputs[0], call.outputs[0]
    if source is None or call.post or target.is_result:
        return False
    same = source.element_type is target.element_type and source.shape == target.shape and source.shape is not None
    return same and call.type in _MAY_BE_IDENTITIES


_MAY_BE_IDENTITIES = frozenset(
    ["Convert", "ConvertLike", "Reshape", "Squeeze", "Unsqueeze", "Identity", "Tile", "Broadcast"]
)


def remove_unread(program: Program) -> None:
    """Remove calls of which no output is read, unless they change a variable."""
    for call in reversed(program.calls):
        if not _changes_variable(call) and not any(value.users or value.is_result for value in call.outputs):
            program.remove([call])


def _changes_variable(call: Call) -> bool:
    return "variable_id" in call.operation.__dict__ and call.type != "ReadValue"
