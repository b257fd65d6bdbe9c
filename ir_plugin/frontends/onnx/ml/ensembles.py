"""The nodes and leaves of tree ensembles as constants of TreeEnsemble of the extension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ir_plugin.frontends.onnx.common import Value, extension
from ir_plugin.frontends.onnx.constants import array_of, constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.model import Node, Output
from ir_plugin.operations.ml.tree_ensemble import LEAF, MEMBER
from ir_plugin.tensors import Array

_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF")


@dataclass
class Ensemble:
    """The constants of TreeEnsemble of the extension."""

    roots: Sequence[int]
    nodes: Array
    splits: Array
    leaf_targets: Array
    leaf_weights: Array
    members: Array = field(default_factory=lambda: np.zeros(0, np.float32))

    def node(self, data: Output, n_targets: int, aggregate_function: str = "sum") -> Node:
        """Return the node of the operation."""
        arrays = [
            np.array(self.roots, np.int64), self.nodes, self.splits, self.leaf_targets, self.leaf_weights, self.members
        ]  # fmt: skip
        inputs: list[Value] = [data, *(constant_of(array) for array in arrays)]
        return extension("TreeEnsemble", inputs, n_targets=n_targets, aggregate_function=aggregate_function)


def numbers_of(node: OnnxNode, name: str) -> Array:
    """Return numbers of an attribute, or of the tensor of the same name in newer versions; none without either."""
    tensor = node.attributes.tensor(f"{name}_as_tensor", None)
    if tensor is not None:
        return array_of(tensor, node.scope.source.files).reshape(-1)
    return np.array(node.attributes.floats(name, None) or [], np.float32)


def listed_ensemble(node: OnnxNode, prefix: str, ids: str) -> Ensemble:
    """Return the ensemble of attributes whose entries name a tree and a node: those before TreeEnsemble-5."""
    columns = {name: _ints(node, f"nodes_{name}") for name in ("treeids", "nodeids", "featureids")}
    children = {name: _ints(node, f"nodes_{name}nodeids") for name in ("true", "false")}
    modes = [_mode(text) for text in node.attributes.texts("nodes_modes")]
    count = len(modes)
    for name, values in (columns | children).items():
        _require_length(f"nodes_{name}", values, count)
    keys = list(zip(columns["treeids"], columns["nodeids"], strict=True))
    positions = {key: position for position, key in enumerate(keys)}
    first = {tree: position for position, tree in reversed(list(enumerate(columns["treeids"])))}
    nodes = np.zeros((count, 7), np.int64)
    nodes[:, 0], nodes[:, 1] = columns["featureids"], modes
    nodes[:, 4] = node.attributes.ints("nodes_missing_value_tracks_true", None) or [0] * count
    for column, name in ((2, "true"), (3, "false")):
        for position, (child, mode) in enumerate(zip(children[name], modes, strict=True)):
            nodes[position, column] = position if mode == LEAF else _position(positions, (keys[position][0], child))
    targets, weights = _leaves(node, prefix, ids, positions, nodes)
    splits = numbers_of(node, "nodes_values")
    _require_length("nodes_values", splits, count)
    return Ensemble(sorted(first.values()), nodes, splits, targets, weights)


def _leaves(
    node: OnnxNode, prefix: str, ids: str, positions: dict[tuple[int, int], int], nodes: Array
) -> tuple[Array, Array]:
    """Return targets and weights in the order of their leaves, whose ranges are written into the nodes."""
    trees, leaves = _ints(node, f"{prefix}_treeids"), _ints(node, f"{prefix}_nodeids")
    targets, weights = np.array(_ints(node, ids), np.int64), numbers_of(node, f"{prefix}_weights")
    for name, values in (("nodeids", leaves), ("ids", targets), ("weights", weights)):
        _require_length(f"{prefix}_{name}", values, len(trees))
    at = np.array([_position(positions, key) for key in zip(trees, leaves, strict=True)], np.int64)
    order = np.argsort(at, kind="stable")
    ends = np.cumsum(np.bincount(at, minlength=len(nodes)))
    nodes[:, 6], nodes[1:, 5] = ends, ends[:-1]
    return targets[order], weights[order]


def _ints(node: OnnxNode, name: str) -> list[int]:
    values: list[int] = node.attributes.ints(name, None) or []
    return values


def _mode(text: str) -> int:
    if text not in _MODES or text == "BRANCH_MEMBER":
        raise OnnxReadError(f"nodes_modes has {text!r}; it must be LEAF, BRANCH_LEQ or another comparison")
    return _MODES.index(text)


def _position(positions: dict[tuple[int, int], int], key: tuple[int, int]) -> int:
    if key not in positions:
        raise OnnxReadError(f"the tree {key[0]} has no node {key[1]}")
    return positions[key]


def _require_length(name: str, values: Any, count: int) -> None:
    if len(values) != count:
        raise OnnxReadError(f"{name} has {len(values)} elements; it must have {count}")


def ensemble_of_5(node: OnnxNode) -> Ensemble:
    """Return the ensemble of TreeEnsemble-5, with the leaves appended to the nodes."""
    attributes, files = node.attributes, node.scope.source.files
    modes = array_of(attributes.tensor("nodes_modes"), files).reshape(-1).astype(np.int64)
    splits = array_of(attributes.tensor("nodes_splits"), files).reshape(-1)
    weights = array_of(attributes.tensor("leaf_weights"), files).reshape(-1)
    targets = np.array(attributes.ints("leaf_targetids"), np.int64)
    count, leaves = modes.size, weights.size
    _require_length("leaf_targetids", targets, leaves)
    _require_length("nodes_splits", splits, count)
    nodes = np.zeros((count + leaves, 7), np.int64)
    nodes[:count, 1] = modes
    nodes[:count, 0] = _column(node, "nodes_featureids", count)
    for column, name in ((2, "true"), (3, "false")):
        is_leaf = np.array(_column(node, f"nodes_{name}leafs", count)) != 0
        nodes[:count, column] = np.array(_column(node, f"nodes_{name}nodeids", count)) + count * is_leaf
    nodes[:count, 4] = attributes.ints("nodes_missing_value_tracks_true", None) or [0] * count
    nodes[count:, 1], nodes[count:, 5] = LEAF, np.arange(leaves)
    nodes[count:, 6] = nodes[count:, 5] + 1
    tensor = attributes.tensor("membership_values", None)
    members = np.zeros(0, splits.dtype) if tensor is None else array_of(tensor, files).reshape(-1)
    members_of_sets = _ranges(nodes, members)
    padded = np.concatenate([splits, np.zeros(leaves, splits.dtype)])
    return Ensemble(attributes.ints("tree_roots"), nodes, padded, targets, weights, members_of_sets)


def _column(node: OnnxNode, name: str, count: int) -> list[int]:
    values: list[int] = node.attributes.ints(name)
    _require_length(name, values, count)
    return values


def _ranges(nodes: Array, members: Array) -> Array:
    """Return the members without the NaN that ends each set, and write the range of each set into `nodes`."""
    owners = np.flatnonzero(nodes[:, 1] == MEMBER)
    ends = np.flatnonzero(np.isnan(members)).tolist()
    if len(ends) == len(owners) - 1:
        ends.append(len(members))
    if len(ends) < len(owners):
        raise OnnxReadError(f"membership_values has {len(ends)} sets; there are {len(owners)} nodes BRANCH_MEMBER")
    begin = 0
    for number, (owner, end) in enumerate(zip(owners.tolist(), ends, strict=False)):
        nodes[owner, 5:7] = begin - number, end - number
        begin = end + 1
    return members[~np.isnan(members)]
