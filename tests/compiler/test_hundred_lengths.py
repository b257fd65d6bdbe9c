"""A hundred lengths in a row: no plan after the first, no growth of memory, and the numbers of the plain evaluation."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest

from benchmarks.decoders import DECODERS, step, write
from benchmarks.length_models import INPUTS, SMALL
from ir_plugin import Core
from ir_plugin.tensors import Array
from tests.support.planned import UNDER_TEST, close

LENGTHS = [int(length) for length in np.random.default_rng(3).permutation(np.arange(9, 109))]
SETTLED = 60
"""Lengths after which what is kept for lengths, the last ones, is complete."""
COMPARED = 4
"""Of so many lengths one is compared with the plain evaluation."""
GROWTH = 2**19
"""Bytes of arrays by which memory may differ, as the buffers for the last lengths are longer or shorter."""

Runner = Callable[[int], Sequence[Array]]


def network(name: str, folder: Path, **config: Any) -> tuple[Any, Runner]:
    """Return the compiled network, and what runs it for a number."""
    path = folder / f"{name}.xml"
    if not path.exists():
        ov.save_model(SMALL[name](), path, compress_to_fp16=False)
    compiled = Core().compile_model(path, config={"INFERENCE_NUM_THREADS": 2, **config})
    request = compiled.create_infer_request()
    return compiled, lambda number: request.infer(INPUTS[name](number)).to_tuple()


def decoder(family: str, folder: Path, **config: Any) -> tuple[Any, Runner]:
    """Return a decoder with a growing cache: a prompt of as many tokens as the number says, and two further ones."""
    path = write(next(sizes for sizes in DECODERS if sizes.name == family), folder)
    compiled = Core().compile_model(path, config={"INFERENCE_NUM_THREADS": 2, **config})
    request = compiled.create_infer_request()

    def run(number: int) -> list[Array]:
        request.reset_state()
        inputs = [step(0, number), step(number, 1), step(number + 1, 1)]
        return [request.infer(entry)[0].copy() for entry in inputs]

    return compiled, run


MODELS: dict[str, Callable[..., tuple[Any, Runner]]] = {
    **{name: partial(network, name) for name in SMALL},
    **{name: partial(decoder, name) for name in ("gpt2_tiny", "llama_tiny")},
}


@pytest.fixture(autouse=True)
def never_traced_on() -> Iterator[None]:
    """Stop tracing after a test, whatever its end."""
    yield
    tracemalloc.stop()


@pytest.mark.parametrize("provider", UNDER_TEST)
@pytest.mark.parametrize("name", MODELS)
def test_a_hundred_lengths(name: str, provider: str, tmp_path: Path) -> None:
    _, plain = MODELS[name](tmp_path, OPTIMIZE=False)
    compiled, run = MODELS[name](tmp_path, PROVIDER=provider)
    plans: list[int] = []
    sizes: list[int] = []
    for number, length in enumerate(LENGTHS):
        actual = run(length)
        plans.append(len(compiled.engine._plans))
        if number % COMPARED == 0:
            for result, expected in zip(actual, plain(length), strict=True):
                close(result, expected, 1e-4, f"{name} {length}")
        del actual
        if number == SETTLED:
            tracemalloc.start(1)
        elif number > SETTLED and number % 4 == 3:
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
    first = 2 if "tiny" in name else 1  # a token has a plan of its own
    assert plans == [first] * len(LENGTHS)
    assert max(sizes[5:]) - max(sizes[:5]) < GROWTH, sizes
