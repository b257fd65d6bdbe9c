"""Passes over models as in OpenVINO: patterns, matchers, rewriting of graphs, and built-in passes."""

from ir_plugin.openvino.passes.base import MatcherPass, ModelPass, PassBase
from ir_plugin.openvino.passes.constant_folding import ConstantFolding
from ir_plugin.openvino.passes.graph_rewrite import BackwardGraphRewrite, GraphRewrite
from ir_plugin.openvino.passes.half_precision import ConvertFP32ToFP16
from ir_plugin.openvino.passes.low_latency import LowLatency2
from ir_plugin.openvino.passes.manager import Manager
from ir_plugin.openvino.passes.matcher import Matcher
from ir_plugin.openvino.passes.pattern import AnyInput, Optional, Or, WrapType
from ir_plugin.openvino.passes.predicates import (
    Predicate,
    attrs_match,
    consumers_count,
    has_static_dim,
    has_static_dims,
    has_static_rank,
    has_static_shape,
    rank_equals,
    rank_more_than,
    shape_matches,
    type_matches,
    type_matches_any,
)
from ir_plugin.openvino.passes.serialize import Serialize, Version
from ir_plugin.openvino.passes.stateful import MakeStateful
from ir_plugin.openvino.passes.symbols import PatternSymbolValue
from ir_plugin.openvino.passes.visualize import VisualizeTree

__all__ = [
    "AnyInput",
    "BackwardGraphRewrite",
    "ConstantFolding",
    "ConvertFP32ToFP16",
    "GraphRewrite",
    "LowLatency2",
    "MakeStateful",
    "Manager",
    "Matcher",
    "MatcherPass",
    "ModelPass",
    "Optional",
    "Or",
    "PassBase",
    "PatternSymbolValue",
    "Predicate",
    "Serialize",
    "Version",
    "VisualizeTree",
    "WrapType",
    "attrs_match",
    "consumers_count",
    "has_static_dim",
    "has_static_dims",
    "has_static_rank",
    "has_static_shape",
    "rank_equals",
    "rank_more_than",
    "shape_matches",
    "type_matches",
    "type_matches_any",
]
