"""Read-only arrays as inputs and tensors: copied and refused where OpenVINO copies and refuses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin
from ir_plugin.tensors import Array
from tests.api.test_memory import Case, listed, relu, row

Seen = Iterator[Any]


def locked(array: Array) -> Array:
    array.flags.writeable = False
    return array


def kept(case: Case, array: Array) -> list[Any]:
    """Return the input tensor that a request keeps, and whether it is writable and shares the array's memory."""
    data = case.request.get_input_tensor(0).data
    return [*listed(data), data.flags.writeable, np.shares_memory(data, array)]


def calls(case: Case, share: bool) -> Seen:
    square = locked(np.arange(16, dtype=np.float32).reshape(4, 4))
    read_from_bytes = np.frombuffer(np.arange(4, dtype=np.float32).tobytes(), np.float32).reshape(1, 4)
    for array in (locked(row(1)), square[:1], square.T[:1], np.broadcast_to(np.float32(2), (1, 4)), read_from_bytes):
        for inputs in (array, [array], (array,), {0: array}, {"x_0": array}, {case.compiled.input(0): array}):
            yield listed(case.compiled(inputs, share_inputs=share)[0])
            yield listed(case.request.infer(inputs, share_inputs=share)[0])
        yield listed(case.compiled.infer_new_request([array])[0])


def a_request_keeps_a_copy(case: Case, share: bool) -> Seen:
    array = locked(row(1))
    yield listed(case.request.infer([array], share_inputs=share)[0])
    yield kept(case, array)
    case.request.get_input_tensor(0).data[:] = 7
    yield from (listed(case.request.infer()[0]), listed(array))


def a_later_array(case: Case, share: bool) -> Seen:
    case.request.infer([locked(row(1))], share_inputs=share)
    first = case.request.get_input_tensor(0).data
    case.request.infer([locked(row(2))], share_inputs=share)
    yield from (listed(first), kept(case, first))


def after_a_shared_array(case: Case, share: bool) -> Seen:
    shared, array = row(1), locked(row(2))
    case.request.infer([shared], share_inputs=share)
    case.request.infer([array], share_inputs=True)
    yield from (listed(shared), kept(case, shared), kept(case, array))


def asynchronous(case: Case, share: bool) -> Seen:
    array = locked(row(3))
    case.request.start_async([array], share_inputs=share)
    case.request.wait()
    yield from (listed(case.request.get_output_tensor(0)), kept(case, array))
    queue = case.library.AsyncInferQueue(case.compiled, 1)
    seen: list[Any] = []
    queue.set_callback(lambda request, _: seen.append(listed(request.get_output_tensor(0))))
    queue.start_async({0: array}, share_inputs=share)
    queue.wait_all()
    yield from seen


def tensors(case: Case, share: bool) -> Seen:
    array = locked(row(3))
    for source in (array, array[:, ::2], np.broadcast_to(np.float32(2), (1, 4)), locked(array.astype(np.int64))):
        yield of_array(case, source, share)
    yield listed(case.request.infer([case.library.Tensor(array)], share_inputs=share)[0])
    yield [*listed(case.library.Tensor(array)), case.library.Tensor(array).data.flags.writeable]


def of_array(case: Case, array: Array, share: bool) -> Any:
    """Return what a tensor of the array holds, and whether it is writable and shares the array's memory."""
    try:
        data = case.library.Tensor(array, shared_memory=share).data
    except (ValueError, RuntimeError):
        return "refused"
    return [*listed(data), data.flags.writeable, np.shares_memory(data, array)]


CASES: list[Callable[[Case, bool], Seen]] = [
    calls, a_request_keeps_a_copy, a_later_array, after_a_shared_array, asynchronous, tensors,
]  # fmt: skip


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("shape", ["1,4", "1,?", "?,?"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_read_only_arrays_are_taken_as_in_openvino(case: Callable[[Case, bool], Seen], shape: str, share: bool) -> None:
    ours, theirs = (list(case(Case(library, relu(shape)), share)) for library in (ir_plugin, openvino))
    assert ours == theirs


def test_sharing_a_read_only_array_with_a_tensor_is_a_value_error() -> None:
    for library in (ir_plugin, openvino):
        with pytest.raises(ValueError, match=r"\w"):
            library.Tensor(locked(row(1)), shared_memory=True)
