"""Samples of operations on texts, with results of OpenVINO's wheel of tokenizers.

`python -m tests.support.wheel --python PYTHON --store tests/operations/text/stored.json` writes them by a Python that
has the wheel.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.sample import In, Sample, const, param
from tests.support.wheel import read

OURS = "OpenVINO needs its library of tokenizers"


def _sample(entry: dict[str, Any]) -> Sample:
    inputs = [_input(*stored) for stored in entry["inputs"]]
    results = [read(stored) for stored in entry["expected"]]
    expected: Any = results if len(results) > 1 else results[0]
    return Sample(
        entry["type"], entry["version"], inputs, entry["attributes"], expected, outputs=len(results),
        openvino=OURS, openvino_shapes=OURS,
    )  # fmt: skip


def _input(type: str, shape: list[int], items: Any, is_constant: bool) -> In:
    array = read((type, shape, items))
    return const(array, type) if is_constant else param(array, type)


def samples_of(name: str) -> list[Sample]:
    """Return the samples of a file."""
    return [_sample(entry) for entry in json.loads(Path(__file__).with_name(name).read_text("utf-8"))]


SAMPLES = samples_of("stored.json")
