"""The buffer pool reuses the memory of large results, but never while an array in it is alive."""

from __future__ import annotations

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ir_plugin import Core
from ir_plugin.executor.buffer_pool import LARGE_BYTES, result_allocator
from ir_plugin.executor.executable import ExecutableInstance
from ir_plugin.tensors import ElementType
from tests.support.ir import build
from tests.support.sample import param

LARGE = (LARGE_BYTES // 4,)


def address_of(array: object) -> int:
    return int(np.asarray(array).ctypes.data)


def test_memory_comes_back_when_the_last_view_is_gone() -> None:
    make = result_allocator((2, *LARGE), np.dtype("f4"))
    first = make()
    part, here = first[1, 3:], address_of(first)
    del first
    second = make()
    assert address_of(second) != here
    part[:] = 7
    second[:] = 1
    assert (part == 7).all()
    del part
    gc.collect()
    assert address_of(make()) == here


@pytest.mark.parametrize("name", ["f64", "bf16", "boolean", "i4", "f8e4m3"])
def test_arrays_are_those_of_numpy(name: str) -> None:
    dtype = ElementType(name).dtype
    array = result_allocator((3, *LARGE), dtype)()
    assert (array.dtype, array.shape) == (dtype, (3, *LARGE))
    assert array.flags.c_contiguous
    assert array.flags.aligned
    assert array.flags.writeable
    array[...] = 1
    assert (pickle.loads(pickle.dumps(array)) == array).all()


def test_an_array_outlives_what_made_it() -> None:
    make = result_allocator(LARGE, np.dtype("f4"))
    array = make()
    array[:] = 3
    del make
    gc.collect()
    assert (array == 3).all()


def test_small_arrays_and_strings_are_plain() -> None:
    assert result_allocator((3,), np.dtype("f4"))().base is None
    assert result_allocator((2**20,), np.dtype(object))().base is None


def test_results_of_many_runs_are_apart() -> None:
    ir = build("ReLU", 1, [param(np.zeros(LARGE, np.float32))], {}, 1)
    compiled = Core().compile_model(ir.xml, weights=ir.weights)
    held = [compiled([np.full(LARGE, number, np.float32)])[0] for number in range(4)]
    assert [float(array.max()) for array in held] == [0, 1, 2, 3]
    assert len({address_of(array) for array in held}) == 4
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda number: compiled([np.full(LARGE, number, np.float32)])[0], range(12)))
    assert [float(array.min()) for array in results] == list(range(12))


def test_a_call_leaves_nothing_behind() -> None:
    ir = build("ReLU", 1, [param(np.zeros(LARGE, np.float32))], {}, 1)
    compiled = Core().compile_model(ir.xml, weights=ir.weights)
    inputs = [np.ones(LARGE, np.float32)]
    addresses = {address_of(compiled(inputs)[0]) for _ in range(5)}
    assert len(addresses) == 1


def test_the_memory_of_a_request_goes_with_the_request() -> None:
    ir = build("CumSum", 3, [param(np.ones((2, 3), np.float32))], {}, 1)
    compiled = Core().compile_model(ir.xml, weights=ir.weights)
    request = compiled.create_infer_request()
    request.infer([np.ones((2, 3), np.float32)])
    gc.collect()
    gc.disable()
    try:
        instances = [weakref.ref(item) for item in gc.get_objects() if type(item) is ExecutableInstance]
        del request
        assert any(instance() is None for instance in instances)
    finally:
        gc.enable()
