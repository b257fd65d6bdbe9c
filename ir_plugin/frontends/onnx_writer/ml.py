"""Labels, maps and trees, as operators of the domain ai.onnx.ml."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.graph import ML
from ir_plugin.frontends.onnx_writer.layer import Layer, f32, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.ml import tree_ensemble as trees
from ir_plugin.operations.ml.label_encoder import LabelEncoder, key_of
from ir_plugin.operations.ml.maps import CastMap, DictVectorizer, ZipMap
from ir_plugin.operations.ml.tree_ensemble import BEGIN, END, LEAF, MODE, TreeEnsemble
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import pack

_LISTS = {ElementType.string: "strings", i64: "int64s", f32: "floats"}
"""How attributes that list values are named, by type."""
_DEFAULTS = {ElementType.string: "default_string", i64: "default_int64", f32: "default_float"}
_AGGREGATES = {"sum": 1, "min": 2, "max": 3}


@writes(LabelEncoder)
def label_encoder(layer: Layer) -> str:
    """Return LabelEncoder; of equal keys the first counts."""
    if not layer.has(3):
        raise NotExpressibleError("an element that is no key is an error, in ONNX a default")
    key_type, value_type = (_listed_type(layer.info(position).element_type) for position in (0, 2))
    keys, values = (layer.constant_values(position).reshape(-1).tolist() for position in (1, 2))
    default = layer.constant_values(3).reshape(-1).tolist()[0]
    first = {key_of(key): number for number, key in reversed(list(enumerate(keys)))}
    numbers = sorted(first.values())
    if any(isinstance(key, float) and np.isnan(key) for key in keys) and key_type is f32 and layer.opset < 20:
        raise NotExpressibleError("NaN is a key only since opset 20")
    data = layer.inputs[0] if key_type is ElementType.string else layer.cast(layer.inputs[0], key_type)
    attributes: dict[str, Any] = {
        f"keys_{_LISTS[key_type]}": [keys[number] for number in numbers],
        f"values_{_LISTS[value_type]}": [values[number] for number in numbers],
        _DEFAULTS[value_type]: default,
    }
    return layer.emit(f"{ML}.LabelEncoder", data, result=value_type, **attributes)


def _listed_type(element_type: ElementType) -> ElementType:
    """Return the type of a list that holds all values of a type."""
    if element_type is ElementType.string or element_type in (i64, f32):
        return element_type
    if element_type.is_floating and element_type.bits < 32:
        return f32
    if element_type.is_integer and (element_type.bits < 64):
        return i64
    raise NotExpressibleError(f"ONNX's LabelEncoder lists no {element_type.name}")


@writes(ZipMap)
def zip_map(layer: Layer) -> str:
    """Return ZipMap."""
    return layer.emit(
        f"{ML}.ZipMap", layer.inputs[0], result=layer.output_info().element_type, **_labels(layer, "classlabels")
    )


def _labels(layer: Layer, prefix: str) -> dict[str, Any]:
    """Return the attribute with the labels, which are the second input."""
    kind = _LISTS[layer.info(1).element_type]
    name = f"{prefix}_{kind}" if prefix == "classlabels" else f"{kind.removesuffix('s')}_{prefix}"
    return {name: layer.constant_values(1).reshape(-1).tolist()}


@writes(CastMap)
def cast_map(layer: Layer) -> str:
    """Return CastMap."""
    operation = layer.operation
    names = {f32: "TO_FLOAT", i64: "TO_INT64", ElementType.string: "TO_STRING"}
    return layer.emit(
        f"{ML}.CastMap",
        layer.inputs[0],
        result=operation.cast_to,
        cast_to=names[operation.cast_to],
        map_form=operation.map_form.upper(),
        max_map=operation.max_map,
    )


@writes(DictVectorizer)
def dict_vectorizer(layer: Layer) -> str:
    """Return DictVectorizer."""
    result = layer.output_info().element_type
    return layer.emit(f"{ML}.DictVectorizer", layer.inputs[0], result=result, **_labels(layer, "vocabulary"))


@writes(TreeEnsemble)
def tree_ensemble(layer: Layer) -> list[str]:
    """Return TreeEnsemble of the weights, and of ones where the numbers of leaves are used."""
    weights = layer.constant_values(5)
    aggregate = layer.operation.aggregate_function
    results = [_ensemble(layer, weights, aggregate)]
    if layer.node.outputs[1].readers:
        results.append(layer.cast(_ensemble(layer, np.ones_like(weights), "sum"), i64))
    return results


def _ensemble(layer: Layer, weights: Array, aggregate: str) -> str:
    """Return TreeEnsemble with a leaf for each target; leaves with several targets are trees of their own."""
    roots, nodes, splits, targets = (layer.constant_values(position) for position in (1, 2, 3, 4))
    leaves = np.flatnonzero(nodes[:, MODE] == LEAF)
    sizes = nodes[leaves, END] - nodes[leaves, BEGIN]
    copies = int(sizes.max(initial=1))
    if aggregate == "average":
        total = _ensemble(layer, weights, "sum")
        return layer.emit("Div", total, layer.like(max(1, roots.size), total))
    if aggregate != "sum" and (sizes != 1).any():
        raise NotExpressibleError(f"leaves with several targets, or none, and the aggregate function {aggregate}")
    types = {layer.info(position).element_type for position in (0, 3, 5)}
    element_type = types.pop() if len(types) == 1 else ElementType.f64
    columns = _Columns(element_type, layer.operation.n_targets)
    members = layer.constant_values(6)
    for number in range(copies):
        columns.add_leaves(nodes, leaves, number, targets, weights)
        columns.add_nodes(nodes, leaves, roots, splits, members)
    data = layer.cast(layer.inputs[0], element_type)
    if layer.rank() == 1:
        data = layer.unsqueeze(data, 0)
    return layer.emit(f"{ML}.TreeEnsemble", data, **columns.attributes(_AGGREGATES[aggregate]))


class _Columns:
    """The attributes of ONNX's TreeEnsemble while trees are added."""

    def __init__(self, element_type: ElementType, n_targets: int) -> None:
        self.element_type = element_type
        self.n_targets = n_targets
        self.numbers: dict[str, list[int]] = {
            name: []
            for name in (
                "tree_roots", "nodes_featureids", "nodes_modes", "nodes_truenodeids", "nodes_falsenodeids",
                "nodes_trueleafs", "nodes_falseleafs", "nodes_missing_value_tracks_true", "leaf_targetids",
            )
        }  # fmt: skip
        self.splits: list[float] = []
        self.members: list[float] = []
        self.weights: list[float] = []
        self.first_leaf = 0

    def add_leaves(self, nodes: Array, leaves: Array, number: int, targets: Array, weights: Array) -> None:
        """Add a leaf for the given target of each, of weight 0 where it has fewer."""
        self.first_leaf = len(self.weights)
        for leaf in leaves.tolist():
            at = int(nodes[leaf, BEGIN]) + number
            is_present = at < nodes[leaf, END]
            self.numbers["leaf_targetids"].append(int(targets[at]) if is_present else 0)
            self.weights.append(float(weights[at]) if is_present else 0.0)

    def add_nodes(self, nodes: Array, leaves: Array, roots: Array, splits: Array, members: Array) -> None:
        """Add the nodes that compare, and one for each tree that is a leaf."""
        inner = np.flatnonzero(nodes[:, MODE] != LEAF).tolist()
        offset = len(self.splits)
        positions = {node: (offset + position, 0) for position, node in enumerate(inner)}
        positions |= {leaf: (self.first_leaf + position, 1) for position, leaf in enumerate(leaves.tolist())}
        for node in inner:
            begin, end = (int(nodes[node, column]) for column in (BEGIN, END))
            if nodes[node, MODE] == trees.MEMBER:
                self.members += [*members[begin:end].tolist(), float("nan")]
            true, false = (positions[int(nodes[node, column])] for column in (trees.TRUE, trees.FALSE))
            self._add(nodes[node, [trees.FEATURE, MODE, trees.MISSING]], float(splits[node]), true, false)
        for root in roots.tolist():
            position, is_leaf = positions[root]
            if is_leaf:
                self._add((0, 0, 0), 0.0, (position, 1), (position, 1))
                position = len(self.splits) - 1
            self.numbers["tree_roots"].append(position)

    def _add(self, row: Sequence[int] | Array, split: float, true: tuple[int, int], false: tuple[int, int]) -> None:
        names = ("nodes_featureids", "nodes_modes", "nodes_missing_value_tracks_true")
        for name, value in zip(names, row, strict=True):
            self.numbers[name].append(int(value))
        self.splits.append(split)
        for kind, (position, is_leaf) in (("true", true), ("false", false)):
            self.numbers[f"nodes_{kind}nodeids"].append(position)
            self.numbers[f"nodes_{kind}leafs"].append(is_leaf)

    def attributes(self, aggregate: int) -> dict[str, Any]:
        """Return the attributes."""
        modes = np.array(self.numbers.pop("nodes_modes"), np.uint8)
        return {
            **self.numbers,
            "nodes_modes": _tensor(modes, ElementType.u8),
            "nodes_splits": self._floats(self.splits),
            "leaf_weights": self._floats(self.weights),
            "membership_values": self._floats(self.members) if self.members else None,
            "n_targets": self.n_targets,
            "aggregate_function": aggregate,
            "post_transform": 0,
        }

    def _floats(self, values: list[float]) -> Any:
        return _tensor(np.array(values, self.element_type.dtype), self.element_type)


def _tensor(array: Array, element_type: ElementType) -> Any:
    from onnx import TensorProto

    return TensorProto(data_type=number_of(element_type), dims=array.shape, raw_data=pack(array, element_type))
