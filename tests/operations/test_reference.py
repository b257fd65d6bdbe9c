"""Samples against OpenVINO's reference implementation, which `Model.evaluate` runs for some of the operations."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest

from ir_plugin.tensors import Array
from tests.operations.test_samples import run_ours
from tests.support.collect import samples
from tests.support.oracle import built, from_openvino, openvino_core, openvino_tensor
from tests.support.sample import Sample

TYPES = ("BinaryConvolution", "CumSum", "LSTMCell", "MatrixNms", "NormalizeL2", "ROIAlign", "SegmentMax")
"""Types that follow OpenVINO against the page; its reference agrees, where the wheel has one."""


def ends_the_process(sample: Sample) -> bool:
    """Return whether the wheel's reference ends the process: CumSum of a scalar, which its CPU computes."""
    data = sample.inputs[0]
    return sample.type == "CumSum" and data is not None and data.value.ndim == 0


SAMPLES = {
    name: sample
    for name, sample in samples()
    if sample.type in TYPES and not sample.openvino and not ends_the_process(sample)
}


def reference(sample: Sample) -> list[Array] | None:
    """Return the outputs of `Model.evaluate` for a sample, or None where the wheel has no reference."""
    ir = built(sample, {})
    model = openvino_core().read_model(ir.xml, ir.weights)
    operands = [item for item in (sample.inputs[position] for position in ir.parameters) if item is not None]
    outputs = [ov.Tensor(port.get_element_type(), port.get_shape()) for port in model.outputs]
    try:
        done: Any = model.evaluate(outputs, [openvino_tensor(item) for item in operands])
    except RuntimeError:
        return None
    return [from_openvino(tensor) for tensor in outputs] if done else None


def has_static_outputs(sample: Sample) -> bool:
    ir = built(sample, {})
    return all(port.get_partial_shape().is_static for port in openvino_core().read_model(ir.xml, ir.weights).outputs)


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if has_static_outputs(sample)])
def test_agrees_with_the_reference(name: str) -> None:
    sample = SAMPLES[name]
    expected = reference(sample)
    for array, right in zip(run_ours(built(sample, {}), sample).values(), expected or [], strict=False):
        atol = 1e-2 if array.dtype.itemsize == 2 else max(sample.atol, 1e-5)
        np.testing.assert_allclose(array, right, max(sample.rtol, 1e-4), atol)


def test_the_reference_can_be_asked() -> None:
    types = {sample.type for sample in SAMPLES.values() if has_static_outputs(sample) and reference(sample) is not None}
    assert "ROIAlign" in types
