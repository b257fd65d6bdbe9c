"""Scripts as users of OpenVINO write them, run with OpenVINO and with ir_plugin: both print the same."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "users").glob("*.txt"))
NUMBER = re.compile(r"(?<=[A-Za-z])_?\d+(?=['\]\s]|$)")
"""The number behind the name of a layer, which counts the nodes of the process."""


def printed(script: str, library: str, folder: Path) -> list[str]:
    text = re.sub(r"\bopenvino\b", library, script)
    with redirect_stdout(io.StringIO()) as out:
        exec(compile(text, library, "exec"), {"FOLDER": str(folder)})
    return [NUMBER.sub("", line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_prints_what_openvino_prints(script: Path, tmp_path: Path) -> None:
    text = script.read_text("utf-8")
    theirs, ours = (printed(text, library, tmp_path) for library in ("openvino", "ir_plugin"))
    assert ours == theirs
