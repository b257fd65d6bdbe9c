"""Random inputs: indices in the range of what they index, and lengths that a graph and its bodies accept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from ir_plugin import CompiledModel, Core, InputError
from ir_plugin.cli.app import app
from ir_plugin.operations.base import Operation
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.registry import built_in
from ir_plugin.operations.traits import Along
from ir_plugin.report.inputs import complete
from ir_plugin.tensors import Array, ElementType, TensorInfo
from tests.support.changed import DIGITS
from tests.support.collect import samples
from tests.support.ir import build

ov = pytest.importorskip("openvino")
ops = pytest.importorskip("openvino.opset15")

SAMPLES = DIGITS.parents[1]
F32, I64 = ov.Type.f32, ov.Type.i64


def parameter(name: str, shape: Any, type: Any = F32) -> Any:
    node = ops.parameter(ov.PartialShape(shape), type, name=name)
    node.output(0).set_names({name})
    return node


def const(value: Any, type: Any = np.int64) -> Any:
    return ops.constant(np.asarray(value, type))


def table(*lengths: int) -> Any:
    return const(np.arange(np.prod(lengths)).reshape(lengths), np.float32)


def compiled_from(outputs: list[Any], parameters: list[Any], folder: Path) -> tuple[CompiledModel, Any]:
    """Return a model as this library and as OpenVINO compile it."""
    model = ov.Model(outputs, parameters)
    ov.serialize(model, folder / "model.xml")
    return Core().compile_model(folder / "model.xml"), ov.Core().compile_model(
        model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )


def through_cheap_layers() -> tuple[list[Any], list[Any]]:
    ids = parameter("ids", [2, 6], ov.Type.i32)
    flat = ops.reshape(ops.unsqueeze(ops.convert(ids, "i64"), const(0)), const([-1]), False)
    joined = ops.concat([ops.add(flat, const(2)), const([0, 1])], 0)
    return [ops.gather(table(5, 3), joined, const(0))], [ids]


def positions_of_a_mask() -> tuple[list[Any], list[Any]]:
    mask = parameter("mask", [1, 7], I64)
    positions = ops.subtract(ops.cumsum(mask, const(1)), const(1))
    return [ops.gather(table(12, 4), positions, const(0))], [mask]


def a_body_that_gathers() -> tuple[list[Any], list[Any]]:
    rows, inner = parameter("rows", [4, 1], I64), parameter("inner", [1, 1], I64)
    body = ov.Model([ops.gather(table(3, 2), inner, const(0))], [inner])
    loop = ops.tensor_iterator()
    loop.set_body(body)
    loop.set_sliced_input(inner, rows.output(0), 0, 1, 1, -1, 0)
    return [loop.get_concatenated_slices(body.results[0].output(0), 0, 1, 1, -1, 0)], [rows]


def scattered() -> tuple[list[Any], list[Any]]:
    data, updates = parameter("data", [3, 4]), parameter("updates", [3, 2])
    positions = parameter("positions", [3, 2], I64)
    return [ops.scatter_elements_update(data, positions, updates, const(1))], [data, positions, updates]


def bags() -> tuple[list[Any], list[Any]]:
    ids, offsets = parameter("ids", [7], I64), parameter("offsets", [4], I64)
    default = parameter("default", [], I64)
    return [ops.embedding_bag_offsets_sum(table(3, 2), ids, offsets, default)], [ids, offsets, default]


def one_hot() -> tuple[list[Any], list[Any]]:
    labels = parameter("labels", [30], I64)
    return [ops.one_hot(labels, const(3), const(1.0, np.float32), const(0.0, np.float32), -1)], [labels]


def a_float_as_an_index() -> tuple[list[Any], list[Any]]:
    positions = parameter("positions", [30])
    return [ops.gather(table(3, 2), ops.convert(positions, "i64"), const(0))], [positions]


def lengths_of_sequences() -> tuple[list[Any], list[Any]]:
    data, lengths = parameter("data", [5, 3, 2]), parameter("lengths", [5], ov.Type.i32)
    return [ops.reverse_sequence(data, lengths, 0, 1)], [data, lengths]


def a_permutation() -> tuple[list[Any], list[Any]]:
    data, order = parameter("data", [2, 3, 4]), parameter("order", [3], I64)
    return [ops.transpose(data, order)], [data, order]


Net = Callable[[], tuple[list[Any], list[Any]]]
INDEXED: list[Net] = [
    through_cheap_layers, positions_of_a_mask, a_body_that_gathers, scattered, bags, one_hot, a_float_as_an_index,
    lengths_of_sequences, a_permutation,
]  # fmt: skip


@pytest.mark.parametrize("net", INDEXED)
def test_indices_are_in_range(net: Net, tmp_path: Path) -> None:
    ours, reference = compiled_from(*net(), tmp_path)
    for seed in range(5):
        arrays = complete(ours, seed=seed)
        np.testing.assert_allclose(ours(arrays)[0], reference(arrays)[0], rtol=1e-5)


def test_ranges_are_used_in_full(tmp_path: Path) -> None:
    ours, _ = compiled_from(*one_hot(), tmp_path)
    assert set(complete(ours)[0].tolist()) == {0, 1, 2}
    ours, _ = compiled_from(*through_cheap_layers(), tmp_path)
    assert set(complete(ours)[0].reshape(-1).tolist()) <= {-2, -1, 0, 1, 2}


def test_scores_whose_best_are_gathered_stay_real(tmp_path: Path) -> None:
    scores = parameter("scores", [3, 5])
    best = ops.topk(scores, const(2), 1, "max", "value", index_element_type="i64")
    ours, _ = compiled_from([ops.gather(table(5, 4), best.output(1), const(0))], [scores], tmp_path)
    (values,) = complete(ours)
    assert (values != np.rint(values)).all()


def _says_ranges(operation: type[Operation]) -> bool:
    return operation.input_ranges is not Operation.input_ranges or any(
        isinstance(trait, Along) and isinstance(trait.axes, int) for trait in operation.traits
    )


RANGED = sorted({definition.type for definition in built_in().values() if _says_ranges(definition.cls)})


@pytest.mark.parametrize("type", RANGED)
def test_samples_of_operations_run_on_random_inputs(type: str) -> None:
    for _, sample in samples():
        if sample.type == type:
            ir = build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs)
            compiled = Core().compile_model(ir.xml, weights=ir.weights, config={"OPTIMIZE": False})
            compiled(complete(compiled))


def test_a_custom_operation_says_its_ranges() -> None:
    class Rows(Operation, version="extension"):
        def infer(self, data: TensorInfo, indices: TensorInfo) -> TensorInfo:
            return data.with_shape(indices.shape + data.shape[1:])

        def evaluate(self, data: Array, indices: Array) -> Array:
            rows: Array = data[indices]
            return rows

        def input_ranges(self, inputs: KnownInputs) -> Ranges:
            return {1: Range.below(inputs.length(0, 0))}

    core = Core()
    core.add_extension(Rows)
    ir = build("Rows", "extension", [(ElementType.f32, "3,2"), (ElementType.i64, "50")], {}, 1)
    compiled = core.compile_model(ir.xml, weights=ir.weights)
    arrays = complete(compiled)
    assert set(arrays[1].tolist()) == {0, 1, 2}
    np.testing.assert_array_equal(compiled(arrays)[0], arrays[0][arrays[1]])


def test_the_sample_of_gather_elements_runs() -> None:
    result = CliRunner().invoke(app, ["run", str(SAMPLES / "gather_elements" / "gather_elements.xml")])
    assert result.exit_code == 0, result.output


def a_dense_layer_behind_convolutions() -> tuple[list[Any], list[Any]]:
    image = parameter("image", [-1, 3, -1, -1])
    wide = ops.convolution(image, const(np.ones((2, 3, 3, 3)), np.float32), [2, 2], [0, 0], [0, 0], [1, 1])
    flat = ops.reshape(wide, const([0, -1]), True)
    return [ops.matmul(flat, table(2 * 7 * 7, 5), False, False)], [image]


def a_reshape_by_the_shape_of_another() -> tuple[list[Any], list[Any]]:
    data, other = parameter("data", [-1, -1]), parameter("other", [-1, 6])
    return [ops.reshape(data, ops.shape_of(other), False)], [data, other]


def lengths_that_must_agree() -> tuple[list[Any], list[Any]]:
    query, mask, past = parameter("query", [-1, -1, 4]), parameter("mask", [-1, -1]), parameter("past", [-1, -1, 4])
    shape = ops.shape_of(ops.concat([past, query], 1))
    wide = ops.reshape(mask, ops.gather(shape, const([0, 1]), const(0)), False)
    return [wide], [query, mask, past]


def halves() -> tuple[list[Any], list[Any]]:
    data = parameter("data", [ov.Dimension(3, 20), -1])
    left, right = ops.split(data, const(0), 2).outputs()
    return [ops.add(left, right)], [data]


def a_body_with_a_window() -> tuple[list[Any], list[Any]]:
    rows, inner = parameter("rows", [2, 1, -1]), parameter("inner", [1, 1, -1])
    window = ops.max_pool(inner, [1], [1], [0], [0], [5], "floor", "explicit", "i64", 0).output(0)
    body = ov.Model([window], [inner])
    loop = ops.tensor_iterator()
    loop.set_body(body)
    loop.set_sliced_input(inner, rows.output(0), 0, 1, 1, -1, 0)
    return [loop.get_concatenated_slices(body.results[0].output(0), 0, 1, 1, -1, 0)], [rows]


ACCEPTED: dict[Net, list[tuple[int, ...]]] = {
    a_dense_layer_behind_convolutions: [(1, 3, 15, 15)],
    a_reshape_by_the_shape_of_another: [(1, 6), (1, 6)],
    halves: [(4, 1)],
    lengths_that_must_agree: [(1, 1, 4), (1, 2), (1, 1, 4)],
    a_body_with_a_window: [(2, 1, 5)],
}


@pytest.mark.parametrize("net", ACCEPTED)
def test_lengths_are_accepted_by_the_graph(net: Net, tmp_path: Path) -> None:
    ours, reference = compiled_from(*net(), tmp_path)
    arrays = complete(ours)
    np.testing.assert_allclose(ours(arrays)[0], reference(arrays)[0], rtol=1e-4)
    assert [array.shape for array in arrays] == ACCEPTED[net]


def test_lengths_follow_inputs_that_are_given(tmp_path: Path) -> None:
    ids, mask = parameter("ids", [-1, -1]), parameter("mask", [-1, -1])
    ours, _ = compiled_from([ops.multiply(ids, mask)], [ids, mask], tmp_path)
    inputs: dict[str, Array] = {"ids": np.ones((2, 7), np.float32)}
    assert complete(ours, inputs)[1].shape == (2, 7)
    assert [array.shape for array in complete(ours)] == [(1, 1), (1, 1)]


def test_a_graph_that_accepts_no_lengths_is_an_error_that_names_the_layer(tmp_path: Path) -> None:
    a, b = parameter("a", [-1, 2]), parameter("b", [-1, 2])
    ours, _ = compiled_from([ops.reshape(ops.concat([a, b], 0), const([3, 3]), False)], [a, b], tmp_path)
    result = CliRunner().invoke(app, ["run", str(tmp_path / "model.xml")])
    assert result.exit_code == 1
    assert "Reshape" in str(result.exception)
    assert complete(ours)[0].shape == (1, 2)


def test_an_unknown_rank_names_the_input(tmp_path: Path) -> None:
    x = parameter("x", ov.PartialShape.dynamic())
    ov.serialize(ov.Model([ops.relu(x)], [x]), tmp_path / "model.xml")
    with pytest.raises(InputError, match=r"the rank of x is not known: give it, .* -i x=1x3x8x8"):
        complete(Core().compile_model(tmp_path / "model.xml"))
