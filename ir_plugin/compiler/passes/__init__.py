"""Passes over a graph, one a file: the file, the function and the key of DISABLED_PASSES have one name."""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TypeAlias

from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.passes.activation_fusion import activation_fusion
from ir_plugin.compiler.passes.attention_fusion import attention_fusion
from ir_plugin.compiler.passes.batch_norm_decomposition import batch_norm_decomposition
from ir_plugin.compiler.passes.constant_folding import constant_folding
from ir_plugin.compiler.passes.dead_code import dead_code
from ir_plugin.compiler.passes.einsum_decomposition import einsum_decomposition
from ir_plugin.compiler.passes.epilogue_fusion import epilogue_fusion
from ir_plugin.compiler.passes.grouped_query_attention import grouped_query_attention
from ir_plugin.compiler.passes.identity_elimination import identity_elimination
from ir_plugin.compiler.passes.kernel_trimming import kernel_trimming
from ir_plugin.compiler.passes.known_value_folding import known_value_folding
from ir_plugin.compiler.passes.kv_cache import kv_cache
from ir_plugin.compiler.passes.kv_cache_quantization import kv_cache_quantization
from ir_plugin.compiler.passes.levels_fusion import levels_fusion
from ir_plugin.compiler.passes.low_precision import low_precision
from ir_plugin.compiler.passes.normalization_fusion import normalization_fusion
from ir_plugin.compiler.passes.pad_fusion import pad_fusion
from ir_plugin.compiler.passes.power_to_multiply import power_to_multiply
from ir_plugin.compiler.passes.prelu_layout import prelu_layout
from ir_plugin.compiler.passes.qkv_fusion import qkv_fusion
from ir_plugin.compiler.passes.quantize_dequantize_fusion import quantize_dequantize_fusion
from ir_plugin.compiler.passes.rms_norm_fusion import rms_norm_fusion
from ir_plugin.compiler.passes.routed_experts import routed_experts
from ir_plugin.compiler.passes.scale_folding import scale_folding
from ir_plugin.compiler.passes.slice_scatter_fusion import slice_scatter_fusion
from ir_plugin.compiler.passes.weight_decompression import weight_decompression
from ir_plugin.compiler.progress import check_interruption
from ir_plugin.compiler.rewriter import may_rewrite
from ir_plugin.tensors.scoped import scoped

Pass: TypeAlias = Callable[[Graph], None]

PASSES: dict[str, Pass] = {
    function.__name__: function
    for function in (
        quantize_dequantize_fusion,
        low_precision,
        weight_decompression,
        slice_scatter_fusion,
        known_value_folding,
        einsum_decomposition,
        constant_folding,
        identity_elimination,
        pad_fusion,
        kernel_trimming,
        batch_norm_decomposition,
        scale_folding,
        activation_fusion,
        routed_experts,
        normalization_fusion,
        rms_norm_fusion,
        power_to_multiply,
        prelu_layout,
        attention_fusion,
        qkv_fusion,
        grouped_query_attention,
        kv_cache,
        kv_cache_quantization,
        epilogue_fusion,
        levels_fusion,
        dead_code,
    )
}
"""Passes by name, in the order in which they run."""


def summary(name: str) -> str:
    """Return the first line of what a pass says of itself."""
    return (PASSES[name].__doc__ or "").partition("\n")[0]


PassObserver: TypeAlias = Callable[[str, Graph], None]
"""Called with the name of a pass and the graph that it leaves; first with no name and the graph that passes get."""

_observer: ContextVar[PassObserver | None] = ContextVar("pass_observer", default=None)


def pass_observer(observer: PassObserver) -> AbstractContextManager[None]:
    """Call the observer after each pass of the plans that this thread makes within the `with`."""
    return scoped(_observer, observer)


def run_passes(graph: Graph, disabled: Container[str]) -> None:
    """Run the passes that are not disabled, in their order, and that may change one of the graph's operations."""
    observer = _observer.get()
    if observer is not None:
        observer("", graph)
    types = {op.type for op in graph.ops}
    for name, function in PASSES.items():
        if name in disabled:
            continue
        check_interruption()
        if may_rewrite(function, types):
            function(graph)
            types = {op.type for op in graph.ops}
        if observer is not None:
            observer(name, graph)


__all__ = ["PASSES", "Pass", "PassObserver", "pass_observer", "run_passes", "summary"]
