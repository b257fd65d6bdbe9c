"""Lines of scripts, run with OpenVINO and with ir_plugin: both print the same, and refuse the same.

What OpenVINO refuses with a TypeError, IndexError, KeyError or ValueError is an error of that kind here.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin
from tests.api.nets import EDGES, LAYERS, SE, STATE, WEIGHTS, net
from tests.support.changed import with_bodies

KINDS = (TypeError, IndexError, KeyError, ValueError)
LINES = Path(__file__).with_name("lines.txt")


@cache
def statements() -> list[str]:
    text = LINES.read_text()
    lines = text.splitlines()
    return ["\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in ast.parse(text).body]


def printed(
    library: Any, refusals: tuple[type[Exception], ...], folder: Path
) -> tuple[list[str], list[list[Exception]]]:
    """Run all lines, and return for each what it prints and whether it is refused, and the errors that refused it."""
    lines: list[str] = []
    faults: list[list[Exception]] = []

    def refuses(call: Callable[..., object], *arguments: object) -> str:
        try:
            call(*arguments)
        except refusals as fault:
            faults[-1].append(fault)
            return "refused"
        except Exception as fault:  # noqa: BLE001 (any other is what the test looks for)
            return f"raises {fault!r}"
        return "accepted"

    def ports(listed: Any) -> list[tuple[list[str], str, str]]:
        return [(sorted(port.names), str(port.partial_shape), repr(port.element_type)) for port in listed]

    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 3, 4)
    y = np.array([0.5, -0.5, 0.25], np.float32).reshape(1, 3, 1)
    space = {
        "ov": library,
        "np": np,
        "Path": Path,
        "refuses": refuses,
        "ports": ports,
        "X": x,
        "Y": y,
        "folder": folder,
    }
    space |= {"MODEL": folder / "net.xml", "STATEFUL": folder / "state.xml", "LOOP": folder / "loop.xml"}
    for line in statements():
        shown: list[str] = []
        faults.append([])
        space["show"] = lambda *values, shown=shown: shown.append(" ".join(map(str, values)))
        shown.append(refuses(exec, compile(line, LINES.name, "exec"), space))
        lines.append("\n".join(shown))
    return lines, faults


Runs = tuple[tuple[list[str], list[list[Exception]]], ...]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    outputs = []
    for library, refusals in ((openvino, (Exception,)), (ir_plugin, (RuntimeError, AttributeError))):
        folder = tmp_path_factory.mktemp(library.__name__)
        with_bodies(folder / "loop.xml")
        for name, text, weights in (
            ("net", net(LAYERS, EDGES), WEIGHTS),
            ("state", net(STATE, SE), np.array([2], np.float32).tobytes()),
        ):
            (folder / f"{name}.xml").write_text(text)
            (folder / f"{name}.bin").write_bytes(weights)
        with warnings.catch_warnings(), np.printoptions(precision=4, suppress=True):
            warnings.simplefilter("ignore")
            outputs.append(printed(library, refusals, folder))
    return tuple(outputs)


def test_lines_do_the_same(runs: Runs) -> None:
    (theirs, _), (ours, _) = runs
    assert [entry for entry in zip(statements(), theirs, ours, strict=True) if entry[1] != entry[2]] == []


def test_errors_are_of_the_same_kinds(runs: Runs) -> None:
    (_, theirs), (_, ours) = runs
    pairs = [
        (line, expected, fault)
        for line, *both in zip(statements(), theirs, ours, strict=True)
        for expected, fault in zip(*both, strict=True)
    ]
    wrong = [entry for entry in pairs if type(entry[1]) in KINDS and not isinstance(entry[2], type(entry[1]))]
    assert wrong == []


def test_most_lines_print_something(runs: Runs) -> None:
    assert sum("accepted" in line for line in runs[0][0]) > 100
