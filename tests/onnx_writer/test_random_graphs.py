"""Random graphs written as ONNX: accepted by the checker of onnx, and computed by its runtimes as by us."""

from __future__ import annotations

import random
from collections import Counter

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")
pytest.importorskip("onnxruntime", reason="the extra [test]")

import onnx

import ir_plugin as ov
from ir_plugin.frontends.onnx_writer.writing import onnx_bytes
from tests.fuzz.graph import ValidIR
from tests.fuzz.valid import grown
from tests.onnx_writer.cases import difference, run_by_onnxruntime, run_by_reference

BLOCK = 50
BLOCKS = [
    *((21, first) for first in range(0, 500, BLOCK)),
    *((opset, 500 + BLOCK * number) for number, opset in enumerate((11, 12, 13, 15, 17, 18, 19, 20, 23, 24))),
]
"""Opsets, and the first of the seeds of the graphs that are written in them."""
FEWEST_EQUAL = 40
"""How many graphs of a block are written and run by a runtime at least."""
REFUSED = (
    "ONNX's align_corners by scales uses lengths that are not rounded", "ONNX's Resize has no equal for open lengths",
    "does not round by the direction of each axis", "lacks the element type", "gives no bf16",
)  # fmt: skip
"""Parts of the reasons for which graphs may be refused: Interpolate of open lengths, and types of newer opsets."""


def outcome(ir: ValidIR, opset: int) -> str:
    """Return how a graph fares: `equal`, `refused`, `unrun`, or how it is wrong."""
    model = ov.Core().read_model(ir.xml, ir.weights)
    try:
        content = onnx_bytes(model, opset)
    except ov.UnsupportedError as fault:
        reasons = str(fault).split("\n")[1:]
        unexpected = [reason for reason in reasons if not any(part in reason for part in REFUSED)]
        return unexpected[0] if unexpected else "refused"
    proto = onnx.ModelProto.FromString(content)
    onnx.checker.check_model(proto, full_check=True)
    ours = list(ov.Core().compile_model(model, config={"OPTIMIZE": False})(ir.inputs).values())
    feeds = dict(zip((value.name for value in proto.graph.input), ir.inputs, strict=True))
    rtol, atol = (3e-2, 3e-2) if b"f16" in ir.xml else (1e-5, 1e-5)
    try:
        theirs = run_by_onnxruntime(proto, feeds)
    except Exception:  # noqa: BLE001  # onnxruntime lacks bf16 in most operators
        theirs = None
    if theirs is None:
        if opset < 14:  # onnx.reference trains BatchNormalization
            return "unrun"
        try:
            theirs = run_by_reference(proto, feeds)
        except Exception:  # noqa: BLE001  # onnx.reference lacks loops without iterations
            return "unrun"
    return difference(ours, theirs, rtol, atol) or "equal"


@pytest.mark.parametrize(("opset", "first"), BLOCKS, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_random_graphs_have_our_results(opset: int, first: int) -> None:
    counts: Counter[str] = Counter()
    faults = []
    for seed in range(first, first + BLOCK):
        kind = outcome(grown(random.Random(seed)), opset)
        counts[kind] += 1
        if kind not in ("equal", "refused", "unrun"):
            faults.append(f"seed {seed}: {kind}")
    assert not faults, "\n".join(faults)
    assert counts["equal"] > FEWEST_EQUAL, counts
