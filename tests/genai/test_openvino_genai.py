"""`ir_plugin.genai` answers as openvino_genai, which runs in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from ir_plugin import genai
from tests.genai import cases, generation_cases

CASES = [(module, name) for module in (cases, generation_cases) for name in module.CASES]


@cache
def expected(module: ModuleType) -> Any:
    program = [sys.executable, str(module.__file__), "openvino_genai"]
    return json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)


def adopted(own: Any, theirs: Any) -> Any:
    """Return answers whose numbers, such as scores, are those of others where they are close to them."""
    if isinstance(own, list) and isinstance(theirs, list) and len(own) == len(theirs):
        return [adopted(one, other) for one, other in zip(own, theirs, strict=True)]
    is_close = isinstance(own, float) and own == pytest.approx(theirs, rel=1e-4, abs=1e-3)
    return theirs if is_close else own


@pytest.mark.parametrize(("module", "name"), CASES, ids=[name for _, name in CASES])
def test_answers_as_openvino_genai(module: ModuleType, name: str) -> None:
    theirs = expected(module)[name]
    assert adopted(json.loads(json.dumps(module.CASES[name](genai))), theirs) == theirs
