"""A network with a batch of any length, its inputs, and the results for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin.tensors import Array

DIGITS = Path(__file__).parents[2] / "samples" / "digits" / "digits.xml"


@pytest.fixture(scope="session")
def digits() -> Path:
    """Return the path of the network."""
    return DIGITS


@pytest.fixture(scope="session")
def images() -> Array:
    """Return 200 images."""
    array: Array = np.load(DIGITS.with_name("images.npy"))[:200]
    return array


@pytest.fixture(scope="session")
def scores(images: Array) -> Array:
    """Return the network's output for all images at once, with one kernel thread."""
    return ov.Core().compile_model(DIGITS, config={"INFERENCE_NUM_THREADS": 1})(images)[0]
