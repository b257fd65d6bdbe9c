"""TreeEnsemble, of the extension: the leaves that rows reach in trees. ONNX: ai.onnx.ml's TreeEnsemble-5 and others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, ElementType, TensorInfo

FEATURE, MODE, TRUE, FALSE, MISSING, BEGIN, END = range(7)
"""The columns of `nodes`."""
MEMBER, LEAF = 6, 7
_COMPARISONS: tuple[Any, ...] = (
    np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal
)  # fmt: skip
_PART = 2**20
"""Pairs of a row and a tree that are followed at once."""


class TreeEnsemble(Operation, version="extension"):
    """The weights of the leaves that each row reaches, aggregated by target, and how many there are.

    A row of `nodes` is a node: its feature, its mode, the nodes for true and for false, whether NaN is true, and a
    range: of `members` for a node of mode 6, of `leaf_targets` and `leaf_weights` for a leaf, whose mode is 7. Modes 0
    to 5 compare the feature with the node's element of `splits`: <=, <, >=, >, ==, !=. `roots` are the first nodes of
    the trees.
    """

    n_targets: int
    aggregate_function: str

    def infer(
        self,
        data: TensorInfo,
        roots: TensorInfo,
        nodes: TensorInfo,
        splits: TensorInfo,
        leaf_targets: TensorInfo,
        leaf_weights: TensorInfo,
        members: TensorInfo,
    ) -> tuple[TensorInfo, TensorInfo]:
        """Return aggregated weights in the type of the weights, and numbers."""
        require_type("data", data, "number")
        require_rank("data", data.shape, 1, 2)
        for part, tensor in (("roots", roots), ("nodes", nodes), ("leaf_targets", leaf_targets)):
            require_type(part, tensor, "i64")
        for part, tensor in (("splits", splits), ("leaf_weights", leaf_weights), ("members", members)):
            require_type(part, tensor, "float")
        require_rank("nodes", nodes.shape, 2)
        if nodes.shape.dims is not None and not nodes.shape[1].contains(END + 1):
            raise ShapeError("nodes", f"nodes has the shape {nodes.shape}; a node has {END + 1} numbers")
        shape = data.shape
        rows = -1 if shape.dims is None else shape[0] if len(shape) == 2 else 1
        sizes = [rows, self.n_targets]
        return TensorInfo(leaf_weights.element_type, sizes), TensorInfo(ElementType.i64, sizes)

    def evaluate(
        self,
        data: Array,
        roots: Array,
        nodes: Array,
        splits: Array,
        leaf_targets: Array,
        leaf_weights: Array,
        members: Array,
    ) -> tuple[Array, Array]:
        """Return the weights and the numbers."""
        rows = data.reshape(1, -1) if data.ndim == 1 else data
        self._require(rows, roots, nodes, leaf_targets)
        if splits.size != len(nodes) or leaf_weights.size != leaf_targets.size:
            raise EvaluationError("splits must have an element for each node, leaf_weights for each leaf target")
        step = max(1, _PART // max(1, roots.size))
        size = (len(rows), self.n_targets)
        weights, numbers = np.zeros(size, leaf_weights.dtype), np.zeros(size, np.int64)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            leaves = _followed(rows[part], roots, nodes, splits, members)
            weights[part], numbers[part] = self._aggregated(nodes[leaves], leaf_targets, leaf_weights)
        return weights, numbers

    def _require(self, rows: Array, roots: Array, nodes: Array, leaf_targets: Array) -> None:
        """Raise for a node, a feature or a target that does not exist."""
        inner, leaves = nodes[nodes[:, MODE] != LEAF], nodes[nodes[:, MODE] == LEAF]
        if (leaves[:, BEGIN] > leaves[:, END]).any():
            raise EvaluationError("the range of a leaf ends before it begins")
        checked = (
            ("mode", nodes[:, MODE], LEAF + 1),
            ("end", leaves[:, BEGIN:], leaf_targets.size + 1),
            ("node", np.concatenate([roots, inner[:, TRUE], inner[:, FALSE]]), len(nodes)),
            ("feature", inner[:, FEATURE], rows.shape[1]),
            ("target", leaf_targets, self.n_targets),
        )
        for name, indices, number in checked:
            if indices.size and not (indices.min() >= 0 and indices.max() < number):
                index = indices.min() if indices.min() < 0 else indices.max()
                raise EvaluationError(f"a tree has the {name} {index}; there are {number}")

    def _aggregated(self, leaves: Array, leaf_targets: Array, leaf_weights: Array) -> tuple[Array, Array]:
        """Return weights and numbers by target of the leaves of each row."""
        begins, lengths = leaves[..., BEGIN].reshape(-1), (leaves[..., END] - leaves[..., BEGIN]).reshape(-1)
        count = int(lengths.sum())
        positions = np.arange(count) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(begins, lengths)
        rows = np.repeat(np.repeat(np.arange(len(leaves)), leaves.shape[1]), lengths)
        cells = rows * self.n_targets + leaf_targets[positions]
        values, total = leaf_weights[positions], len(leaves) * self.n_targets
        numbers = np.bincount(cells, minlength=total)
        if self.aggregate_function in ("min", "max"):
            combine: Any = np.minimum if self.aggregate_function == "min" else np.maximum
            result = np.full(total, np.inf if self.aggregate_function == "min" else -np.inf)
            combine.at(result, cells, values)
            result[numbers == 0] = 0
        else:
            result = np.bincount(cells, values.astype(np.float64), minlength=total)
            if self.aggregate_function == "average":
                result = result / max(1, leaves.shape[1])
        return result.reshape(-1, self.n_targets), numbers.reshape(-1, self.n_targets)


def _followed(rows: Array, roots: Array, nodes: Array, splits: Array, members: Array) -> Array:
    """Return the leaf that each row reaches in each tree."""
    reached: Array = np.broadcast_to(roots, (len(rows), roots.size)).copy()
    lines = np.broadcast_to(np.arange(len(rows))[:, None], reached.shape)
    active = nodes[reached, MODE] != LEAF
    for _ in range(len(nodes)):
        if not active.any():
            return reached
        at, line = reached[active], lines[active]
        is_true = _decided(rows[line, nodes[at, FEATURE]], at, nodes, splits, members)
        reached[active] = np.where(is_true, nodes[at, TRUE], nodes[at, FALSE])
        active = nodes[reached, MODE] != LEAF
    if active.any():
        raise EvaluationError("the nodes of a tree form a cycle")
    return reached


def _decided(values: Array, at: Array, nodes: Array, splits: Array, members: Array) -> Array:
    """Return whether the condition of each node holds for a value."""
    result = np.zeros(values.shape, np.bool_)
    modes = nodes[at, MODE]
    for mode in np.unique(modes).tolist():
        chosen = modes == mode
        if mode < len(_COMPARISONS):
            result[chosen] = _COMPARISONS[mode](values[chosen], splits[at[chosen]])
            continue
        for node in np.unique(at[chosen]).tolist():
            same = chosen & (at == node)
            result[same] = np.isin(values[same], members[nodes[node, BEGIN] : nodes[node, END]])
    missing = np.isnan(values)
    if missing.any():
        result[missing] |= nodes[at[missing], MISSING] != 0
    return result
