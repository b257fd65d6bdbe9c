"""Passes over a graph, one a file, whose name is the key of DISABLED_PASSES."""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TypeAlias

from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.passes.activation_fusion import ActivationFusion, HardSigmoidDecomposition, SwishDecomposition
from ir_plugin.compiler.passes.attention_fusion import AttentionFusion
from ir_plugin.compiler.passes.batch_norm_decomposition import BatchNormDecomposition
from ir_plugin.compiler.passes.constant_folding import constant_folding
from ir_plugin.compiler.passes.dead_code import dead_code
from ir_plugin.compiler.passes.einsum_decomposition import EinsumDecomposition
from ir_plugin.compiler.passes.epilogue_fusion import EpilogueFusion
from ir_plugin.compiler.passes.grouped_query_attention import GroupedQueryAttentionFusion
from ir_plugin.compiler.passes.identity_elimination import IdentityElimination
from ir_plugin.compiler.passes.kernel_trimming import KernelTrimming
from ir_plugin.compiler.passes.known_value_folding import known_value_folding
from ir_plugin.compiler.passes.kv_cache import KvCache
from ir_plugin.compiler.passes.kv_cache_quantization import KvCacheQuantization
from ir_plugin.compiler.passes.levels_fusion import LevelsFusion
from ir_plugin.compiler.passes.low_precision import LowPrecision
from ir_plugin.compiler.passes.normalization_fusion import NormalizationFusion
from ir_plugin.compiler.passes.pad_fusion import PadFusion
from ir_plugin.compiler.passes.power_to_multiply import PowerToMultiply
from ir_plugin.compiler.passes.prelu_layout import PreluLayout
from ir_plugin.compiler.passes.qkv_fusion import QkvFusion
from ir_plugin.compiler.passes.quantize_dequantize_fusion import QuantizeDequantizeFusion
from ir_plugin.compiler.passes.rms_norm_fusion import RmsNormFusion
from ir_plugin.compiler.passes.routed_experts import RoutedExperts
from ir_plugin.compiler.passes.scale_folding import ScaleFolding, SumSwap
from ir_plugin.compiler.passes.slice_scatter_fusion import SliceScatterFusion
from ir_plugin.compiler.passes.weight_decompression import WeightDecompression
from ir_plugin.compiler.progress import check_interruption
from ir_plugin.compiler.rewriter import PatternPass
from ir_plugin.tensors.scoped import scoped

Pass: TypeAlias = Callable[[Graph], None]

PASSES: dict[str, Pass] = {
    function.__name__: function
    for function in (
        PatternPass(QuantizeDequantizeFusion),
        PatternPass(LowPrecision),
        PatternPass(WeightDecompression),
        PatternPass(SliceScatterFusion),
        known_value_folding,
        PatternPass(EinsumDecomposition),
        constant_folding,
        PatternPass(IdentityElimination),
        PatternPass(PadFusion),
        PatternPass(KernelTrimming),
        PatternPass(BatchNormDecomposition),
        PatternPass(SumSwap, ScaleFolding),
        PatternPass(HardSigmoidDecomposition, SwishDecomposition, ActivationFusion),
        PatternPass(RoutedExperts),
        PatternPass(NormalizationFusion),
        PatternPass(RmsNormFusion),
        PatternPass(PowerToMultiply),
        PatternPass(PreluLayout),
        PatternPass(AttentionFusion),
        PatternPass(QkvFusion),
        PatternPass(GroupedQueryAttentionFusion),
        PatternPass(KvCache),
        PatternPass(KvCacheQuantization),
        PatternPass(EpilogueFusion),
        PatternPass(LevelsFusion),
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
        if not isinstance(function, PatternPass) or function.may_rewrite(types):
            function(graph)
            types = {op.type for op in graph.ops}
        if observer is not None:
            observer(name, graph)


__all__ = ["PASSES", "Pass", "PassObserver", "pass_observer", "run_passes", "summary"]
