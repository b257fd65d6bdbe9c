from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from tests.onnx.operators import PAGE, operators, text


def test_the_page_of_onnx_operators_is_current() -> None:
    assert PAGE.read_text("utf-8") == text(), "run python -m tests.onnx.operators"


def test_versions_that_onnx_defines_by_functions_are_supported() -> None:
    support = {(name, version.number): version.support for (_, name), known in operators().items() for version in known}
    assert support["Relu", 14] == "translator"
    assert support["Celu", 12] in ("translator", "function")
