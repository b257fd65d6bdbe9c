"""Every definition with scalars in place of all its inputs: by plans, plain, and as a constant, or refused at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin.errors import EvaluationError, ValidationError
from tests.support.collect import samples
from tests.support.oracle import built
from tests.support.sample import In, Sample


def scalar(item: In | None, is_constant: bool) -> In | None:
    """Return an input of the first element of another."""
    return None if item is None else In(item.value.reshape(-1)[0], item.type, is_constant)


def of_scalars(sample: Sample, constant: bool) -> Sample:
    """Return a sample all of whose inputs are scalars; with `constant` all but the first are constants."""
    inputs = [scalar(item, constant and position > 0) for position, item in enumerate(sample.inputs)]
    return replace(sample, inputs=inputs, shapes=())


def first_samples() -> dict[str, Sample]:
    """Return a sample of every definition whose inputs have elements, and which is a function of them."""
    chosen: dict[str, Sample] = {}
    for _, sample in samples():
        present = [item for item in sample.inputs if item is not None]
        if present and all(item.value.size and item.value.dtype.kind != "O" for item in present):
            chosen.setdefault(f"{sample.type}-{sample.version}", sample)
    return {name: sample for name, sample in chosen.items() if sample.type not in (*RANDOM, *OF_TEXTS)}


RANDOM = ("Multinomial", "RandomUniform", "RandomNormal", "Bernoulli", "Dropout", "Range")
"""What makes random numbers, or as many elements as the inputs say."""
OF_TEXTS = ("CombineSegments", "NumericToString")
"""What reads rows of elements, or makes texts."""
SAMPLES = first_samples()


def run(sample: Sample, optimize: bool) -> list[Any] | None:
    """Return the outputs, or None where the layer is refused, in the run for an axis that is fed."""
    ir = built(sample, {})
    try:
        model = ov.Core().read_model(ir.xml, ir.weights)
    except ValidationError:
        return None
    compiled = ov.Core().compile_model(model, "CPU", {"OPTIMIZE": optimize})
    operands = [item for item in (sample.inputs[position] for position in ir.parameters) if item is not None]
    try:
        return list(compiled([item.value for item in operands]).values())
    except EvaluationError as fault:
        if not str(fault).endswith("allowed are none, as the tensor is a scalar"):
            raise
        return None


@pytest.mark.parametrize("constant", [False, True], ids=["fed", "constant"])
@pytest.mark.parametrize("name", SAMPLES)
def test_scalars(name: str, constant: bool) -> None:
    sample = of_scalars(SAMPLES[name], constant)
    planned, plain = run(sample, True), run(sample, False)
    assert (planned is None) == (plain is None)
    for own, expected in zip(planned or [], plain or [], strict=True):
        assert own.shape == expected.shape
        np.testing.assert_allclose(own.astype(np.float64), expected.astype(np.float64), 1e-4, 1e-5)
