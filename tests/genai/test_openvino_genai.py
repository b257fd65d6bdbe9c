"""`ir_plugin.genai` answers as openvino_genai, which runs in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ir_plugin import genai as ov_genai
from tests.genai import cases


@pytest.fixture(scope="module")
def expected() -> Any:
    program = Path(cases.__file__)
    run = subprocess.run([sys.executable, str(program), "openvino_genai"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize("name", cases.CASES)
def test_answers_as_openvino_genai(name: str, expected: Any) -> None:
    assert json.loads(json.dumps(cases.CASES[name](ov_genai))) == expected[name]
