"""Holds models near the patterns of passes against OpenVINO's reference, some of which end its process.

`python -m tests.fuzz.neighbour_worker pad_fusion:17 …` prints a line for each case: its name, a tab, and what differs.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import openvino as ov

from ir_plugin import Error
from ir_plugin.tensors import Array
from tests.fuzz.neighbour_cases import NeighbourCase, case_of
from tests.fuzz.operation_worker import AGREE, print_differences
from tests.support.passes import compiled
from tests.support.planned import close


def planned(case: NeighbourCase, **config: object) -> Any:
    """Return the compiled model of a case, or the error that refuses it."""
    try:
        return compiled(case.model, **config)
    except Error as fault:
        return fault


def computed(model: Any, inputs: list[Array]) -> list[Array] | Error:
    """Return the results of a run, or the error that it or the compiler raises."""
    if isinstance(model, Error):
        return model
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return [np.array(array) for array in model(inputs).to_tuple()]
    except Error as fault:
        return fault


def difference(case: NeighbourCase) -> str:
    """Return how the plain evaluation differs from OpenVINO's reference in a run; `AGREE` where it does not.

    The reference gets the lengths of the run: its MVN writes beyond an output whose lengths are open.
    """
    plain = planned(case, OPTIMIZE=False)
    for inputs in case.runs:
        expected = computed(plain, inputs)
        outputs = [ov.Tensor(port.element_type, ov.Shape([])) for port in case.model.outputs]
        try:
            model = case.model.clone()
            model.reshape({number: list(array.shape) for number, array in enumerate(inputs)})
            is_evaluated = model.evaluate(outputs, [ov.Tensor(array) for array in inputs])
        except RuntimeError:
            continue
        if not is_evaluated or isinstance(expected, Error):
            continue
        try:
            for result, judged in zip(expected, outputs, strict=True):
                close(result, judged.data, 1e-3, case.text)
        except AssertionError as fault:
            return " ".join(str(fault).split())
    return AGREE


if __name__ == "__main__":
    print_differences(lambda name, seed: difference(case_of(name, seed)))
