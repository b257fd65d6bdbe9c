"""Random graphs of open lengths by their seeds, and what engines make of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

from ir_plugin import Core, Error
from ir_plugin.tensors import Array
from tests.fuzz.dynamic_graphs import DynamicCase, around, dynamic_case, sample_of
from tests.fuzz.dynamic_states import AROUND
from tests.fuzz.operation_engines import CONFIGS, Outcome


def case_of(definition: str, seed: int) -> DynamicCase:
    """Return a random graph around a layer of a definition; the same seed gives the same graph."""
    chance = Random(f"{definition}:{seed}:dynamic")
    return dynamic_case(chance, AROUND.get(definition) or partial(around, sample=sample_of(definition, chance)))


def compiled(case: DynamicCase, config: str, arrays: Sequence[Array] = ()) -> Any:
    """Return the compiled graph, for the shapes of arrays if there are any."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Core().read_model(case.xml, case.weights)
        if arrays:
            with suppress(Error):  # shapes that are refused are so in the run too
                model.reshape({index: array.shape for index, array in enumerate(arrays)})
        return Core().compile_model(model, config=CONFIGS[config])


def run(compiled: Any, arrays: Sequence[Array], times: int = 2) -> Outcome:
    """Return what a compiled model makes of inputs the last of so many times, its variables reset before."""
    request = compiled.create_infer_request()
    try:
        results = [request.infer(list(arrays)).to_dict().values() for _ in range(times)][-1]
    except Error as fault:
        return Outcome("refused", message=str(fault))
    return Outcome("ok", [array.astype(object) if array.dtype.kind == "U" else array.copy() for array in results])
