"""Decoders generate OpenVINO's greedy tokens, and `benchmarks.greedy` reports where they would not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset13

from benchmarks.decoders import EXACT, Builder, Decoder
from benchmarks.greedy import Comparison, Step, compare
from ir_plugin import Core


@pytest.mark.parametrize("kind", ["llama", "llama_int8", "llama_int4", "llama_f16"])
def test_greedy_tokens_are_those_of_openvino(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    sizes = Decoder("small", kind, layers=2, width=192, heads=6, shared=2)
    ov.save_model(Builder(sizes, opset13).model(), path, compress_to_fp16=False)
    judge = ov.Core().compile_model(path, "CPU", EXACT).create_infer_request()
    result = compare(judge, Core().compile_model(path).create_infer_request(), 16, (3, 1, 4, 1, 5))
    assert result.equal == 16
    assert result.margin == 0
    assert result.error < 1e-3


def test_the_first_other_token_has_a_margin() -> None:
    logits = [np.array(values, np.float32) for values in ([1, 3, 2], [2.5, 2, 1], [2, 2.5, 1])]
    expected, actual = ([Step(logits[number], 0.0) for number in order] for order in ((0, 1, 0), (0, 2, 2)))
    result = Comparison(expected, actual)
    assert (result.equal, result.margin, result.error) == (1, 0.5, 1.0)
