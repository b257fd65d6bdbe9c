"""Cells of recurrent sequences."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.model import Node, Output
from ir_plugin.passes.building import build

STATES = {"LSTMSequence": (1, 2), "GRUSequence": (1,), "RNNSequence": (1,)}
"""The inputs and outputs of sequences that hold states."""


def cell_of(node: Node, inputs: Sequence[Output]) -> Node:
    """Return the cell that computes one step of a sequence from inputs without the axes of time and direction."""
    type_name = node.get_type_name().replace("Sequence", "Cell")
    version = {"LSTMCell": "opset4", "GRUCell": "opset3", "RNNCell": "opset1"}[type_name]
    names = ("hidden_size", "activations", "activations_alpha", "activations_beta", "clip", "linear_before_reset")
    values = {name: vars(node.operation)[name] for name in names if name in vars(node.operation)}
    if type_name != "GRUCell":
        values.pop("linear_before_reset", None)
    return build(type_name, version, inputs, **{name: value for name, value in values.items() if value is not None})
