"""Values of properties are checked: what is misspelt is an error that says what may be written."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from ir_plugin import Core
from ir_plugin.errors import InputError
from tests.support.changed import DIGITS

NUMBERS = (
    "auto_batch_timeout", "compilation_num_threads", "inference_num_threads", "key_cache_group_size",
    "value_cache_group_size", "enable_mmap", ".streams.num", ".hint.num_requests", ".hint.allow_auto_batching",
    ".hint.dynamic_quantization_group_size", ".intel_npu.tiles", ".intel_gpu.hint.available_device_mem",
)  # fmt: skip
VALUES: tuple[Any, ...] = (-(2**40), -8, -1, 0, 1, 2**31 - 1, 2**31, 2**40, 2**63, np.uint32(37), np.int8(-3))


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


@pytest.mark.parametrize(
    "value", [-(2**40), -8, -1, 0, 1, 2**31 - 1, 2**31, 2**40, 2**63, np.uint32(37), np.int8(-3)], ids=repr
)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_those_that_openvino_takes(name: str, value: Any) -> None:
    assert accepted("ir_plugin", name, value) == accepted("openvino", name, value)


def accepted(library: str, name: str, value: Any) -> int | None:
    """Return the number that a property has for a value, None where the value is refused."""
    module, _, attribute = name.rpartition(".")
    try:
        pair = getattr(importlib.import_module(f"{library}.properties{module}"), attribute)(value)
    except TypeError:
        return None
    return int(pair[1].value)
