"""Invariant 5: loops keep nothing of an inference, so that threads and earlier inputs change no answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as op

from ir_plugin import CompiledModel, Core
from ir_plugin.operations.infrastructure.iteration import Iteration
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS

RUNS = 1000
WIDTHS = range(1, 10)
OTHERS = 70
"""Combinations of shapes that another thread infers meanwhile."""


def loop(path: Path) -> Path:
    """Write a Loop that adds its data to a state, any number of times; it joins the sums and their transposes."""
    trips, data = op.parameter([], np.int64, "trips"), op.parameter([-1, -1], np.float32, "data")
    x, state = op.parameter([-1, -1], np.float32), op.parameter([-1, -1], np.float32)
    total = op.add(x, state)
    results = [op.result(op.constant(np.array(True))), op.result(total)]
    results.append(op.result(op.transpose(total, op.constant(np.array([1, 0])))))
    node = op.loop(trips, op.constant(np.array(True)))
    node.set_function(ov.Model(results, [x, state]))
    node.set_special_body_ports([-1, 0])
    node.set_invariant_input(x, data.output(0))
    node.set_merged_input(state, op.multiply(data, op.constant(np.float32(2))).output(0), results[1].output(0))
    outputs = [node.get_iter_value(results[1].output(0), -1)]
    outputs += [node.get_concatenated_slices(result.output(0), 0, 1, 1, -1, 0) for result in results[1:]]
    ov.serialize(ov.Model([op.result(output) for output in outputs], [trips, data], "loop"), path / "loop.xml")
    return path / "loop.xml"


def feed(trips: int, rows: int, width: int) -> list[Array]:
    """Return the inputs of the loop."""
    return [np.array(trips), np.arange(1, 1 + rows * width, dtype=np.float32).reshape(rows, width)]


def right(trips: int, rows: int, width: int) -> list[Array]:
    """Return the results of the loop, as plain Python computes them."""
    data = feed(trips, rows, width)[1]
    sums = [data * (3 + iteration) for iteration in range(trips)]
    joined = np.concatenate(sums) if sums else np.zeros((0, width), np.float32)
    turned = np.concatenate([array.T for array in sums]) if sums else np.zeros((0, rows), np.float32)
    return [data * (2 + trips), joined, turned]


def require(compiled: CompiledModel, *case: int) -> None:
    """Assert that a new request gives the right results."""
    for result, expected in zip(
        compiled.create_infer_request().infer(feed(*case)).to_tuple(), right(*case), strict=True
    ):
        np.testing.assert_array_equal(result, expected)


def compile_loop(folder: Path, provider: str, optimize: bool) -> CompiledModel:
    """Return the compiled loop."""
    return Core().compile_model(loop(folder), config={"PROVIDER": provider, "OPTIMIZE": optimize})


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_loop_without_an_iteration_has_the_shapes_of_its_inputs(
    provider: str, optimize: bool, tmp_path: Path
) -> None:
    compiled = compile_loop(tmp_path, provider, optimize)
    for trips in (0, 1, 0):
        for width in WIDTHS:
            require(compiled, trips, 2, width)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_loop_without_an_iteration_takes_no_shape_of_another_thread(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread infers and runs the loop for other lengths while this one is between its plan and its outputs."""
    compiled = compile_loop(tmp_path, provider, True)
    iterate, widths = Iteration.iterate, iter(range(20, 20 + 2 * OTHERS))
    own = threading.get_ident()

    def interrupted(operation: Any, *arguments: Any) -> Iterator[Any]:
        if threading.get_ident() == own:
            with ThreadPoolExecutor(1) as pool:
                list(pool.map(lambda _: require(compiled, 0, 3, next(widths)), range(OTHERS)))
        return iterate(operation, *arguments)

    monkeypatch.setattr(Iteration, "iterate", interrupted)
    for width in (3, 4):
        require(compiled, 0, 2, width)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_two_threads_with_different_lengths_get_single_thread_numbers(provider: str, tmp_path: Path) -> None:
    compiled = compile_loop(tmp_path, provider, True)

    def work(cases: Sequence[tuple[int, int, int]]) -> None:
        request = compiled.create_infer_request()
        expected = [right(*case) for case in cases]
        for run in range(RUNS // 2):
            case = cases[run % len(cases)]
            for result, answer in zip(request.infer(feed(*case)).to_tuple(), expected[run % len(cases)], strict=True):
                np.testing.assert_array_equal(result, answer)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(work, [(0, 2, 3), (4, 2, 3)]), pool.submit(work, [(3, 1, 5), (0, 1, 5)])]:
            done.result()
