"""Exit statuses mean the same for every verb, and are those that the documentation lists."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from ir_plugin.cli import main
from ir_plugin.cli.app import VERBS
from ir_plugin.cli.status import DONE, INTERRUPTED, UNUSABLE, WRONG
from tests.support.changed import DIGITS, change_weight

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "validate-in-ci.md"
OF_MODELS = (
    "check",
    "info",
    "run",
    "dump",
    "compare",
    "profile",
    "benchmark",
    "graph",
    "cut",
    "reduce",
    "simplify",
    "convert",
)
MORE = {
    "compare": ["--with", str(DIGITS)],
    "profile": ["-n", "1"],
    "benchmark": ["-t", "0.01"],
    "run": ["--quiet"],
    "cut": ["--to", "conv3", "-o", "part.xml"],
    "reduce": ["--when", "false", "-o", "reduced.xml"],
    "simplify": ["-o", "simple.xml"],
    "convert": ["-o", "converted.xml"],
}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    weights = DIGITS.with_suffix(".bin").read_bytes()
    texts = {
        "broken": "<net",
        "wrong": DIGITS.read_text().replace("<dim>24</dim>", "<dim>25</dim>"),
        "cut": DIGITS.read_text(),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.xml").write_text(text)
        (tmp_path / f"{name}.bin").write_bytes(weights if name != "cut" else weights[:100])
    change_weight(DIGITS, "conv3/weight", 5, 2.0, tmp_path / "other.xml")
    os.mkfifo(tmp_path / "pipe.xml")
    return tmp_path


def status_of(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["ir-plugin", *map(str, words)])
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


def test_the_page_lists_every_status() -> None:
    listed = re.findall(r"^\| (\d+) \| .+ \| .+ \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert list(map(int, listed)) == [DONE, WRONG, UNUSABLE, INTERRUPTED]


@pytest.mark.parametrize("verb", OF_MODELS)
def test_statuses_of_models(monkeypatch: pytest.MonkeyPatch, models: Path, verb: str) -> None:
    monkeypatch.chdir(models)
    more = MORE.get(verb, [])
    assert status_of(monkeypatch, verb, DIGITS, *more) == DONE
    assert status_of(monkeypatch, verb, models / "broken.xml", *more) == WRONG
    for name in ("wrong", "cut"):
        assert status_of(monkeypatch, verb, models / f"{name}.xml", *more) == (DONE if verb == "graph" else WRONG)
    for name in ("missing", "pipe"):
        assert status_of(monkeypatch, verb, models / f"{name}.xml", *more) == UNUSABLE
    assert status_of(monkeypatch, verb, DIGITS, "--no-such-option") == UNUSABLE
    assert status_of(monkeypatch, verb) == UNUSABLE


CALLS: dict[str, tuple[int, list[object]]] = {
    "a layer that differs": (WRONG, ["compare", "other.xml", "--with", DIGITS]),
    "layers that agree": (DONE, ["compare", DIGITS, "--with", DIGITS]),
    "no such reference": (UNUSABLE, ["compare", DIGITS, "--with", "nothing"]),
    "a reference that is not there": (UNUSABLE, ["compare", DIGITS, "--with", "none.onnx"]),
    "a warning that is no error": (DONE, ["check", DIGITS]),
    "one of several files cannot be read": (UNUSABLE, ["check", "wrong.xml", "pipe.xml"]),
    "no such code": (UNUSABLE, ["check", DIGITS, "--select", "XX"]),
    "an input that does not fit": (UNUSABLE, ["run", DIGITS, "-i", "images=2x3"]),
    "an input that is not there": (UNUSABLE, ["dump", DIGITS, "-i", "none.npy"]),
    "an input that is not an array": (UNUSABLE, ["profile", DIGITS, "-i", "broken.xml"]),
    "no such property": (UNUSABLE, ["benchmark", DIGITS, "--config", "NOTHING=1"]),
    "no such layer": (UNUSABLE, ["dump", DIGITS, "-l", "nothing"]),
    "a limit of the run": (WRONG, ["run", DIGITS, "--config", "MEMORY_LIMIT=10"]),
    "a file that cannot be written": (UNUSABLE, ["run", DIGITS, "-o", "none/out.npz"]),
    "a drawing that cannot be written": (UNUSABLE, ["graph", DIGITS, "-o", "none/out.html"]),
    "findings that cannot be written": (UNUSABLE, ["check", DIGITS, "--output", "none/out.json"]),
    "a page that cannot be written": (UNUSABLE, ["compare", DIGITS, "--with", DIGITS, "--html", "none/out.html"]),
    "a shape that does not fit": (WRONG, ["info", DIGITS, "--shape", "1x2"]),
    "models that are equal": (DONE, ["diff", DIGITS, DIGITS]),
    "models that differ": (WRONG, ["diff", DIGITS, "other.xml"]),
    "models that differ, written": (WRONG, ["diff", DIGITS, "other.xml", "-o", "other.json"]),
    "a model to compare that is not there": (UNUSABLE, ["diff", DIGITS, "missing.xml"]),
    "a model to compare that is broken": (UNUSABLE, ["diff", "broken.xml", DIGITS]),
    "a model to compare whose weights are cut": (UNUSABLE, ["diff", DIGITS, "cut.xml"]),
    "no such format of a difference": (UNUSABLE, ["diff", DIGITS, DIGITS, "--format", "yaml"]),
    "a difference that cannot be written": (UNUSABLE, ["diff", DIGITS, DIGITS, "-o", "none/out.html"]),
    "one model to compare": (UNUSABLE, ["diff", DIGITS]),
    "no such layer to cut at": (UNUSABLE, ["cut", DIGITS, "--from", "nothing", "-o", "part.xml"]),
    "no place to cut at": (UNUSABLE, ["cut", DIGITS, "-o", "part.xml"]),
    "no file for a part": (UNUSABLE, ["cut", DIGITS, "--to", "conv3"]),
    "a part that would replace the model": (UNUSABLE, ["cut", DIGITS, "--to", "conv3", "-o", DIGITS]),
    "a part that cannot be written": (UNUSABLE, ["cut", DIGITS, "--to", "conv3", "-o", "broken.xml/part.xml"]),
    "a command that does not fail": (UNUSABLE, ["reduce", DIGITS, "--when", "true"]),
    "a model that would replace itself": (UNUSABLE, ["simplify", DIGITS, "-o", DIGITS]),
    "no such tensor to convert to": (UNUSABLE, ["convert", DIGITS, "--output", "nothing", "-o", "converted.xml"]),
    "an IR that would replace the model": (UNUSABLE, ["convert", DIGITS, "-o", DIGITS]),
    "no such code to explain": (UNUSABLE, ["explain", "IR999"]),
    "a code that is explained": (DONE, ["explain", "IR302"]),
    "operations that are listed": (DONE, ["ops", "gather"]),
    "no such verb": (UNUSABLE, ["chek"]),
    "no verb": (UNUSABLE, []),
    "the version": (DONE, ["--version"]),
}


@pytest.mark.parametrize("name", CALLS)
def test_statuses_of_calls(monkeypatch: pytest.MonkeyPatch, models: Path, name: str) -> None:
    monkeypatch.chdir(models)
    expected, words = CALLS[name]
    assert status_of(monkeypatch, *words) == expected


def test_every_verb_is_held() -> None:
    assert set(VERBS) == {
        *OF_MODELS,
        "diff",
        "map",
        "report",
        "serve",
        "ops",
        "explain",
        "warm",
        "tokenize",
        "generate",
        "chat",
    }


def test_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **_more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ir_plugin.openvino.api.Core.compile_model", interrupt)
    assert status_of(monkeypatch, "run", DIGITS) == INTERRUPTED
