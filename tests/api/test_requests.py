"""Requests: errors that say what would be right, threads, callbacks, cancelling."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import ir_plugin
from ir_plugin import AsyncInferQueue, CompiledModel, Error, InferRequest, InputError, PartialShape, Tensor
from ir_plugin.compiler.selection import select_kernel
from ir_plugin.errors import CallbackError
from ir_plugin.executor import CancelledError
from ir_plugin.openvino.api import RequestBusyError
from ir_plugin.tensors import Array
from tests.api.models import WEIGHTS, two_inputs
from tests.support.changed import DIGITS

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 3, 4)
Y = np.array([0.5, -0.5, 0.25], np.float32).reshape(1, 3, 1)


def expected(x: Array) -> Array:
    results: Array = np.maximum(x * np.array([1, 2, 3], np.float32).reshape(1, 3, 1) + Y, 0)
    return results


@pytest.fixture(scope="module")
def compiled() -> CompiledModel:
    return ir_plugin.Core().compile_model(two_inputs(), weights=WEIGHTS)


WRONG: dict[str, tuple[Any, str]] = {
    "missing": ([X], "1 of 2 inputs are given; missing: 'y_0' or 'y' .f32.1,3,1.."),
    "none": ({}, "0 of 2 inputs are given; missing: 'x_0' or 'x'"),
    "too many": ([X, Y, X], "3 inputs are given; the model has 2: x_0 or x, y_0 or y"),
    "unknown name": ({"x": X, "z": Y}, "no input 'z'; it has 0: 'x_0' or 'x', 1: 'y_0' or 'y'"),
    "unknown index": ({0: X, 7: Y}, "no input 7"),
    "key of a wrong type": ({1.5: X}, "Incompatible key type for input: 1.5; an index, a name or a port is needed"),
    "twice": ({0: X, "x": X}, "given twice"),
    "shape": (
        [X, np.ones((1, 4, 1), np.float32)],
        r"input 1 .* has the shape \[1, 4, 1\]; the model wants \[1,3,1\] of",
    ),
    "type": ([X.astype(str), Y], "holds strings; the model wants f32"),
    "complex": ([X.astype(complex), Y], "has the type complex128; the model wants f32"),
    "object": ([np.full(X.shape, None), Y], "has the type object; the model wants f32"),
    "ragged": ([[[1, 2], [3]], Y], r"is not an array .*; the model wants f32\[\?,3,4\]"),
    "tensor of another type": ([Tensor(X.astype(np.float64)), Y], "is a tensor of type f64; the model wants f32"),
    "one array": (X, "1 of 2 inputs are given"),
    "dates": ([X.astype("M8[s]"), Y], "has the type datetime64"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_inputs(compiled: CompiledModel, name: str) -> None:
    inputs, message = WRONG[name]
    request = compiled.create_infer_request()
    queue = AsyncInferQueue(compiled, 1)
    for call in (compiled, compiled.infer_new_request, request.infer, compiled.intermediates):
        with pytest.raises(InputError, match=message):
            call(inputs)
    with pytest.raises(InputError, match=message):
        run_in_thread(request, inputs)
    with pytest.raises(InputError, match=message):
        run_in_queue(queue, inputs)
    with pytest.raises(InputError, match=message):
        list(request.steps(inputs))
    np.testing.assert_allclose(compiled([X, Y])["relu_0"], expected(X), rtol=1e-6)


def run_in_thread(request: InferRequest, inputs: Any) -> None:
    request.start_async(inputs)
    request.wait()


def run_in_queue(queue: AsyncInferQueue, inputs: Any) -> None:
    queue.start_async(inputs)
    queue.wait_all()


def test_wrong_arguments(compiled: CompiledModel) -> None:
    core = ir_plugin.Core()
    request: Any = compiled.create_infer_request()
    model: Any = core.read_model(two_inputs(), WEIGHTS)
    anything: Any = 5
    for call in (
        lambda: core.read_model(anything),
        lambda: core.read_model(two_inputs(), anything),
        lambda: core.compile_model(anything),
        lambda: core.compile_model(model, anything),
        lambda: core.compile_model(model, "NPU"),
        lambda: core.compile_model(model, "CPU", {"PERFORMANCE_HUNT": "LATENCY"}),
        lambda: core.compile_model(model, "CPU", {"PERF_COUNT": "perhaps"}),
        lambda: core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": "many"}),
        lambda: core.compile_model(model, "CPU", anything),
        lambda: core.query_model(anything, "CPU"),
        lambda: core.get_property("CPU", "NO_SUCH"),
        lambda: core.add_extension(anything),
        lambda: compiled.set_property({"PERF_COUNT": True}),
        lambda: compiled.get_property("NO_SUCH"),
        lambda: compiled.input("no such"),
        lambda: compiled.output(9),
        lambda: request.set_tensor("x", X),
        lambda: request.set_tensor(anything, Tensor(X)),
        lambda: request.set_tensor("no such", Tensor(X)),
        lambda: request.set_input_tensor(0, Tensor(Y)),
        lambda: request.set_output_tensor(0, Tensor(np.zeros(3, np.float32))),
        lambda: request.set_callback(anything),
        lambda: request.results,
        lambda: model.reshape({"x": "1,two"}),
        lambda: model.reshape({"x": 7}),
        lambda: model.reshape({"x": [1.5]}),
        lambda: model.reshape({"x": [1, 3, 4], 0: [1, 3, 4]}),
        lambda: model.reshape({}, {"no variable": [1]}),
        lambda: model.add_outputs(anything),
        lambda: model.add_outputs([("split", 9)]),
        lambda: ir_plugin.Model(anything),
        lambda: AsyncInferQueue(anything),
        lambda: Tensor(anything),
        lambda: Tensor(None),
        lambda: Tensor([[1, 2], [3]]),
        lambda: Tensor(ir_plugin.Type.dynamic, [1]),
        lambda: PartialShape(anything),
        lambda: ir_plugin.Type("f33"),
        lambda: ir_plugin.Layout(anything),
    ):
        with pytest.raises(Error):
            call()


def test_requests_run_in_parallel(compiled: CompiledModel) -> None:
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            x = np.full((number, 3, 4), number, np.float32)
            request = compiled.create_infer_request()
            for _ in range(20):
                np.testing.assert_allclose(request.infer([x, Y])["relu_0"], expected(x), rtol=1e-6)
                np.testing.assert_allclose(compiled([x, Y])["relu_0"], expected(x), rtol=1e-6)
        except BaseException as fault:  # noqa: BLE001 (raised again below)
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def test_nothing_global_is_changed(compiled: CompiledModel) -> None:
    before = np.geterr(), np.get_printoptions()
    compiled([X, Y])
    compiled([X, Y], intermediate=True)
    request = compiled.create_infer_request()
    request.start_async([X, Y])
    request.wait()
    assert (np.geterr(), np.get_printoptions()) == before


def test_a_compiled_model_is_a_copy() -> None:
    model = ir_plugin.Core().read_model(two_inputs(), WEIGHTS)
    compiled = ir_plugin.Core().compile_model(model)
    model.reshape({"x": [2, 3, 4]})
    model.friendly_name = "other"
    assert compiled.input("x").partial_shape == PartialShape("?,3,4")
    np.testing.assert_allclose(
        compiled({model.input("x"): X, model.input("y"): Y})[model.output(1)], expected(X), rtol=1e-6
    )


def test_results_and_inputs_are_independent(compiled: CompiledModel) -> None:
    x = X.copy()
    request = compiled.create_infer_request()
    first = request.infer([x, Y])["relu_0"]
    first[:] = -1
    x[:] = 0
    np.testing.assert_allclose(request.infer()["relu_0"], expected(X), rtol=1e-6)
    np.testing.assert_array_equal(first, np.full_like(first, -1))
    np.testing.assert_array_equal(request.model_inputs[0].node.get_output_partial_shape(0), PartialShape("?,3,4"))


def test_busy_and_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = ir_plugin.Core().compile_model(two_inputs(), weights=WEIGHTS)
    request = compiled.create_infer_request()
    started, go_on = threading.Event(), threading.Event()
    run = compiled.run

    def slowly(*arguments: Any) -> list[Array]:
        started.set()
        assert go_on.wait(60)
        return run(*arguments)

    monkeypatch.setattr(compiled, "run", slowly)
    request.start_async([X, Y])
    assert started.wait(60)
    for call in (request.infer, lambda: request.results, request.get_tensor, request.reset_state, request.start_async):
        with pytest.raises(RequestBusyError, match="running"):
            call(*(["x"] if call == request.get_tensor else []))
    assert request.wait_for(1) is False
    request.cancel()
    go_on.set()
    for _ in range(2):
        with pytest.raises(CancelledError):
            request.wait()
    monkeypatch.undo()
    np.testing.assert_allclose(request.infer([X, Y])["relu_0"], expected(X), rtol=1e-6)


def test_cancelling_interrupts_the_making_of_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    request = ir_plugin.Core().compile_model(DIGITS).create_infer_request()
    images = np.zeros((2, 1, 8, 8), np.float32)
    started, go_on = threading.Event(), threading.Event()
    prepared: list[object] = []

    def slowly(*arguments: Any) -> Any:
        prepared.append(arguments)
        started.set()
        assert go_on.wait(60)
        return select_kernel(*arguments)

    monkeypatch.setattr("ir_plugin.compiler.plan.select_kernel", slowly)
    request.start_async([images])
    assert started.wait(60)
    request.cancel()
    go_on.set()
    with pytest.raises(CancelledError):
        request.wait()
    assert len(prepared) == 1
    monkeypatch.undo()
    assert request.infer([images])[0].shape == (2, 10)


def test_a_call_without_inputs_is_refused_after_one_with_inputs(compiled: CompiledModel) -> None:
    compiled([X, Y])
    calls: list[tuple[Any, ...]] = [(), (None,), ({},), ([],)]
    for nothing in calls:
        with pytest.raises(InputError, match="0 of 2 inputs are given"):
            compiled(*nothing)
    request = compiled.create_infer_request()
    request.infer([X, Y])
    for nothing in calls:
        np.testing.assert_allclose(request.infer(*nothing)["relu_0"], expected(X), rtol=1e-6)


def test_faults_of_callbacks_are_raised_by_wait(compiled: CompiledModel) -> None:
    request = compiled.create_infer_request()
    request.set_callback(lambda _: 1 / 0)
    request.start_async([X, Y])
    with pytest.raises(CallbackError, match="raised ZeroDivisionError: division by zero") as fault:
        request.wait()
    assert isinstance(fault.value.__cause__, ZeroDivisionError)
    queue = AsyncInferQueue(compiled, 2)
    queue.set_callback(lambda _request, _userdata: 1 / 0)
    queue.start_async([X, Y])
    with pytest.raises(CallbackError, match="ZeroDivisionError"):
        queue.wait_all()
    queue.set_callback(lambda _request, _userdata: None)
    queue.start_async([X, Y])
    queue.wait_all()


@pytest.mark.parametrize("kind", [TypeError, KeyError, ValueError, IndexError, AttributeError])
def test_faults_of_callbacks_keep_their_kind(compiled: CompiledModel, kind: type[Exception]) -> None:
    def callback(_request: Any, _userdata: Any) -> None:
        raise kind("what went wrong")

    queue = AsyncInferQueue(compiled, 1)
    queue.set_callback(callback)
    queue.start_async([X, Y])
    with pytest.raises(kind, match="what went wrong") as fault:
        queue.wait_all()
    assert isinstance(fault.value, CallbackError)


def test_a_callback_may_start_the_next(compiled: CompiledModel) -> None:
    request = compiled.create_infer_request()
    seen: list[float] = []

    def again(_: Any) -> None:
        seen.append(float(request.get_output_tensor(1).data.sum()))
        if len(seen) < 3:
            request.start_async([X * (len(seen) + 1), Y])

    request.set_callback(again)
    request.start_async([X, Y])
    request.wait()
    assert seen == pytest.approx([float(expected(X * factor).sum()) for factor in (1, 2, 3)])


def test_a_queue_gives_every_result(compiled: CompiledModel) -> None:
    results: dict[int, Array] = {}
    queue = AsyncInferQueue(compiled, 4)
    queue.set_callback(lambda request, number: results.update({number: request.get_output_tensor(1).data.copy()}))
    for number in range(40):
        queue.start_async([X * number, Y], number)
    queue.wait_all()
    assert sorted(results) == list(range(40))
    for number, array in results.items():
        np.testing.assert_allclose(array, expected(X * number), rtol=1e-6)


def test_output_tensors_are_written_to(compiled: CompiledModel) -> None:
    request = compiled.create_infer_request()
    memory = np.zeros((1, 3, 4), np.float32)
    request.set_output_tensor(1, Tensor(memory, shared_memory=True))
    results = request.infer([X, Y], share_outputs=True)
    np.testing.assert_allclose(memory, expected(X), rtol=1e-6)
    assert np.shares_memory(results["relu_0"], memory)
    assert not np.shares_memory(request.infer([X, Y])["relu_0"], memory)
    with pytest.raises(InputError, match="needs more memory"):
        request.infer([np.ones((2, 3, 4), np.float32), Y])


def test_shape_of_an_input_tensor_may_be_changed(compiled: CompiledModel) -> None:
    request = compiled.create_infer_request()
    request.get_input_tensor(0).shape = [2, 3, 4]
    request.get_input_tensor(0).data[:] = 1
    request.get_input_tensor(1).data[:] = Y
    np.testing.assert_allclose(request.infer()["relu_0"], expected(np.ones((2, 3, 4), np.float32)), rtol=1e-6)
    request.get_input_tensor(0).shape = [2, 4, 4]
    with pytest.raises(InputError, match=r"has the shape \[2, 4, 4\]"):
        request.infer()


def test_memory_of_low_bit_tensors() -> None:
    tensor = Tensor(np.array([0x21, 0x43], np.uint8), [4], ir_plugin.Type.u4)
    assert tensor.values.tolist() == [1, 2, 3, 4]
    assert tensor.data.tolist() == [0x21, 0x43]
    assert np.asarray(tensor).tolist() == [1, 2, 3, 4]
    tensor.data[0] = 0x65
    assert tensor.values.tolist() == [5, 6, 3, 4]
    tensor.shape = [2]
    assert tensor.values.tolist() == [5, 6]


def test_notebook_table() -> None:
    html = ir_plugin.Core().read_model(two_inputs(), WEIGHTS)._repr_html_()
    assert "<td style=text-align:left>x_0</td>" in html
    assert "[?,3,4]" in html
    assert "2 Constant" in html


def test_shared_outputs_are_views_of_the_tensors() -> None:
    request = ir_plugin.Core().compile_model(two_inputs(), weights=WEIGHTS).create_infer_request()
    shared, own = request.infer([X, Y], share_outputs=True)[0], request.infer([X, Y])[0]
    assert (shared.flags.owndata, own.flags.owndata) == (False, True)
    assert not np.shares_memory(request.get_output_tensor(0).data, own)
