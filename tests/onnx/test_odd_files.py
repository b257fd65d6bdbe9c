"""ONNX files that no exporter writes: each ends in one of our errors, located, or is read as onnxruntime reads it."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import TensorProto, helper

import ir_plugin as ov
from tests.onnx.runtime import single


def test_a_model_of_thousands_of_equal_nodes_is_checked_in_time() -> None:
    import time

    attention, _ = single("Attention", {}, 1, domain="")
    attention.graph.node.extend([attention.graph.node[0]] * 1500)
    begin = time.process_time()
    assert "ON201" in [finding.code for finding in ov.Core().validate(attention).findings]
    assert time.process_time() - begin < 10


@pytest.mark.parametrize(("least", "most"), [(0, 3), (3, 2), (1, 0), (1, 2**40)])
def test_impossible_lengths_of_suffixes_are_refused(least: int, most: int) -> None:
    shape = [None]
    node = helper.make_node(
        "BifurcationDetector", ["s", "t"], ["u", "k"], domain="com.microsoft", min_ngram_size=least, max_ngram_size=most
    )
    ends = [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("s", "t", "u")]
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(helper.make_graph([node], "g", ends[:2], ends[2:]), opset_imports=imports)
    with pytest.raises(ov.ReadError, match="max_ngram_size"):
        ov.Core().read_model(model)
