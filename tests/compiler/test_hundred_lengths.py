"""A hundred lengths in a row: no plan after the first, no growth of memory, and the numbers of the plain evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from tests.support.memory import arrays_of
from tests.support.planned import PROVIDERS, close

LENGTHS = [int(length) for length in np.random.default_rng(3).permutation(np.arange(9, 109))]
LAST = 34
"""The lengths, the last ones, that determine what is kept: more than any part of a plan keeps kernels for."""
COMPARED = 4
"""Of so many lengths one is compared with the plain evaluation."""

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


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", MODELS)
def test_a_hundred_lengths(name: str, provider: str, tmp_path: Path) -> None:
    _, plain = MODELS[name](tmp_path, OPTIMIZE=False)
    compiled, run = MODELS[name](tmp_path, PROVIDER=provider)
    plans: list[int] = []
    for number, length in enumerate(LENGTHS):
        actual = run(length)
        plans.append(len(compiled.engine._plans))
        if number % COMPARED == 0:
            for result, expected in zip(actual, plain(length), strict=True):
                close(result, expected, 1e-4, f"{name} {length}")
        del actual
    first = 2 if "tiny" in name else 1  # a token has a plan of its own
    assert plans == [first] * len(LENGTHS)
    longer, shorter = (MODELS[name](tmp_path, PROVIDER=provider) for _ in range(2))
    for (_, execute), count in ((longer, 2 * LAST), (shorter, LAST)):
        for length in LENGTHS[-count:]:
            execute(length)
    assert arrays_of(*longer) == arrays_of(*shorter)
