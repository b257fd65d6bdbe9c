"""The ONNX models to mutate: ONNX's own backend tests, and a node of each operator of com.microsoft."""

from __future__ import annotations

from functools import cache

from onnx import ModelProto

from tests.onnx.cases import cases
from tests.onnx.runtime import single
from tests.onnx.test_microsoft import CASES as MICROSOFT

LARGEST = 4000


@cache
def sources() -> list[tuple[str, bytes]]:
    """Return the names and the bytes of the small models."""
    models = [(case.name, case.test.model) for case in cases().values() if isinstance(case.test.model, ModelProto)]
    for type, values, outputs, constants, attributes in MICROSOFT:
        models.append((f"microsoft {type}", single(type, values, outputs, constants, version=18, **attributes)[0]))
    serialized = [(name, bytes(model.SerializeToString())) for name, model in models]
    return [(name, data) for name, data in serialized if len(data) < LARGEST]
