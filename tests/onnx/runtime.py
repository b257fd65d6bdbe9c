"""onnxruntime as the oracle of ONNX models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from onnx import helper

import ir_plugin as ov
from tests.onnx.models import model


def assert_as_onnxruntime(proto: Any, feeds: Mapping[str, Any], atol: float = 1e-4) -> None:
    """Hold all outputs of a model against those of onnxruntime."""
    expected = runs(proto, feeds)
    compiled = ov.Core().compile_model(proto)
    read = {name for port in compiled.inputs for name in port.get_names()}
    ours = list(compiled({name: value for name, value in feeds.items() if name in read}).values())
    assert len(ours) == len(expected)
    for name, own, reference in zip((value.name for value in proto.graph.output), ours, expected, strict=True):
        assert own.shape == reference.shape, name
        assert own.dtype == reference.dtype, name
        wide = np.float64 if own.dtype.kind in "fiuV" else own.dtype
        np.testing.assert_allclose(own.astype(wide), reference.astype(wide), rtol=1e-4, atol=atol, err_msg=name)


def runs(proto: Any, feeds: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of onnxruntime."""
    runtime = pytest.importorskip("onnxruntime", reason="the oracle onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    session = runtime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    outputs: list[Any] = session.run(None, dict(feeds))
    return outputs


def single(
    type: str,
    values: Mapping[str, Any],
    outputs: int | list[str] = 1,
    constants: tuple[str, ...] = (),
    domain: str = "com.microsoft",
    version: int = 21,
    dynamic: bool = False,
    **attributes: Any,
) -> tuple[Any, dict[str, Any]]:
    """Return a model of one node and what to feed it; an input whose value is None is absent.

    `constants` are initializers, and the others inputs, with `dynamic` of unknown lengths.
    """
    names = [f"y{k}" for k in range(outputs)] if isinstance(outputs, int) else outputs
    present = {name: np.asarray(value) for name, value in values.items() if value is not None}
    fed = {name: value for name, value in present.items() if name not in constants}
    inputs = {
        name: (helper.np_dtype_to_tensor_dtype(value.dtype), [None] * value.ndim if dynamic else list(value.shape))
        for name, value in fed.items()
    }
    node = helper.make_node(
        type, [name if name in present else "" for name in values], names, "node", domain=domain, **attributes
    )
    proto = model(
        [node],
        inputs,
        [name for name in names if name],
        opset=version,
        initializers={name: present[name] for name in constants if name in present},
        domains={domain: 1} if domain else None,
    )
    return proto, fed
