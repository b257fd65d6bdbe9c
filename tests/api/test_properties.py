"""Values of properties are checked: what is misspelt is an error that says what may be written."""

from __future__ import annotations

from typing import Any

import pytest

from ir_plugin import Core
from ir_plugin.errors import InputError
from tests.support.changed import DIGITS


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("PROVIDER", "NumPy", "numpy"),
        ("WINOGRAD", "2", 2),
        ("GATHER_OUT_OF_RANGE", "zeros", "ZEROS"),
        ("DISABLED_PASSES", "epilogue_fusion, dead_code", ("epilogue_fusion", "dead_code")),
        ("DISABLED_PASSES", ["dead_code"], ("dead_code",)),
        ("DISABLED_PASSES", "", ()),
        ("OPTIMIZE", "no", False),
        ("INFERENCE_NUM_THREADS", "1", 1),
    ],
)
def test_values_are_read_whichever_way_they_are_written(name: str, value: Any, expected: Any) -> None:
    compiled = Core().compile_model(DIGITS, config={name: value})
    assert compiled.get_property(name) == expected
    assert type(compiled.get_property(name)) is type(expected)


def test_a_provider_that_is_asked_for_has_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ir_plugin.kernels.numba.availability.numba_fault", lambda: "numba is absent; install it")
    with pytest.raises(InputError, match="'numba', which cannot be used: numba is absent; install it, or write"):
        Core().compile_model(DIGITS, config={"PROVIDER": "numba"})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PROVIDER", "nmpy", "is one of 'auto', 'numpy', 'numba', not 'nmpy'"),
        ("WINOGRAD", 3, "is one of 0, 2, 4, not 3"),
        ("GATHER_OUT_OF_RANGE", True, "is one of 'AUTO', 'ERROR', 'ZEROS', not True"),
        ("DISABLED_PASSES", "ded_code", "no pass 'ded_code'; did you mean \"dead_code\""),
        ("DISABLED_PASSES", ["all of them"], "no pass 'all of them'; known are quantize_dequantize_fusion"),
        ("DISABLED_PASSES", 7, "a sequence of names of passes, not 7"),
        ("MEMORY_LIMIT", "16GB", "is a whole number, not '16GB'"),
    ],
)
def test_what_cannot_be_meant_is_an_error(name: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Core().compile_model(DIGITS, config={name: value})
    with pytest.raises(InputError, match=message):
        Core().set_property({name: value})
