"""Operators of ai.onnx.ml, held against onnxruntime; models as scikit-learn's converter writes them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import TensorProto, helper, numpy_helper

import ir_plugin as ov
from ir_plugin import onnx_backend
from tests.onnx.judged import assert_same, judge

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(5, 3)).astype(np.float32)
TRANSFORMS = ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"]


def of_operator(type: str, inputs: list[Any], outputs: int = 1, version: int = 1, **attributes: Any) -> Any:
    """Return the model of one operator, and its inputs by name."""
    feeds = {f"i{number}": value for number, value in enumerate(inputs)}
    names = [f"o{number}" for number in range(outputs)]
    node = helper.make_node(type, list(feeds), names, name="node", domain="ai.onnx.ml", **attributes)
    ports = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in feeds.items()
    ]
    graph = helper.make_graph([node], "graph", ports, [helper.make_empty_tensor_value_info(name) for name in names])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8), feeds


def judged(type: str, inputs: list[Any], outputs: int, attributes: dict[str, Any], version: int = 1) -> None:
    """Hold the outputs of one operator against onnxruntime's."""
    judge(*of_operator(type, inputs, outputs, version, **attributes))


TEXTS = np.array([["b", "a"], ["x", "b"]], object)
NUMBERS = np.array([[3, 1, 2], [7, 7, 9]], np.int64)
FEATURES: list[tuple[str, list[Any], int, dict[str, Any]]] = [
    ("ArrayFeatureExtractor", [X, np.array([2, 0])], 1, {}),
    ("ArrayFeatureExtractor", [X[0], np.array([[1]])], 1, {}),
    ("ArrayFeatureExtractor", [TEXTS, np.array([1])], 1, {}),
    ("Binarizer", [X], 1, {"threshold": 0.25}),
    ("Scaler", [X], 1, {"offset": [1.0, 2.0, 3.0], "scale": [0.5, 2.0, 1.0]}),
    ("Scaler", [NUMBERS], 1, {"offset": [1.0], "scale": [0.5]}),
    ("Normalizer", [np.vstack([abs(X), X[:1] * 0])], 1, {"norm": "MAX"}),
    ("Normalizer", [np.vstack([X, X[:1] * 0])], 1, {"norm": "L1"}),
    ("Normalizer", [np.vstack([X, X[:1] * 0])], 1, {"norm": "L2"}),
    ("Normalizer", [abs(X[0])], 1, {"norm": "L1"}),
    ("Imputer", [NUMBERS], 1, {"imputed_value_int64s": [4, 5, 6], "replaced_value_int64": 7}),
    ("Imputer", [np.where(X > 0, np.nan, X)], 1, {"imputed_value_floats": [1.5], "replaced_value_float": float("nan")}),
    ("Imputer", [np.maximum(X, 0)], 1, {"imputed_value_floats": [1.5, 2.5, 3.5], "replaced_value_float": 0.0}),
    ("FeatureVectorizer", [X, X[:, :2]], 1, {"inputdimensions": [3, 2]}),
    ("OneHotEncoder", [NUMBERS], 1, {"cats_int64s": [1, 7, 3]}),
    ("OneHotEncoder", [TEXTS], 1, {"cats_strings": ["a", "b"]}),
    ("OneHotEncoder", [np.array([1, 3, 5], np.float32)], 1, {"cats_int64s": [1, 3]}),
    ("LabelEncoder", [TEXTS], 1, {"classes_strings": ["a", "b"], "default_int64": 9}),
    ("LabelEncoder", [np.array([1, 0, 5])], 1, {"classes_strings": ["a", "b"], "default_string": "?"}),
    ("LabelEncoder", [TEXTS], 2, {"keys_strings": ["a", "b"], "values_floats": [0.5, 1.5], "default_float": 7.0}),
    ("LabelEncoder", [NUMBERS], 2, {"keys_int64s": [1, 2], "values_strings": ["p", "q"]}),
    ("LabelEncoder", [np.array([1.5, np.nan], np.float32)], 4, {"keys_floats": [1.5, np.nan], "values_int64s": [1, 2]}),
    ("CategoryMapper", [TEXTS], 1, {"cats_strings": ["a", "b"], "cats_int64s": [5, 6]}),
    ("CategoryMapper", [np.array([5, 1])], 1, {"cats_strings": ["a", "b"], "cats_int64s": [5, 6]}),
    ("ZipMap", [X], 1, {"classlabels_int64s": [4, 5, 6]}),
    ("ZipMap", [X], 1, {"classlabels_strings": ["a", "b", "c"]}),
]


@pytest.mark.parametrize("case", FEATURES, ids=[f"{case[0]}-{number}" for number, case in enumerate(FEATURES)])
def test_features_and_labels(case: tuple[str, list[Any], int, dict[str, Any]]) -> None:
    judged(case[0], case[1], 1, case[3], case[2])


@pytest.mark.parametrize("post_transform", TRANSFORMS)
def test_linear_models(post_transform: str) -> None:
    for rows, labels in ((1, {"classlabels_ints": [3, 4]}), (3, {"classlabels_strings": ["a", "b", "c"]})):
        attributes = {"coefficients": RANDOM.normal(size=3 * rows).tolist(), "intercepts": [0.1] * rows}
        judged("LinearClassifier", [X], 2, {"post_transform": post_transform, **attributes, **labels})
        judged("LinearRegressor", [X], 1, {"post_transform": post_transform, "targets": rows, **attributes})


def trees(prefix: str, ids: str, targets: int, lowest: float = -0.5, number: int = 3) -> dict[str, Any]:
    """Return the attributes of full trees of depth 2."""
    nodes: dict[str, list[Any]] = {}
    leaves: dict[str, list[Any]] = {}
    modes = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"]
    for tree, node in product(range(number), range(7)):
        leaf = node > 2
        row = {
            "treeids": tree,
            "nodeids": node,
            "featureids": 0 if leaf else int(RANDOM.integers(3)),
            "values": 0.0 if leaf else float(RANDOM.normal()),
            "modes": "LEAF" if leaf else modes[int(RANDOM.integers(4))],
            "truenodeids": 0 if leaf else 2 * node + 1,
            "falsenodeids": 0 if leaf else 2 * node + 2,
            "missing_value_tracks_true": int(RANDOM.integers(2)),
        }
        for name, value in row.items():
            nodes.setdefault(f"nodes_{name}", []).append(value)
        for target in range(targets if leaf else 0):
            weight = float(RANDOM.uniform(lowest, 0.4))
            entry = {"treeids": tree, "nodeids": node, ids: target, "weights": weight}
            for name, value in entry.items():
                leaves.setdefault(f"{prefix}_{name}", []).append(value)
    return nodes | leaves


HOLED = np.where(RANDOM.uniform(size=X.shape) < 0.2, np.nan, X).astype(np.float32)


@pytest.mark.parametrize("post_transform", TRANSFORMS)
@pytest.mark.parametrize("lowest", [0.0, -0.5])
def test_tree_ensemble_classifiers(post_transform: str, lowest: float) -> None:
    for count in (2, 3, 4):
        attributes = trees("class", "ids", 1 if count == 2 else count, lowest)
        labels = {"classlabels_int64s": list(range(5, 5 + count)), "post_transform": post_transform}
        for base in ({}, {"base_values": [0.25] if count == 2 else [0.1] * count}):
            judged("TreeEnsembleClassifier", [HOLED], 2, {**attributes, **labels, **base})


@pytest.mark.parametrize("function", ["SUM", "AVERAGE", "MIN", "MAX"])
def test_tree_ensemble_regressors(function: str) -> None:
    for targets, post_transform in product((1, 3), TRANSFORMS):
        attributes = trees("target", "ids", targets)
        more = {"aggregate_function": function, "n_targets": targets, "base_values": [0.1] * targets}
        judged("TreeEnsembleRegressor", [HOLED], 1, {"post_transform": post_transform, **attributes, **more})


def test_tree_ensembles_of_doubles_have_tensors() -> None:
    attributes = trees("target", "ids", 1)
    for name in ("nodes_values", "target_weights"):
        values = np.array(attributes.pop(name), np.float64)
        attributes[f"{name}_as_tensor"] = numpy_helper.from_array(values, name)
    judged("TreeEnsembleRegressor", [HOLED.astype(np.float64)], 1, {"n_targets": 1, **attributes}, 3)


def test_the_larger_score_of_two_classes_counts() -> None:
    attributes = trees("class", "ids", 2, 0.0)
    proto, feeds = of_operator("TreeEnsembleClassifier", [X], 2, classlabels_strings=["a", "b"], **attributes)
    label, scores = onnx_backend.run_model(proto, feeds)
    assert label.tolist() == ["b" if second > first else "a" for first, second in scores.tolist()]


KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]


@pytest.mark.parametrize("kernel_type", KERNELS)
@pytest.mark.parametrize("post_transform", TRANSFORMS)
def test_support_vector_machines(kernel_type: str, post_transform: str) -> None:
    kernel = {"kernel_type": kernel_type, "kernel_params": [0.5, 0.2, 2.0], "post_transform": post_transform}
    for count, has_proba in product((2, 3, 4), (False, True)):
        sizes, pairs = [2, 3, 1, 2][:count], count * (count - 1) // 2
        attributes: dict[str, Any] = {
            "coefficients": RANDOM.normal(size=(count - 1) * sum(sizes)).tolist(),
            "support_vectors": RANDOM.normal(size=sum(sizes) * 3).tolist(),
            "vectors_per_class": sizes,
            "rho": RANDOM.normal(size=pairs).tolist(),
            "classlabels_ints": list(range(count)),
        }
        if has_proba:
            attributes |= {"prob_a": [-1.5] * pairs, "prob_b": RANDOM.normal(size=pairs).tolist()}
        judged("SVMClassifier", [X], 2, {**attributes, **kernel})
    vectors = {"coefficients": RANDOM.normal(size=4).tolist(), "support_vectors": RANDOM.normal(size=12).tolist()}
    for one_class in (0, 1):
        judged("SVMRegressor", [X], 1, {"n_supports": 4, "rho": [0.1], "one_class": one_class, **vectors, **kernel})


def of_map(type: str, key: int, value: int, **attributes: Any) -> Any:
    node = helper.make_node(type, ["x"], ["y"], domain="ai.onnx.ml", **attributes)
    port = helper.make_value_info("x", helper.make_map_type_proto(key, helper.make_tensor_type_proto(value, [])))
    graph = helper.make_graph([node], "graph", [port], [helper.make_empty_tensor_value_info("y")])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


I64, F32, TEXT = TensorProto.INT64, TensorProto.FLOAT, TensorProto.STRING
MAPS: list[tuple[Any, dict[Any, Any]]] = [
    (of_map("CastMap", I64, F32, cast_to="TO_FLOAT"), {7: 0.5, 2: 1.5}),
    (of_map("CastMap", I64, F32, cast_to="TO_INT64"), {7: 0.5, 2: 1.5}),
    (of_map("DictVectorizer", I64, F32, int64_vocabulary=[3, 1, 2]), {1: 0.5, 3: 1.5}),
    (of_map("DictVectorizer", TEXT, F32, string_vocabulary=["a", "c"]), {"a": 4, "b": 7}),
]
MORE_MAPS: list[tuple[Any, dict[Any, Any], Any]] = [
    (of_map("CastMap", I64, TEXT, cast_to="TO_FLOAT"), {7: "0.5", 2: "1"}, [[1, 0.5]]),
    (of_map("CastMap", I64, TEXT, cast_to="TO_STRING", map_form="SPARSE", max_map=3), {2: "a"}, [["", "", "a"]]),
    (of_map("DictVectorizer", TEXT, I64, string_vocabulary=["a", "c"]), {"a": 4, "b": 7}, [[4, 0]]),
    (of_map("DictVectorizer", I64, TEXT, int64_vocabulary=[3, 1]), {1: "x"}, [["", "x"]]),
]


@pytest.mark.parametrize(("proto", "value"), MAPS, ids=range(len(MAPS)))
def test_maps(proto: Any, value: dict[Any, Any]) -> None:
    judge(proto, {"x": value})


@pytest.mark.parametrize(("proto", "value", "expected"), MORE_MAPS, ids=range(len(MORE_MAPS)))
def test_maps_that_onnxruntime_cannot_be_fed(proto: Any, value: dict[Any, Any], expected: Any) -> None:
    assert onnx_backend.run_model(proto, {"x": value})[0].tolist() == expected


@pytest.mark.parametrize(
    ("proto", "value", "says"),
    [
        (MAPS[0][0], [1.0], "is a dictionary, not list"),
        (MORE_MAPS[0][0], {1: "a"}, "the values of the map are no f32"),
        (MORE_MAPS[1][0], {3: "a"}, "the key 3; max_map allows"),
    ],
)
def test_maps_that_do_not_fit_are_refused(proto: Any, value: Any, says: str) -> None:
    with pytest.raises(ov.Error, match=says):
        onnx_backend.run_model(proto, {"x": value})


def test_a_pipeline_gives_labels_and_maps_of_probabilities(tmp_path: Any) -> None:
    proto, _ = of_operator("Scaler", [X], offset=[0.1, 0.2, 0.3], scale=[1.0, 2.0, 0.5])
    attributes = {"coefficients": RANDOM.normal(size=9).tolist(), "intercepts": [0.1, 0.2, 0.3]}
    more = [
        helper.make_node("LinearClassifier", ["o0"], ["label", "scores"], domain="ai.onnx.ml",
                         classlabels_strings=["a", "b", "c"], post_transform="SOFTMAX", **attributes),
        helper.make_node("Normalizer", ["scores"], ["sums"], domain="ai.onnx.ml", norm="L1"),
        helper.make_node("ZipMap", ["sums"], ["maps"], domain="ai.onnx.ml", classlabels_strings=["a", "b", "c"]),
    ]  # fmt: skip
    proto.graph.node.extend(more)
    del proto.graph.output[:]
    proto.graph.output.extend([helper.make_empty_tensor_value_info(name) for name in ("label", "maps")])
    label, maps = judge(proto, {"i0": X})
    assert [max(row, key=row.get) for row in maps] == label.tolist()
    path = tmp_path / "model.xml"
    ov.save_model(ov.Core().read_model(proto), path, compress_to_fp16=False)
    assert ov.Core().validate(path).ok
    assert_same(ov.Core().compile_model(path)(X)["maps"], maps)


@pytest.mark.parametrize(
    ("type", "attributes", "says"),
    [
        ("Normalizer", {"norm": "L3"}, "'L3'"),
        ("LinearClassifier", {"coefficients": [1.0] * 3, "intercepts": [0.0]}, "neither classlabels_strings"),
        ("LinearRegressor", {"coefficients": [1.0] * 4, "targets": 3}, "4 coefficients"),
        ("SVMRegressor", {"coefficients": [1.0] * 2, "n_supports": 2, "support_vectors": [1.0] * 5}, "5 elements"),
        ("TreeEnsembleRegressor", trees("target", "ids", 1) | {"n_targets": 1, "nodes_modes": ["X"] * 21}, "'X'"),
        ("TreeEnsembleRegressor", trees("target", "ids", 1) | {"n_targets": 1, "nodes_values": [1.0]}, "nodes_values"),
        ("OneHotEncoder", {}, "neither cats_strings"),
    ],
)
def test_attributes_that_do_not_fit_are_named(type: str, attributes: dict[str, Any], says: str) -> None:
    proto, _ = of_operator(type, [X], 1, **attributes)
    with pytest.raises(ov.Error, match=says):
        ov.Core().read_model(proto)


def test_a_kernel_of_no_supports_does_not_matter() -> None:
    attributes: dict[str, Any] = {"coefficients": [1.0] * 3, "kernel_type": "RBFS", "n_supports": 0}
    proto, _ = of_operator("SVMRegressor", [X], 1, **attributes)
    assert [node.get_type_name() for node in ov.Core().read_model(proto).get_ordered_ops()].count("Result") == 1


def test_categories_that_are_none_are_refused_without_zeros() -> None:
    proto, feeds = of_operator("OneHotEncoder", [NUMBERS], cats_int64s=[1, 2], zeros=0)
    with pytest.raises(ov.Error, match="3 is none of the 2 keys"):
        onnx_backend.run_model(proto, feeds)
