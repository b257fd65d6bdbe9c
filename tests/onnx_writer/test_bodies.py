"""Layers with bodies, variables, and ONNX's own models: read, written, and read again or run by onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import onnx

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.frontends.onnx_writer.writing import onnx_bytes
from ir_plugin.tensors import Array
from tests.onnx_writer.round_trip import outcome

MODELS = (
    "test_if", "test_loop11", "test_scan_sum", "test_scan9_sum", "test_lstm_with_peepholes", "test_lstm_batchwise",
    "test_gru_seq_length", "test_simple_rnn_with_initial_bias", "test_range_float_type_positive_delta_expanded",
    "test_gather_negative_indices", "test_resize_upsample_sizes_nearest", "test_maxpool_2d_ceil", "test_lrn",
    "test_averagepool_2d_pads_count_include_pad", "test_convtranspose_output_shape", "test_scatternd_add",
    "test_nonmaxsuppression_two_classes", "test_einsum_batch_matmul", "test_unique_sorted_with_axis",
    "test_mod_mixed_sign_int64", "test_sequence_insert_at_front", "test_sequence_map_add_1_sequence_1_tensor",
    "test_if_opt", "test_loop13_seq", "test_loop16_seq_none", "test_optional_get_element_optional_sequence",
    "test_split_to_sequence_2", "test_resize_downsample_scales_linear", "test_resize_tf_crop_and_resize",
    "test_ai_onnx_ml_label_encoder_string_int", "test_ai_onnx_ml_tree_ensemble_set_membership",
    "test_cumprod_1d_exclusive", "test_bitcast_float32_to_int32", "test_split_variable_parts_1d_opset13",
    "test_tfidfvectorizer_tf_batch_uniandbigrams_skip5", "test_unsqueeze_three_axes", "test_reduce_log_sum_asc_axes",
    "test_sequence_model1", "test_squeeze_negative_axes", "test_slice_neg_steps", "test_edge_pad", "test_reflect_pad",
    "test_cast_FLOAT_to_FLOAT4E2M1", "test_quantizelinear_float4e2m1", "test_affine_grid_2d_expanded",
)  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_models_of_onnx_have_onnx_s_results_after_a_round_trip(name: str) -> None:
    assert outcome(name) == ("equal", "")


def counting_loop(stride: int) -> ov.Model:
    """Return a TensorIterator that adds each slice of x to a state, and joins the states."""
    x = ops.parameter([5, 2], ov.Type.f32, "x")
    part, state = (ops.parameter(shape, ov.Type.f32) for shape in ([1, 2], [1, 2]))
    total = ops.add(part, state)
    body = ov.Model([total], [part, state])
    iterator = ops.tensor_iterator()
    iterator.set_body(body)
    begin, end = (0, -1) if stride > 0 else (-1, 0)
    iterator.set_sliced_input(part, x.output(0), begin, stride, 1, end, 0)
    iterator.set_merged_input(state, ops.constant(np.zeros((1, 2), np.float32)).output(0), total.output(0))
    last = iterator.get_iter_value(total.output(0), -1)
    states = iterator.get_concatenated_slices(total.output(0), begin, stride, 1, end, 0)
    return ov.Model([last, states], [x])


@pytest.mark.parametrize("stride", [1, -1])
def test_a_tensor_iterator_is_a_loop(stride: int) -> None:
    model = counting_loop(stride)
    data = np.arange(10, dtype=np.float32).reshape(5, 2)
    expected = list(ov.compile_model(model)(data).to_dict().values())
    for ours, theirs in zip(expected, run(onnx_bytes(model), {"x": data}), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_variables_are_inputs_and_outputs() -> None:
    x = ops.parameter([1, 3], ov.Type.f32, "x")
    zeros = ops.constant(np.zeros((1, 3), np.float32))
    before = ops.read_value(zeros, "sum", ov.Type.f32, [1, 3])
    total = ops.add(before, x)
    model = ov.Model([ops.multiply(total, ops.constant(np.float32(2)))], [ops.assign(total, "sum")], [x])
    proto = onnx.ModelProto.FromString(onnx_bytes(model))
    assert [value.name for value in proto.graph.input] == ["x", "past.sum"]
    assert [value.name for value in proto.graph.output][1] == "present.sum"
    request = ov.compile_model(model).create_infer_request()
    past = np.zeros((1, 3), np.float32)
    for step in range(3):
        data = np.full((1, 3), step + 1, np.float32)
        doubled, past = run(onnx_bytes(model), {"x": data, "past.sum": past})
        np.testing.assert_array_equal(request.infer([data])[0], doubled)


def test_names_of_the_model_come_before_those_in_between() -> None:
    x = ops.parameter([2], ov.Type.i32, "x")
    mean = ops.reduce_mean(ops.unsqueeze(x, ops.constant(0)), ops.constant(0), name="mean")
    named = ops.negative(mean)
    named.output(0).set_names({"mean/Cast"})
    proto = onnx.ModelProto.FromString(onnx_bytes(ov.Model([named], [x])))
    assert [value.name for value in proto.graph.output] == ["mean/Cast"]


@pytest.mark.parametrize("scales", [(2, 3), (1.4, 1.05), (0.5, 0.6), (0.5, 1)], ids=str)
@pytest.mark.parametrize("lengths", [[None, None], [9, 8]], ids=str)
def test_nearest_of_older_opsets_rounds_as_it_did(scales: tuple[float, float], lengths: list[int | None]) -> None:
    node = onnx.helper.make_node("Resize", ["x", "scales"], ["y"], mode="nearest")
    ports = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in (("x", [1, 2, *lengths]), ("y", [None] * 4))
    ]
    values = onnx.numpy_helper.from_array(np.array([1, 1, *scales], np.float32), "scales")
    graph = onnx.helper.make_graph([node], "graph", ports[:1], ports[1:], [values])
    proto = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 10)], ir_version=8)
    feeds = {"x": np.arange(144, dtype=np.float32).reshape(1, 2, 9, 8)}
    expected = run(proto.SerializeToString(), feeds)[0]
    np.testing.assert_array_equal(run(onnx_bytes(ov.Core().read_model(proto)), feeds)[0], expected)


def run(content: bytes, feeds: dict[str, Array]) -> list[Array]:
    """Return the outputs of a written model in onnxruntime, after onnx's checks."""
    import onnxruntime

    onnx.checker.check_model(onnx.ModelProto.FromString(content), full_check=True)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return list(session.run(None, feeds))
