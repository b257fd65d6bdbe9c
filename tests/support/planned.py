"""Comparison of kernels with the plain evaluation and OpenVINO's CPU, on graphs built with OpenVINO's API."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov

from ir_plugin import Core
from ir_plugin.kernels.numba.availability import numba_installed
from ir_plugin.tensors import Array, TensorInfo

UNDER_TEST = os.environ.get("PROVIDER_UNDER_TEST")
PROVIDERS = [UNDER_TEST] if UNDER_TEST else ["numpy", *(["numba"] if numba_installed() else [])]
"""The providers that are tested: `dev.py` names one, NumPy's where numba is not installed."""


def hold(
    result: Any, parameters: Sequence[Any], path: Path, rtol: float = 1e-5, openvino: bool = True, seed: int = 0
) -> None:
    """Assert that each provider, in one thread and in two, computes what the plain evaluation and OpenVINO do."""
    model = ov.Model([ov.opset8.result(result)], list(parameters), "held")
    ov.serialize(model, path / "m.xml")
    rng = np.random.default_rng(seed)
    inputs = [rng.standard_normal(list(item.shape)).astype(item.element_type.to_dtype()) for item in parameters]
    core = Core()
    plain = core.compile_model(path / "m.xml", config={"OPTIMIZE": False})(inputs)[0]
    if openvino:
        reference = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        close(plain, reference(inputs)[0], 10 * rtol, "OpenVINO")
    for provider in PROVIDERS:
        for threads in (1, 2):
            config = {"PROVIDER": provider, "INFERENCE_NUM_THREADS": threads}
            compiled = core.compile_model(path / "m.xml", config=config)
            for _ in range(2):
                close(compiled(inputs)[0], plain, rtol, str(config))


def close(actual: Array, expected: Array, rtol: float, message: str, least: float = 1e-3) -> None:
    """Assert that two arrays differ by at most `rtol` of the largest number, and of `least`."""
    assert actual.shape == expected.shape, message
    assert actual.dtype == expected.dtype, message
    scale = float(np.nanmax(np.abs(np.where(np.isfinite(expected), expected, 0)), initial=least))
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * scale, err_msg=message)


def variants(path: Path, provider: str = "numpy") -> dict[str, str]:
    """Return the kernel variant of each step of `m.xml` that has a kernel, by its type."""
    engine = Core().compile_model(path / "m.xml", config={"PROVIDER": provider}).engine
    ports = [node.outputs[0] for node in engine.model.parameters]
    plan = engine.plan(engine.model, [TensorInfo(port.element_type, port.partial_shape) for port in ports])
    return {step.op.type: step.kernel.variant for step in plan.steps if step.kernel is not None}
