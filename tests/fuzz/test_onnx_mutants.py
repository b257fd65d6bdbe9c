"""The program that feeds mutated ONNX models: mutants depend on their number alone, and every fault is counted."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from tests.fuzz.entries import SECONDS
from tests.fuzz.onnx_mutants import GROWTH, mutant, report, run


def test_mutants_are_repeatable_and_of_every_kind() -> None:
    made = [mutant(number) for number in range(40)]
    assert made == [mutant(number) for number in range(40)]
    assert {name.rpartition(": ")[2] for name, _ in made} == {"meaning", "fields", "wire", "bytes"}


@pytest.mark.skipif(not hasattr(__import__("signal"), "SIGXCPU"), reason="limits of processes are those of POSIX")
def test_mutants_end_in_models_or_errors_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(run(0, 25)) == 0
    assert "25 mutants" in capsys.readouterr().out


def test_each_kind_of_fault_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    usual: dict[str, object] = {"name": "add: fields", "reached": "run", "seconds": 0.1, "growth": 0}
    outcomes: list[dict[str, object]] = [
        usual,
        usual | {"seconds": SECONDS + 1},
        usual | {"growth": GROWTH + 1},
        usual | {"reached": "foreign exception", "fault": "KeyError"},
        {"name": "add: fields", "reached": "hang", "fault": "the frames"},
    ]
    assert report({"number": number} | outcome for number, outcome in enumerate(outcomes)) == 4
    assert "2 hang" in capsys.readouterr().out
