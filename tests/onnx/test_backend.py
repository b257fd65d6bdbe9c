"""ONNX's own backend tests run by `ir_plugin.onnx_backend`: `pytest tests/onnx -k test_gather_`."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from tests.onnx.cases import assert_like, cases, unlike

CASES = cases()
UNLIKE = unlike()


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.filterwarnings("ignore")
def test_onnx(name: str, request: pytest.FixtureRequest) -> None:
    if name in UNLIKE:
        request.applymarker(pytest.mark.xfail(reason=UNLIKE[name], strict=True))
    run(name)


def run(name: str) -> None:
    from ir_plugin import onnx_backend

    case = CASES[name]
    prepared = onnx_backend.prepare(case.model(), "CPU")
    for inputs, expected in case.data():
        outputs = prepared.run(inputs)
        assert len(outputs) == len(expected)
        for ours, reference in zip(outputs, expected, strict=True):
            assert_like(ours, reference, case.test.rtol, case.test.atol)


def test_every_case_of_the_table_exists() -> None:
    assert sorted(set(UNLIKE) - set(CASES)) == []
