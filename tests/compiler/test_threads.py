"""Threads that share work: every part is done once, and crews at work have no more threads than processors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.compiler.selection.kernel import numba_installed
from ir_plugin.kernels.thread_pool import ThreadPool, shares

WITH_NUMBA = pytest.mark.skipif(not numba_installed(), reason="crews are compiled")


def teams() -> list[Callable[[int], ThreadPool]]:
    if not numba_installed():
        return [ThreadPool]
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool

    return [ThreadPool, SpinPool]


@pytest.mark.parametrize("make", teams())
@pytest.mark.parametrize("parts", [1, 2, 9])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_part_is_done_once(make: Callable[[int], ThreadPool], parts: int, size: int) -> None:
    team = make(size)
    team.begin()
    for _ in range(20):
        done: list[int] = []
        team.run(done.append, parts)
        assert sorted(done) == list(range(parts))
    team.end()


@pytest.mark.parametrize("make", teams())
def test_an_error_of_any_part_is_raised(make: Callable[[int], ThreadPool]) -> None:
    team = make(2)
    team.begin()
    for wrong in range(6):

        def fail(part: int, wrong: int = wrong) -> None:
            if part == wrong:
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            team.run(fail, 6)
    team.end()


def test_shares_are_worth_a_thread() -> None:
    assert shares(100, ThreadPool(2), 1000, 1001) == [(0, 100)]
    assert shares(100, ThreadPool(1), 10**9, 1) == [(0, 100)]
    ranges = shares(100, ThreadPool(2), 10**9, 1)
    assert len(ranges) > 2
    assert [start for start, _ in ranges[1:]] == [end for _, end in ranges[:-1]]


@WITH_NUMBA
def test_crews_at_work_leave_each_other_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    from ir_plugin.kernels.numba.runtime import spin_pool as crew

    monkeypatch.setattr(crew, "available_threads", lambda: 4)
    yard = crew._WorkerRegistry()
    first, second, third = yard.take(3), yard.take(3), yard.take(3)
    assert [threads for threads, _ in (first, second, third)] == [3, 1, 1]
    yard.give_back(*first)
    again = yard.take(8)
    assert again[0] == 2
    assert again[1] is not None
    for taken in (second, third, again):
        yard.give_back(*taken)
    assert yard.take(3) == first


@WITH_NUMBA
def test_jobs_have_more_parts_than_threads() -> None:
    from ir_plugin.kernels.numba import concat
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool, address_of

    source, target = np.arange(6000, dtype=np.int64), np.zeros(6000, np.int64)
    for parts in (2, 7, 600):
        target[:] = 0
        numbers = np.array([6000, parts, 1, address_of(target), 8, address_of(source), 8], np.int64)
        crew = SpinPool(2)
        crew.begin()
        crew.call(concat._copy_rows.address, address_of(numbers), parts)
        crew.end()
        assert (target == source).all()


@WITH_NUMBA
def test_work_ends_whether_workers_sleep_or_not() -> None:
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool

    crew = SpinPool(2)
    done: list[int] = []
    for _ in range(200):
        crew.begin()
        crew.run(done.append, 8)
        crew.end()
    assert sorted(done) == sorted([*range(8)] * 200)


@WITH_NUMBA
def test_workers_for_a_body_sleep_when_the_model_has_run(tmp_path: Path) -> None:
    from ir_plugin.kernels.numba.runtime import spin_pool as crew

    condition, x = ops.parameter([], np.bool_), ops.parameter([1, 8, 40, 40], np.float32)
    inside, other = ops.parameter([1, 8, 40, 40], np.float32), ops.parameter([1, 8, 40, 40], np.float32)
    filters = ops.constant(np.random.default_rng(1).standard_normal((8, 8, 3, 3)).astype(np.float32))
    then = ops.result(ops.convolution(inside, filters, [1, 1], [1, 1], [1, 1], [1, 1]))
    otherwise = ops.result(ops.relu(other))
    chosen = ops.if_op(condition.output(0))
    chosen.set_then_body(ov.Model([then], [inside], "then"))
    chosen.set_else_body(ov.Model([otherwise], [other], "else"))
    chosen.set_input(x.output(0), inside, other)
    model = ov.Model([ops.result(chosen.set_output(then, otherwise))], [condition, x], "m")
    ov.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
    given = [np.array(True), np.random.default_rng(2).standard_normal((1, 8, 40, 40)).astype(np.float32)]
    plain = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})(given)[0]
    compiled = Core().compile_model(tmp_path / "m.xml", config={"INFERENCE_NUM_THREADS": 2})
    for _ in range(3):
        np.testing.assert_allclose(compiled(given)[0], plain, atol=1e-4)
        assert crew._REGISTRY._working == 0
