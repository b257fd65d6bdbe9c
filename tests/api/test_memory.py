"""Whose memory inputs and outputs are: what is written to one of them shows where it shows with OpenVINO."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin
from ir_plugin.tensors import Array
from tests.api.models import graph, layer, net
from tests.api.nets import SE, STATE
from tests.api.nets import net as named_net

Seen = Iterator[list[float]]


def relu(shape: str, type: str = "f32") -> bytes:
    layers = [
        layer(0, "x", "Parameter", 0, 1, f'shape="{shape}" element_type="{type}"'),
        layer(1, "y", "ReLU", 1, 1),
        layer(2, "z", "Result", 1, 0),
        layer(3, "again", "Result", 1, 0),
    ]
    return net(graph(layers, [(0, 0, 1, 0), (1, 1, 2, 0), (1, 1, 3, 0)]))


def row(value: float, length: int = 4) -> Array:
    return np.full((1, length), value, np.float32)


def listed(value: Any) -> list[float]:
    array = value if isinstance(value, np.ndarray) else value.data
    return [*array.shape, *array.ravel().tolist()]


class Case:
    """A model compiled by one of the libraries."""

    def __init__(self, library: ModuleType, text: bytes, weights: bytes = b"") -> None:
        self.library = library
        core = library.Core()
        self.compiled = core.compile_model(core.read_model(text, weights), "CPU")
        self.request = self.compiled.create_infer_request()

    def tensor(self, value: float) -> Any:
        return self.library.Tensor(row(value))


def an_output_tensor_follows(case: Case) -> Seen:
    case.request.infer([row(1)])
    tensor = case.request.get_output_tensor(0)
    held = tensor.data
    case.request.infer([row(2)])
    yield from (listed(tensor), listed(held), listed(case.request.get_output_tensor(0)))
    case.request.start_async([row(3)])
    case.request.wait()
    yield from (listed(tensor), listed(case.request.output_tensors[0]), listed(case.request.get_tensor("y_0")))


def an_output_tensor_from_before(case: Case) -> Seen:
    tensor = case.request.get_output_tensor(0)
    for number in (1, 2):
        case.request.infer([row(number)])
        yield listed(tensor)


def a_queue(case: Case) -> Seen:
    queue = case.library.AsyncInferQueue(case.compiled, 1)
    tensor = queue[0].get_output_tensor(0)
    seen: list[list[float]] = []
    queue.set_callback(lambda request, _: seen.extend([listed(tensor), listed(request.get_output_tensor(0))]))
    for number in (1, 2):
        queue.start_async([row(number)])
        queue.wait_all()
        yield listed(tensor)
    yield from seen


def results_are_copies(case: Case) -> Seen:
    for number in (1, 2):
        results = case.request.infer([row(number)])
        results[0][:] = 9
        yield from (listed(case.request.get_output_tensor(0)), listed(case.request.results[0]), listed(results[1]))
    case.request.get_output_tensor(0).data[:] = 7
    yield from (listed(results[0]), listed(case.request.results[0]))
    case.request.results[0][:] = 8
    yield listed(case.request.get_output_tensor(0))


def results_are_shared(case: Case) -> Seen:
    case.request.infer([row(4)], share_outputs=True)[0][:] = 9
    yield listed(case.request.get_output_tensor(0))
    results = case.request.infer([row(4)], share_outputs=True)
    case.request.get_output_tensor(0).data[:] = 7
    yield listed(results[0])


def a_set_output_tensor(case: Case) -> Seen:
    tensor, memory = case.tensor(0), row(0)
    case.request.set_output_tensor(0, tensor)
    case.request.infer([row(3)])[0][:] = 9
    yield listed(tensor)
    case.request.infer([row(4)], share_outputs=True)[0][:] = 9
    yield from (listed(tensor), listed(case.request.get_output_tensor(0)))
    case.request.set_output_tensor(0, case.library.Tensor(memory, shared_memory=True))
    case.request.infer([row(5)])
    yield from (listed(memory), listed(tensor), listed(case.request.get_output_tensor(0)))


def an_input_tensor_follows(case: Case) -> Seen:
    tensor = case.request.get_input_tensor(0)
    tensor.shape = [1, 4]
    tensor.data[:] = 3
    yield listed(case.request.infer()[0])
    array = row(2)
    case.request.infer([array])
    yield from (listed(tensor), listed(case.request.get_input_tensor(0)))
    tensor.data[:] = 6
    yield from (listed(case.request.infer()[0]), listed(array))


def shared_inputs(case: Case) -> Seen:
    tensor, array = case.request.get_input_tensor(0), row(2)
    case.request.infer([array], share_inputs=True)
    array[:] = 8
    yield listed(case.request.infer()[0])
    case.request.get_input_tensor(0).data[:] = 1
    yield listed(array)
    tensor.shape = [1, 4]
    tensor.data[:] = 5
    yield listed(case.request.infer()[0])


def tensors_as_inputs(case: Case) -> Seen:
    for wrapped in (lambda tensor: [tensor], lambda tensor: {0: tensor}):
        tensor = case.tensor(4)
        case.request.infer(wrapped(tensor))
        tensor.data[:] = 5
        yield listed(case.request.infer()[0])
    case.request.set_input_tensor(0, tensor)
    case.request.infer([row(1)])
    yield from (listed(tensor), listed(case.request.get_input_tensor(0)))


def requests_are_independent(case: Case) -> Seen:
    second_request = case.compiled.create_infer_request()
    first = case.request.infer([row(1)], share_outputs=True)
    second = second_request.infer([row(2)], share_outputs=True)
    yield from (listed(first[0]), listed(second[0]))
    first, second = case.compiled([row(1)]), case.compiled([row(2)])
    first[0][:] = 9
    yield from (listed(second[0]), listed(case.compiled([row(3)])[0]))


CASES: list[Callable[[Case], Seen]] = [
    an_output_tensor_follows, an_output_tensor_from_before, a_queue, results_are_copies, results_are_shared,
    a_set_output_tensor, an_input_tensor_follows, shared_inputs, tensors_as_inputs, requests_are_independent,
]  # fmt: skip


@pytest.mark.parametrize("shape", ["1,4", "1,?", "?,?"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_memory_is_shared_as_in_openvino(case: Callable[[Case], Seen], shape: str) -> None:
    ours, theirs = (list(case(Case(library, relu(shape)))) for library in (ir_plugin, openvino))
    assert ours == theirs


@pytest.mark.parametrize("direction", ["input", "output"])
def test_a_tensor_that_is_too_small_is_refused(direction: str) -> None:
    for library in (ir_plugin, openvino):
        case = Case(library, relu("1,?"))
        tensor = library.Tensor(row(1, 2), shared_memory=True)
        getattr(case.request, f"set_{direction}_tensor")(0, tensor)
        with pytest.raises(RuntimeError):
            case.request.infer([row(4)])


def test_outputs_of_other_shapes_show_in_the_tensor() -> None:
    seen = []
    for library in (ir_plugin, openvino):
        case = Case(library, relu("1,?"))
        tensor = case.request.get_output_tensor(0)
        lengths = []
        for length in (4, 3, 6, 2):
            case.request.infer([row(length, length)])
            lengths.append(listed(tensor))
        seen.append(lengths)
    assert seen[0] == seen[1]


def test_what_a_caller_writes_does_not_reach_a_variable() -> None:
    seen = []
    for library in (ir_plugin, openvino):
        case = Case(library, named_net(STATE, SE).encode(), np.float32(1).tobytes())
        totals = []
        for _ in range(3):
            results = case.request.infer([np.ones(1, np.float32)])
            totals.append(listed(results[0]))
            results[0][:] = 50
        seen.append(totals)
    assert seen[0] == seen[1]


def test_a_look_inside_gives_results_of_their_own() -> None:
    """A model that passes its input on gives another array, from a look inside and from steps, too."""
    layers = [layer(0, "x", "Parameter", 0, 1, 'shape="1,4" element_type="f32"'), layer(1, "z", "Result", 1, 0)]
    case, x = Case(ir_plugin, net(graph(layers, [(0, 0, 1, 0)]))), row(1)
    inside = case.compiled([x], intermediate=True).results
    assert inside is not None
    list(case.request.steps([ir_plugin.Tensor(x, shared_memory=True)]))
    for array in (inside[0], case.request.get_output_tensor(0).data, case.request.infer([x], share_inputs=True)[0]):
        array[:] = 9
        assert listed(x) == [1, 4, 1, 1, 1, 1]


def test_calls_leave_no_copy() -> None:
    """What a call returns is the memory that the kernels wrote: only a request that keeps outputs copies them."""
    case = Case(ir_plugin, relu("1,?"))
    first = case.compiled([row(1, 2**20)])[0]
    address = first.ctypes.data
    del first
    assert case.compiled([row(1, 2**20)])[0].ctypes.data == address
