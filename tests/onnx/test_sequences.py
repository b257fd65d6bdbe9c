"""Sequences and optionals through the whole engine: read, run, saved, checked, fed and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import ir_plugin as ov
from ir_plugin import onnx_backend
from ir_plugin.tensors import ElementType
from tests.onnx.judged import assert_same, judge, of_text

X = np.arange(6, dtype=np.float32).reshape(3, 2)
ITEMS = [X, X[:1] * 2, X[:0]]
K = np.array(-2, np.int64)

ALL = """agraph (seq(float[N, 2]) s, int64 k, float[N, 2] x)
        => (seq(float[N, 2]) t, float[N, 2] a, int64 n, float[M, 2] j) {
    one = Constant <value = int64 {1}> ()
    u = SequenceInsert(s, x, one)
    v = SequenceErase(u, k)
    t = SequenceInsert(v, x)
    a = SequenceAt(t, k)
    n = SequenceLength(t)
    j = ConcatFromSequence <axis = 0> (t)
}"""
SPLIT = """agraph (float[3, 2] x, int64[2] p)
        => (seq(float[N, 2]) a, seq(float[N, 2]) b, seq(float[2]) c, float[3, 2] d) {
    two = Constant <value = int64 {2}> ()
    a = SplitToSequence(x, p)
    b = SplitToSequence(x, two)
    c = SplitToSequence <keepdims = 0> (x)
    d = ConcatFromSequence <axis = -2, new_axis = 1> (c)
}"""
TEXTS = """agraph (string[2] x) => (seq(string[N]) s, string[2] y) {
    s = SequenceConstruct(x, x)
    k = Constant <value = int64 {0}> ()
    y = SequenceAt(s, k)
}"""
CASES: list[tuple[str, dict[str, Any]]] = [
    (ALL, {"s": ITEMS, "k": K, "x": X}),
    (SPLIT, {"x": X, "p": np.array([1, 2])}),
    (TEXTS, {"x": np.array(["a", "é"], object)}),
]


@pytest.mark.parametrize(("text", "feeds"), CASES, ids=["all", "split", "texts"])
def test_as_in_onnxruntime(text: str, feeds: dict[str, Any]) -> None:
    judge(of_text(text), feeds)


@pytest.mark.parametrize(("text", "feeds"), CASES, ids=["all", "split", "texts"])
@pytest.mark.parametrize("optimize", [True, False])
def test_a_saved_model_is_checked_and_runs_alike(
    text: str, feeds: dict[str, Any], optimize: bool, tmp_path: Path
) -> None:
    core, path = ov.Core(), tmp_path / "model.xml"
    model = core.read_model(of_text(text))
    expected = core.compile_model(model)(feeds)
    ov.save_model(model, path)
    assert core.validate(path).ok
    outputs = core.compile_model(path, config={"OPTIMIZE": optimize})(feeds)
    for ours, theirs in zip(outputs.to_tuple(), expected.to_tuple(), strict=True):
        assert_same(ours, theirs)


OPTIONAL = """agraph (optional(float[2]) o, float[2] d) => (float[2] y, bool h) {
    h = OptionalHasElement(o)
    y = If (h) <
        then_branch = then () => (float[2] a) { a = OptionalGetElement(o) },
        else_branch = other () => (float[2] a) { a = Identity(d) }
    >
}"""


@pytest.mark.parametrize("value", [np.array([1, 2], np.float32), None])
def test_an_optional_is_none_or_its_value(value: Any) -> None:
    default = np.zeros(2, np.float32)
    y, has = onnx_backend.run_model(of_text(OPTIONAL, opset=18), {"o": value, "d": default})
    assert bool(has) == (value is not None)
    np.testing.assert_array_equal(y, default if value is None else value)


def test_results_are_lists_and_do_not_change_with_the_next_inference() -> None:
    compiled = ov.Core().compile_model(of_text(SPLIT))
    first: Any = compiled({"x": X, "p": np.array([1, 2])})[0]
    compiled({"x": X + 100, "p": np.array([2, 1])})
    assert isinstance(first, list)
    np.testing.assert_array_equal(first[1], X[1:])


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (X.tolist()[0][0], "a value of the type sequence_f32 is a list, not float"),
        ([np.array(["a"], object)], "an item has the type string; the model wants f32"),
        ({"a": X}, "is a list, not dict"),
    ],
)
def test_values_that_are_no_sequence_are_refused(value: Any, says: str) -> None:
    with pytest.raises(ov.Error, match=says):
        onnx_backend.run_model(of_text(ALL), {"s": value, "k": K, "x": X})


@pytest.mark.parametrize(
    ("s", "k", "says"), [([], K, "position is 1; it must be in .0, 0."), (ITEMS, np.array(9), "position is 9")]
)
def test_positions_outside_a_sequence_are_refused(s: Any, k: Any, says: str) -> None:
    with pytest.raises(ov.Error, match=says):
        onnx_backend.run_model(of_text(ALL), {"s": s, "k": k, "x": X})


def test_empty_containers_have_no_items() -> None:
    join = "agraph (seq(float[N]) s) => (float[N] y) { y = ConcatFromSequence <axis = 0> (s) }"
    with pytest.raises(ov.Error, match="nothing to join"):
        onnx_backend.run_model(of_text(join), {"s": []})
    element = "agraph (optional(float[2]) o) => (float[2] y) { y = OptionalGetElement(o) }"
    with pytest.raises(ov.Error, match="the optional is empty"):
        onnx_backend.run_model(of_text(element), {"o": None})


@pytest.mark.parametrize("name", ["sequence_f32", "optional_sequence_string", "map_i64_f32", "sequence_map_string_f32"])
def test_types_of_containers_are_named(name: str) -> None:
    type = ElementType(name)
    assert type is ElementType(name.upper())
    assert type.name == name
    assert type.is_container
    assert type.merge(ElementType.dynamic) is type


@pytest.mark.parametrize("name", ["sequence_", "sequence_f33", "map_f32_f32", "optional"])
def test_other_names_are_no_types(name: str) -> None:
    assert ElementType.from_name(name) is None


def test_a_sequence_whose_items_are_unknown_merges_with_one_whose_are_known() -> None:
    unknown = ElementType("sequence_dynamic")
    assert unknown.merge(ElementType("sequence_f32")) is ElementType("sequence_f32")
    assert ElementType("sequence_f32").merge(ElementType("sequence_i64")) is None


def test_known_items_need_no_sequence() -> None:
    text = """agraph (float[3, 2] x) => (float[6] y, float[2] z, int64 n) {
        zero = Constant <value = int64[1] {0}> ()
        one = Constant <value = int64 {1}> ()
        end = Constant <value = int64 {-1}> ()
        x1 = ReduceSum <keepdims = 0> (x, zero)
        rows = SplitToSequence <keepdims = 0> (x)
        more = SequenceInsert(rows, x1, one)
        less = SequenceErase(more, end)
        y = ConcatFromSequence <axis = 0> (less)
        z = SequenceAt(more, end)
        n = SequenceLength(less)
    }"""
    proto = of_text(text)
    judge(proto, {"x": X})
    model = ov.Core().read_model(proto)
    assert not any(node.operation.version == "extension" for node in model.ordered())
    assert str(model.output("z").partial_shape) == "[2]"


def test_results_are_shown_and_output_tensors_take_other_lengths() -> None:
    compiled = ov.Core().compile_model(of_text(ALL))
    request = compiled.create_infer_request()
    results = request.infer({"s": ITEMS, "k": K, "x": X})
    assert "list" in results._repr_html_()
    assert list(request.get_output_tensor(0).shape) == [4]
    request.infer({"s": ITEMS[:1] * 4, "k": K, "x": X})
    assert list(request.get_output_tensor(0).shape) == [5]


def test_a_node_of_the_backend_takes_a_list() -> None:
    import onnx

    node = onnx.helper.make_node("SequenceAt", ["s", "k"], ["y"])
    np.testing.assert_array_equal(onnx_backend.run_node(node, [ITEMS, np.array(1)])[0], ITEMS[1])


def test_a_vector_of_objects_is_a_list_of_items() -> None:
    compiled = ov.Core().compile_model(of_text("agraph (seq(int32[]) s) => (seq(int32[]) t) { t = Identity(s) }"))
    for value in (np.array([1, 2], object), [1, 2], [np.array([1, 2], object)]):
        items = compiled(value)[0]
        assert [item.dtype for item in items] == [np.int32] * 2
        assert np.asarray(items).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("agraph (seq(float[]) s, int64[1] a) => (float[1] y) { y = Unsqueeze(s, a) }", "Unsqueeze takes tensors"),
        ("agraph (float[3] x, seq(float[]) s) => (float[3] y) { y = CastLike(x, s) }", "is sequence_f32"),
        ("agraph (uint32[4] x) => (string[3] y) { y = StringNormalizer(x) }", "element type u32"),
    ],
)
def test_sequences_and_numbers_are_refused_by_what_takes_tensors_and_texts(text: str, says: str) -> None:
    with pytest.raises(ov.Error, match=says):
        ov.Core().read_model(of_text(text))
