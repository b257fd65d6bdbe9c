"""Samples of operations written as ONNX, checked, run by onnxruntime or onnx.reference, and compared with ours."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from ir_plugin import Core, Error, UnsupportedError
from ir_plugin.frontends.onnx.types import numpy_of
from ir_plugin.frontends.onnx_writer.writing import DEFAULT_OPSET, onnx_bytes
from ir_plugin.tensors import Array, ElementType
from tests.support.collect import samples
from tests.support.oracle import built, fed
from tests.support.results import values_by_port
from tests.support.sample import In, Sample

SAMPLES = dict(samples())
REFERENCE_FAULTS = {
    "pooling/max_pool-MaxPool-14-26": "onnx.reference gives other indices than onnxruntime, which lacks bf16",
    "image/image_decoder-ImageDecoder-extension-3": "onnx.reference gives a grey image no channels",
    "image/image_decoder-ImageDecoder-extension-7": "onnx.reference gives the channel of opacity as a colour",
    "strings/texts-StringNormalizer-extension-14": "onnx.reference compares texts in one case with stop words as given",
    "strings/texts-StringNormalizer-extension-15": "onnx.reference drops accents",
}
"""Samples for which a runtime is wrong, and why."""
REFERENCE_FAULTS_BY_OPSET = {
    "normalization/batch_norm_inference-BatchNormInference-5-3": "onnx.reference trains before opset 14",
    "type/cast-Cast-extension-4": "onnx.reference makes the largest number of f8e8m0 NaN",
    "type/cast-Cast-extension-6": "onnx.reference makes infinity no number of f8e8m0",
}
"""Samples for which a runtime is wrong in opsets other than 21, and why."""
BY_REFERENCE = ("Divide", "FloorMod", "Mod", "StringNormalizer")
"""Operations of which onnxruntime ends the process (the lowest integer divided by -1), or needs a system's locale."""


class Outcome(NamedTuple):
    """How a sample fares: `equal`, `unread`, `refused`, `invalid`, `unrun` or `wrong`; why; and its operators."""

    kind: str
    reason: str = ""
    operators: tuple[str, ...] = ()


def outcome_of(sample: Sample, is_open: bool = False, opset: int = DEFAULT_OPSET) -> Outcome:
    """Return how a sample fares, with parameters of known or of open lengths."""
    ir = built(sample, open_shapes(sample) if is_open else {})
    core = Core()
    try:
        model = core.read_model(ir.xml, ir.weights)
    except Error as fault:
        return Outcome("unread", str(fault))
    try:
        content = onnx_bytes(model, opset)
    except UnsupportedError as fault:
        return Outcome("refused", "\n".join(str(fault).split("\n")[1:]) or str(fault))
    proto = onnx.ModelProto.FromString(content)
    try:
        onnx.checker.check_model(proto, full_check=True)
    except Exception as fault:  # noqa: BLE001  # each of onnx's checks raises its own
        return Outcome("invalid", str(fault))
    compiled = core.compile_model(ir.xml, weights=ir.weights)
    ours = list(values_by_port(compiled, [item.value for item in fed(sample)]).values())
    operators = tuple(dict.fromkeys(node.op_type for node in proto.graph.node))
    verdicts = []
    runners = (run_by_reference,) if sample.type in BY_REFERENCE else (run_by_onnxruntime, run_by_reference)
    for run in runners:
        try:
            theirs = run(proto, arrays_of(proto, fed(sample)))
        except Exception as fault:  # noqa: BLE001  # a runtime that lacks an operator or a type
            verdicts.append(Outcome("unrun", " ".join(str(fault).split()), operators))
            continue
        fault_text = difference(ours, theirs, sample.rtol, sample.atol)
        if not fault_text:
            return Outcome("equal", "", operators)
        verdicts.append(Outcome("wrong", f"{run.__name__}: {fault_text}", operators))
    return next((item for item in verdicts if item.kind == "wrong"), verdicts[0])


def open_shapes(sample: Sample) -> dict[int, str]:
    """Return shapes of the sample's parameters, all of whose lengths are open."""
    return {
        position: ",".join(["?"] * np.ndim(operand.value))
        for position, operand in enumerate(sample.inputs)
        if operand is not None and not operand.constant
    }


@cache
def outcomes() -> dict[str, Outcome]:
    """Return how each sample fares, by name."""
    return {name: outcome_of(sample) for name, sample in SAMPLES.items()}


def arrays_of(proto: onnx.ModelProto, items: list[In]) -> dict[str, Any]:
    """Return the feeds of a written model."""
    return {value.name: feed_of(item) for value, item in zip(proto.graph.input, items, strict=True)}


def feed_of(item: In) -> Any:
    if item.type is ElementType.string:
        return item.value.astype(object)
    return item.value.astype(numpy_of(item.type))


def run_by_reference(proto: onnx.ModelProto, feeds: dict[str, Any]) -> list[Any]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return list(ReferenceEvaluator(proto).run(None, feeds))


def run_by_onnxruntime(proto: onnx.ModelProto, feeds: dict[str, Any]) -> list[Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, feeds))


def difference(ours: list[Array], theirs: list[Any], rtol: float, atol: float) -> str:
    """Return how results differ, or an empty text."""
    if len(ours) != len(theirs):
        return f"{len(theirs)} outputs, not {len(ours)}"
    for number, (left, raw) in enumerate(zip(ours, theirs, strict=True)):
        right = np.asarray(raw)
        if left.shape != right.shape:
            return f"output {number} has the shape {right.shape}, not {left.shape}"
        if left.dtype.kind in "OS" or right.dtype.kind in "OSU":
            texts = [
                item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else item for item in left.ravel()
            ]
            if texts != right.ravel().tolist():
                return f"output {number} has other texts"
            continue
        if left.dtype.kind in "biu":
            if not np.array_equal(left, right.astype(left.dtype)):
                return f"output {number} is {right.ravel()[:8]}, not {left.ravel()[:8]}"
            continue
        relative = max(rtol, {2: 1e-3 if left.dtype == np.float16 else 8e-3, 1: 0.13}.get(left.dtype.itemsize, 0))
        a, b = left.astype(np.float64), right.astype(np.float64)
        absolute = max(atol, 2e-6 * float(np.max(np.abs(a[np.isfinite(a)]), initial=0)))
        if not np.allclose(a, b, relative, absolute, equal_nan=True):
            return f"output {number} is {b.ravel()[:8]}, not {a.ravel()[:8]}"
    return ""
