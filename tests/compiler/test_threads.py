"""Threads that share work: every part is done once, and spin pools at work have no more threads than processors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.kernels.numba.availability import numba_installed
from ir_plugin.kernels.thread_pool import ThreadPool, shares
from tests.support.skips import needs_numba


def pools() -> list[Callable[[int], ThreadPool]]:
    if not numba_installed():
        return [ThreadPool]
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool

    return [ThreadPool, SpinPool]


@pytest.mark.parametrize("make", pools())
@pytest.mark.parametrize("parts", [1, 2, 9])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_part_is_done_once(make: Callable[[int], ThreadPool], parts: int, size: int) -> None:
    pool = make(size)
    pool.begin()
    for _ in range(20):
        done: list[int] = []
        pool.run(done.append, parts)
        assert sorted(done) == list(range(parts))
    pool.end()


@pytest.mark.parametrize("make", pools())
def test_an_error_of_any_part_is_raised(make: Callable[[int], ThreadPool]) -> None:
    pool = make(2)
    pool.begin()
    for wrong in range(6):

        def fail(part: int, wrong: int = wrong) -> None:
            if part == wrong:
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            pool.run(fail, 6)
    pool.end()


def test_shares_are_worth_a_thread() -> None:
    assert shares(100, ThreadPool(2), 1000, 1001) == [(0, 100)]
    assert shares(100, ThreadPool(1), 10**9, 1) == [(0, 100)]
    ranges = shares(100, ThreadPool(2), 10**9, 1)
    assert len(ranges) > 2
    assert [start for start, _ in ranges[1:]] == [end for _, end in ranges[:-1]]


@needs_numba
def test_pools_at_work_leave_each_other_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    from ir_plugin.kernels.numba.runtime import spin_pool

    monkeypatch.setattr(spin_pool, "available_threads", lambda: 4)
    registry = spin_pool._WorkerRegistry()
    first, second, third = registry.acquire(3), registry.acquire(3), registry.acquire(3)
    assert [threads for threads, _ in (first, second, third)] == [3, 1, 1]
    registry.release(*first)
    again = registry.acquire(8)
    assert again[0] == 2
    assert again[1] is not None
    for taken in (second, third, again):
        registry.release(*taken)
    assert registry.acquire(3) == first


@needs_numba
def test_jobs_have_more_parts_than_threads() -> None:
    from ir_plugin.kernels.numba import concat
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
    from ir_plugin.kernels.numba.runtime.structs import address_of, filled

    source, target = np.arange(6000, dtype=np.int64), np.zeros(6000, np.int64)
    for parts in (2, 7, 600):
        target[:] = 0
        table = np.array([(address_of(source), 8, 8)], concat.INPUT)
        arguments = filled(
            concat.CONCAT, rows=6000, parts=parts, inputs=address_of(table), input_count=1, output=address_of(target),
            step=8,
        )  # fmt: skip
        pool = SpinPool(2)
        pool.begin()
        pool.call(concat.copy_rows.address, address_of(arguments), parts)
        pool.end()
        assert (target == source).all()


@needs_numba
def test_work_ends_whether_workers_sleep_or_not() -> None:
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool

    pool = SpinPool(2)
    done: list[int] = []
    for _ in range(200):
        pool.begin()
        pool.run(done.append, 8)
        pool.end()
    assert sorted(done) == sorted([*range(8)] * 200)


@needs_numba
def test_workers_for_a_body_sleep_when_the_model_has_run(tmp_path: Path) -> None:
    from ir_plugin.kernels.numba.runtime import spin_pool

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
        assert spin_pool._REGISTRY._working == 0


def stack(size: int, repeats: int) -> ov.Model:
    """Return a model of convolutions of 16 channels, in a loop where there are repeats."""
    filters = ops.constant(np.random.default_rng(1).standard_normal((16, 16, 3, 3)).astype(np.float32) / 12)

    def convolved(data: ov.Node) -> ov.Node:
        return ops.relu(ops.convolution(data, filters, [1, 1], [1, 1], [1, 1], [1, 1]))

    x = ops.parameter([1, 16, size, size], np.float32)
    if not repeats:
        return ov.Model([ops.result(convolved(x))], [x], "m")
    inside = ops.parameter([1, 16, size, size], np.float32)
    after = ops.result(convolved(inside))
    again = ops.result(ops.constant(np.array(True)))
    loop = ops.loop(ops.constant(repeats), ops.constant(np.array(True)))
    loop.set_function(ov.Model([again, after], [inside], "body"))
    loop.set_special_body_ports([-1, 0])
    loop.set_merged_input(inside, x.output(0), after.output(0))
    return ov.Model([ops.result(loop.get_iter_value(after.output(0), -1))], [x], "m")


@needs_numba
@pytest.mark.parametrize(("size", "repeats", "wakes"), [(8, 0, False), (64, 0, True), (32, 1, False), (32, 3, True)])
def test_workers_wake_where_that_saves_time(
    size: int, repeats: int, wakes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool

    begun: list[SpinPool] = []
    begin = SpinPool.begin

    def counted(pool: SpinPool) -> None:
        begun.append(pool)
        begin(pool)

    monkeypatch.setattr(SpinPool, "begin", counted)
    model = stack(size, repeats)
    ov.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
    data = np.random.default_rng(2).standard_normal((1, 16, size, size)).astype(np.float32)
    compiled = Core().compile_model(tmp_path / "m.xml", "CPU", {"INFERENCE_NUM_THREADS": 2})
    (result,) = compiled(data).values()
    wanted = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(data)[0]
    np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4)
    assert bool(begun) is wakes
