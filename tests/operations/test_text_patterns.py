"""The operations on texts that need the package `regex`, against stored results of OpenVINO's wheel of tokenizers."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from ir_plugin import Core, Error
from tests.operations.text.stored import samples_of
from tests.support.oracle import built, fed
from tests.support.results import values_by_port
from tests.support.sample import In, Sample, param
from tests.support.skips import NO_TEXT
from tests.support.text_inputs import bytes_of, decomposed, parameters
from tests.support.wheel import are_equal

needs_regex = pytest.mark.skipif(importlib.util.find_spec("regex") is None, reason=NO_TEXT)
SAMPLES = {f"{sample.type}-{number}": sample for number, sample in enumerate(samples_of("stored_patterns.json"))}


@needs_regex
@pytest.mark.parametrize("name", SAMPLES)
def test_results_are_those_of_the_wheel(name: str) -> None:
    sample = SAMPLES[name]
    for optimize in (True, False):
        assert are_equal(_computed(sample, optimize), sample.expected)


def _computed(sample: Sample, optimize: bool = True) -> list[object]:
    ir = built(sample, {})
    compiled = Core().compile_model(ir.xml, weights=ir.weights, config={"OPTIMIZE": optimize})
    return list(values_by_port(compiled, [item.value for item in fed(sample)]).values())


def _split(text: str, pattern: str, **attributes: object) -> list[bytes]:
    positions = [np.array([0], np.int32), np.array([1], np.int32)]
    inputs: list[In] = [*parameters([*positions, *decomposed([text.encode()])]), param([False]), bytes_of(pattern)]
    outputs = _computed(Sample("RegexSplit", "extension", inputs, attributes, outputs=6))
    begins, ends = (np.asarray(array).tolist() for array in outputs[2:4])
    return [text.encode()[begin:end] for begin, end in zip(begins, ends, strict=True)]


@needs_regex
@pytest.mark.parametrize(
    ("text", "behaviour", "pieces"),
    [
        ("the-final--count", "mergedwithprevious", [b"the-", b"final-", b"-", b"count"]),
        ("the-final--count", "mergedwithnext", [b"the", b"-final", b"-", b"-count"]),
        ("-one-", "mergedwithnext", [b"-one", b"-"]),
    ],
)
def test_matches_side_by_side_are_merged_as_hugging_face_does(text: str, behaviour: str, pieces: list[bytes]) -> None:
    assert _split(text, "-", behaviour=behaviour) == pieces


@needs_regex
def test_there_are_at_most_so_many_splits() -> None:
    assert _split("a b c d", " ", behaviour="isolate", max_splits=2) == [b"a", b" ", b"b c d"]


@needs_regex
def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(Error, match=r'"layer".*cannot be compiled'):
        _split("a", "(")


def test_without_the_package_the_error_names_the_layer_and_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(Error, match=r'"layer".*pip install regex'):
        _split("a", " ")
