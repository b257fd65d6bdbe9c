"""Lines of scripts about modules and small classes, run with OpenVINO and with ir_plugin: both print the same."""

from __future__ import annotations

import ast
import importlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

LINES = Path(__file__).with_name("lines_modules.txt")


def statements() -> list[str]:
    text = LINES.read_text()
    return [ast.get_source_segment(text, node) or "" for node in ast.parse(text).body]


def error(call: Callable[..., object], *arguments: object) -> Exception | None:
    try:
        call(*arguments)
    except Exception as fault:  # noqa: BLE001 (the caller looks at it)
        return fault
    return None


def printed(library: str) -> list[str]:
    """Run all lines, and return for each what it prints and whether it is refused."""

    def refuses(call: Callable[..., object], *arguments: object) -> str:
        return "accepted" if error(call, *arguments) is None else "refused"

    space: dict[str, Any] = {"ov": importlib.import_module(library), "np": np, "refuses": refuses, "error": error}
    space["module"] = lambda name: importlib.import_module(f"{library}.{name}")
    lines = []
    for line in statements():
        shown: list[str] = []
        space["show"] = lambda *values, shown=shown: shown.append(" ".join(map(str, values)))
        shown.append(refuses(exec, compile(line, LINES.name, "exec"), space))
        lines.append("\n".join(shown))
    return lines


def test_lines_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENVINO_TELEMETRY", "0")
    with warnings.catch_warnings(), np.printoptions(precision=4, suppress=True):
        warnings.simplefilter("ignore")
        theirs, ours = printed("openvino"), printed("ir_plugin")
    assert [entry for entry in zip(statements(), theirs, ours, strict=True) if entry[1] != entry[2]] == []
    assert sum("accepted" in line for line in theirs) > 60
