"""Numbers of more digits than Python reads or writes are errors of ours, wherever a length is given."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin.openvino.surgery.naming import TensorIndex
from tests.hostile.bases import BASES

DIGITS = "9" * 4301
NUMBER = 10**4301
BASE = BASES["conv"]()
IMAGE = np.zeros((1, 3, 8, 8), np.float32)


def read(old: str, new: str) -> ov.Model:
    return ov.Core().read_model(BASE.xml.replace(old, new, 1).encode(), BASE.weights)


LAYER: str = next(node.name for node in read("x", "x").ordered() if node.type == "Convolution")
ATTACKS: dict[str, Callable[[], object]] = {
    "a text": lambda: ov.Dimension(DIGITS),
    "a negative text": lambda: ov.Dimension(f"-{DIGITS}"),
    "an interval of texts": lambda: ov.Dimension(f"1..{DIGITS}"),
    "an open interval": lambda: ov.Dimension(f"{DIGITS}.."),
    "a number": lambda: ov.Dimension(NUMBER),
    "an interval": lambda: ov.Dimension(0, NUMBER),
    "a comparison": lambda: ov.Dimension(3).compatible(NUMBER),
    "a shape": lambda: ov.PartialShape(f"[1,{DIGITS}]"),
    "a shape of numbers": lambda: ov.PartialShape([1, NUMBER]),
    "a parameter": lambda: read('shape="1,3,8,8"', f'shape="{DIGITS},3,8,8"'),
    "an interval of a parameter": lambda: read('shape="1,3,8,8"', f'shape="1..{DIGITS},3,8,8"'),
    "a constant": lambda: read('shape="4, 3, 3, 3"', f'shape="{DIGITS}, 3"'),
    "a reshape": lambda: read("x", "x").reshape(f"[{DIGITS},3,8,8]"),
    "an input of a model": lambda: read("x", "x").input(NUMBER),
    "an input from the end": lambda: read("x", "x").input(-NUMBER),
    "an input of a node": lambda: read("x", "x").get_results()[0].input(NUMBER),
    "an output of a layer": lambda: TensorIndex(read("x", "x")).select(f"{LAYER}:{DIGITS}", "outputs"),
    "a port of a layer": lambda: TensorIndex(read("x", "x")).select((LAYER, NUMBER), "outputs"),
    "a dimension": lambda: read("x", "x").input(0).partial_shape[NUMBER],
    "a replaced dimension": lambda: ov.PartialShape([1]).replace(NUMBER, 1),
    "a request": lambda: ov.AsyncInferQueue(ov.compile_model(read("x", "x")), 1)[NUMBER],
    "a key of results": lambda: ov.compile_model(read("x", "x"))([IMAGE])[NUMBER],
    "a property": lambda: ov.compile_model(read("x", "x"), "CPU", {"INFERENCE_NUM_THREADS": NUMBER}),
    "an endless property": lambda: ov.compile_model(read("x", "x"), "CPU", {"INFERENCE_NUM_THREADS": math.inf}),
    "a flag": lambda: ov.compile_model(read("x", "x"), "CPU", {"PERF_COUNT": NUMBER}),
    "a reshape by numbers": lambda: read("x", "x").reshape([NUMBER, 3, 8, 8]),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_number_of_thousands_of_digits_is_an_error_of_ours(name: str) -> None:
    with pytest.raises(ov.Error):
        ATTACKS[name]()


def test_a_static_shape_takes_no_such_number() -> None:
    with pytest.raises(ov.Error):
        ov.Shape([NUMBER])
