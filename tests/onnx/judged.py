"""Models that are run by onnxruntime and by ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest

from ir_plugin import onnx_backend


def by_onnxruntime(proto: Any, feeds: Mapping[str, Any]) -> list[Any]:
    """Return onnxruntime's outputs."""
    onnxruntime = pytest.importorskip("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    outputs: list[Any] = session.run(None, dict(feeds))
    return outputs


def of_text(text: str, ir_version: int = 8, **opsets: int) -> Any:
    """Return the model of ONNX's text form; `ml=3` imports the domain ai.onnx.ml."""
    version, ml = opsets.get("opset", 16), opsets.get("ml")
    imports = f'"" : {version}' + (f', "ai.onnx.ml" : {ml}' if ml else "")
    return onnx.parser.parse_model(f"<ir_version: {ir_version}, opset_import: [{imports}]>\n{text}")


def assert_same(ours: Any, theirs: Any, atol: float = 1e-5) -> None:
    """Raise unless two outputs are equal: arrays, lists of them, or lists of dictionaries."""
    if isinstance(theirs, list) and not (theirs and isinstance(theirs[0], (str, float, int))):
        assert len(ours) == len(theirs)
        for left, right in zip(ours, theirs, strict=True):
            assert_same(left, right, atol)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        np.testing.assert_allclose(list(ours.values()), list(theirs.values()), atol=atol)
    elif theirs is None:
        assert ours is None
    else:
        expected = np.asarray(theirs)
        assert np.shape(ours) == expected.shape
        if expected.dtype.kind in "OUS":
            assert np.asarray(ours).tolist() == expected.tolist()
        else:
            assert ours.dtype == expected.dtype
            np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=atol)


def judge(proto: Any, feeds: Mapping[str, Any], atol: float = 1e-5) -> Sequence[Any]:
    """Hold our outputs against onnxruntime's, and return them."""
    ours: Sequence[Any] = onnx_backend.run_model(proto, dict(feeds))
    theirs = by_onnxruntime(proto, feeds)
    assert len(ours) == len(theirs)
    for left, right in zip(ours, theirs, strict=True):
        assert_same(left, right, atol)
    return ours
