"""Transformations that OpenVINO's tools apply to models before they are saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin.compiler.model_rewriter import constant_values
from ir_plugin.errors import AbsentError, require
from ir_plugin.model import Node
from ir_plugin.openvino.passes.base import require_model
from ir_plugin.openvino.passes.common_optimizations import CommonOptimizations
from ir_plugin.openvino.passes.fused_names import FusedNamesCleanup
from ir_plugin.openvino.passes.low_latency import LowLatency2
from ir_plugin.openvino.passes.sequences import ConvertSequenceToTensorIterator
from ir_plugin.openvino.passes.stateful import MakeStateful
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.version import __version__
from ir_plugin.writer.compress import compress_in_place

__all__ = [
    "__version__",
    "apply_fused_names_cleanup",
    "apply_low_latency_transformation",
    "apply_make_stateful_transformation",
    "apply_moc_legacy_transformations",
    "apply_moc_transformations",
    "apply_pruning_transformation",
    "compress_model_transformation",
    "compress_quantize_weights_transformation",
    "convert_sequence_to_tensor_iterator_transformation",
    "get_version",
    "paged_attention_transformation",
    "stateful_to_stateless_transformation",
]


def get_version() -> str:
    """Return the version of ir_plugin."""
    return __version__


def apply_moc_transformations(model: Any, cf: bool, smart_reshape: bool = False) -> None:
    """Simplify a model: remove nodes without effect, share equal constants, and with `cf` fold constants.

    The page "Change graphs by passes" lists what is done. `smart_reshape` changes nothing: any model can be
    reshaped.
    """
    require_model(model)
    require(smart_reshape, (bool, int), "a bool", "smart_reshape")
    CommonOptimizations(bool(cf)).run_on_model(model)
    model.validate_nodes_and_infer_types()


def apply_moc_legacy_transformations(model: Any, params_with_custom_types: Sequence[str]) -> None:
    """Change nothing, as no front end of an old format writes what this removes in OpenVINO."""
    require_model(model)
    require(params_with_custom_types, (list, tuple), "a list of names", "params_with_custom_types")


def apply_low_latency_transformation(model: Any, use_const_initializer: bool = True) -> None:
    """Turn the state of loops and sequences into variables, as `passes.LowLatency2` does."""
    require_model(model)
    LowLatency2(use_const_initializer).run_on_model(model)
    model.validate_nodes_and_infer_types()


def apply_make_stateful_transformation(
    model: Any,
    param_res_names: Mapping[str, str] | Sequence[tuple[Node, Node]] | None = None,
    *,
    pairs_to_replace: Sequence[tuple[Node, Node]] | None = None,
) -> None:
    """Replace pairs of a Parameter and a Result by variables, as `passes.MakeStateful` does."""
    require_model(model)
    MakeStateful(param_res_names if pairs_to_replace is None else pairs_to_replace).run_on_model(model)


def apply_fused_names_cleanup(model: Any) -> None:
    """Remove the names of fused layers from the runtime information of all nodes."""
    require_model(model)
    FusedNamesCleanup().run_on_model(model)


def compress_model_transformation(model: Any) -> None:
    """Store f32 and f64 constants as f16 with a Convert, as `save_model` does."""
    require_model(model)
    compress_in_place(model)
    model.validate_nodes_and_infer_types()


def convert_sequence_to_tensor_iterator_transformation(model: Any) -> None:
    """Replace LSTMSequence, GRUSequence and RNNSequence by a TensorIterator over the cell."""
    require_model(model)
    ConvertSequenceToTensorIterator().run_on_model(model)
    model.validate_nodes_and_infer_types()


def apply_pruning_transformation(model: Any) -> None:
    """Raise for a model with channels whose weights are all zero, which OpenVINO removes; do nothing for others."""
    require_model(model)
    if any(_has_empty_channel(node) for node in model.get_ops()):
        raise _absent("apply_pruning_transformation")


def _has_empty_channel(node: Node) -> bool:
    if not node.is_a(Convolution, GroupConvolution, MatMul):
        return False
    weights = constant_values(node.inputs[1].source)
    return weights is not None and weights.ndim > 1 and not weights.reshape(len(weights), -1).any(axis=1).all()


def compress_quantize_weights_transformation(model: Any) -> None:
    """Raise for a model with quantized weights, which OpenVINO would store as integers; do nothing for other models."""
    require_model(model)
    quantizers = [node for node in model.get_ops() if node.is_a(FakeQuantize)]
    if any(constant_values(node.inputs[0].source) is not None for node in quantizers):
        raise _absent("compress_quantize_weights_transformation")


def paged_attention_transformation(
    model: Any,
    use_block_indices_inputs: bool = False,
    use_score_outputs: bool = False,
    allow_score_aggregation: bool = False,
    allow_cache_rotation: bool = False,
    allow_xattention: bool = False,
    allow_adaptive_rkv: bool = False,
    allow_qq_bias: bool = False,
) -> None:
    """Raise, as paged attention is not offered."""
    del use_block_indices_inputs, use_score_outputs, allow_score_aggregation, allow_cache_rotation
    del allow_xattention, allow_adaptive_rkv, allow_qq_bias
    require_model(model)
    raise _absent("paged_attention_transformation")


def stateful_to_stateless_transformation(model: Any) -> None:
    """Raise, as models stay stateful."""
    require_model(model)
    raise _absent("stateful_to_stateless_transformation")


def _absent(name: str) -> AbsentError:
    return AbsentError(f"{name} is not offered: transform the model with openvino, save it, and read it here")
