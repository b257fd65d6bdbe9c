"""Infer requests: one inference at a time, synchronous or in a background thread."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ir_plugin.errors import CallbackError, InputError, RequestBusyError, require, wrong_type
from ir_plugin.executor import Engine, Interpreter, LayerRun, State, outermost
from ir_plugin.model import ConstOutput, Node, Output
from ir_plugin.openvino.api import feeding
from ir_plugin.openvino.api.batched import BatchedTensor, batched
from ir_plugin.openvino.api.executable_model import ExecutableModel
from ir_plugin.openvino.api.feeding import Accepted
from ir_plugin.openvino.api.lookup import position_of, position_of_either
from ir_plugin.openvino.api.outputs import Outputs
from ir_plugin.openvino.api.profiling import ProfilingInfo, profile
from ir_plugin.openvino.api.results import Results
from ir_plugin.openvino.api.states import VariableState, variables_of
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.operations.memory import out_of_memory
from ir_plugin.tensors import Array


class InferRequest:
    """An inference at a time, with inputs, outputs and variables that persist between inferences."""

    def __init__(self, compiled: ExecutableModel) -> None:
        require(getattr(compiled, "engine", None), Engine, "a compiled model", "compiled")
        self._compiled = compiled
        self._state = compiled.engine.new_state()
        self._ports, self._result_ports = compiled.inputs, compiled.outputs
        self._accepted = Accepted(self._ports)
        self._inputs: dict[int, Tensor | Array] = {}
        self._outputs = Outputs(self._result_ports)
        self._latency = 0.0
        self._seconds: dict[Node, float] = {}
        self._running = threading.Lock()
        self._pending: threading.Thread | None = None
        self._was_started = False
        self._done = threading.Event()
        self._done.set()
        self._fault: BaseException | None = None
        self._callback: Callable[..., Any] | None = None
        self._userdata: Any = None

    def infer(
        self,
        inputs: Any = None,
        share_inputs: bool = False,
        share_outputs: bool = False,
        *,
        decode_strings: bool = True,
    ) -> Results:
        """Return the outputs of a run; missing inputs keep their earlier values.

        With `share_inputs=True` arrays are not copied, unless they are read-only, and must not change before the next
        inference ends; tensors are never copied. With `share_outputs=True` the arrays are the request's output tensors.
        """
        self._require_idle()
        with self._running:
            self._begin()
            self._feed(inputs, share_inputs)
            arrays = self._execute()
            (self._outputs.keep if share_outputs else self._outputs.keep_copies)(arrays)
        return self._results(decode_strings, True) if share_outputs else self._shown(arrays, decode_strings)

    def infer_only(self, inputs: Any, share_inputs: bool, decode_strings: bool = True) -> Results:
        """Return the outputs of a run, without keeping them."""
        self._require_idle()
        with self._running:
            self._begin()
            self._feed(inputs, share_inputs)
            return self._shown(self._execute(), decode_strings)

    def start_async(self, inputs: Any = None, userdata: Any = None, share_inputs: bool = False) -> None:
        """Start a run in a background thread, for which `wait` waits; `userdata` is passed to the callback."""
        self._require_idle()
        with self._running:
            self._begin()
            self._feed(inputs, share_inputs)
            if userdata is not None:
                self._set_userdata(userdata)
            done = threading.Event()
            self._pending = threading.Thread(target=self._work, args=(done,), name="ir_plugin request", daemon=True)
            self._pending.start()
            self._done = done

    def _set_userdata(self, userdata: Any) -> None:
        if self._callback is None:
            warnings.warn("there is no callback that userdata could be given to", RuntimeWarning, stacklevel=3)
        else:
            self._userdata = userdata

    def _begin(self) -> None:
        self._was_started = True
        self._state.cancelled = False
        self._fault = None

    def _work(self, done: threading.Event) -> None:
        try:
            with self._running:
                try:
                    self._outputs.keep(self._execute())
                finally:
                    self._pending = None
            if self._callback is not None:
                try:
                    self._callback(*self._callback_arguments())
                except BaseException as fault:
                    raise CallbackError.of(fault) from fault
        except BaseException as fault:  # noqa: BLE001 (raised again by wait, in the thread that waits)
            self._fault = fault
        finally:
            done.set()

    def _callback_arguments(self) -> tuple[Any, ...]:
        return (self._userdata,)

    def _feed(self, inputs: Any, share: bool) -> None:
        try:
            values = feeding.fitting_by_position(self._ports, inputs, self._accepted)
        except MemoryError as fault:
            raise out_of_memory(fault, do="take the inputs") from None
        position = -1
        try:
            for position, value in values.items():
                self._keep(position, value, share)
        except MemoryError as fault:
            raise out_of_memory(fault, self._ports[position].node) from None

    def _keep(self, position: int, value: Tensor | Array, share: bool) -> None:
        """Keep an input: a tensor or shared array itself, else a copy, in the tensor set for it.

        A read-only shared array is copied, as in OpenVINO.
        """
        current = self._inputs.get(position)
        if isinstance(value, Tensor):
            self._inputs[position] = value
        elif share:
            self._inputs[position] = value if value.flags.writeable else np.array(value)
        elif not (
            isinstance(current, Tensor)
            and feeding.copied_into(current, feeding.as_tensor(self._ports[position], value))
        ):
            self._inputs[position] = value if value.dtype == np.object_ else np.array(value)

    def _execute(self) -> list[Array]:
        start = time.perf_counter()
        seconds: dict[Node, float] = {}

        def observe(node: Node, _inputs: Any, _outputs: Any, elapsed: float) -> None:
            seconds[node] = seconds.get(node, 0.0) + elapsed

        inputs = self._fitted_inputs()
        observer = observe if self._compiled.is_profiled else None
        outputs = self._compiled.run(inputs, self._state, observer)
        self._seconds = seconds
        self._compiled.keep_times(seconds)
        self._latency = (time.perf_counter() - start) * 1000
        return outputs

    def _fitted_inputs(self) -> dict[int, Array]:
        """Return the inputs, checked again because tensors may change their shapes."""
        return {
            position: feeding.fitting(self._ports[position], value, position) if isinstance(value, Tensor) else value
            for position, value in self._inputs.items()
        }

    def _results(self, decode_strings: bool, share: bool) -> Results:
        arrays = self._outputs.arrays
        if arrays is None:
            raise InputError("the request has not run yet")
        views = [array.view() if isinstance(array, np.ndarray) else array for array in arrays]
        return self._shown(views, decode_strings, share)

    def _shown(self, arrays: list[Array], decode_strings: bool, share: bool = True) -> Results:
        return Results.of(self._result_ports, arrays, decode_strings, share)

    def wait(self) -> None:
        """Wait for the end of `start_async`, and raise an error of the run or of its callback."""
        while not self._done.is_set():
            self._done.wait()
        self._raise()

    def wait_for(self, timeout: float) -> bool:
        """Wait at most `timeout` milliseconds, return whether an inference has ended, and raise like `wait`."""
        require(timeout, Real, "a number of milliseconds", "timeout")
        if timeout < 0:
            raise InputError(f"nobody can wait for {timeout} milliseconds")
        self._done.wait(float(timeout) / 1000)
        ended = self._done.is_set()
        if ended:
            self._raise()
        return ended and self._was_started

    def _raise(self) -> None:
        if self._fault is not None:
            raise self._fault

    def cancel(self) -> None:
        """End a running inference before its next layer; `wait` then raises."""
        self._state.cancelled = True

    def set_callback(self, callback: Callable[..., Any], userdata: Any = None) -> None:
        """Set the function called as `callback(userdata)` at the end of each `start_async`."""
        self._require_idle()
        if not callable(callback):
            raise wrong_type("callback", "a function", callback)
        self._callback, self._userdata = callback, userdata

    @property
    def userdata(self) -> Any:
        """The argument of the callback."""
        return self._userdata

    def _require_idle(self) -> None:
        """Raise while an inference runs.

        The interpreter alone holds and releases the lock, in `with`: no interrupt comes between. A thread that an
        interrupt kept from starting is not alive.
        """
        pending = self._pending
        if self._running.locked() or (pending is not None and pending.is_alive()):
            raise RequestBusyError("the infer request is running; call wait() before it is used again")

    def steps(self, inputs: Any = None, *, bodies: bool = False) -> Iterator[LayerRun]:
        """Yield each layer of a run as `(layer, inputs, outputs)` after its execution.

        An array of the list `outputs` may be replaced by another of the same shape, which later layers then read.
        `results` has the outputs after the last layer. Nothing is fused or folded. With `bodies=True` the layers of
        bodies are steps, too, iteration by iteration; the `name` of such a step is `loop[2]/add`.
        """
        self._require_idle()
        with self._running:
            self._begin()
            self._feed(inputs, False)
            values = self._fitted_inputs()
            interpreter = Interpreter(self._compiled.model, self._compiled.config)
            arrays = self._compiled.arrays_for(values)
            steps = interpreter.steps(arrays, self._state.variables)
            outputs, self._state.variables = yield from steps if bodies else outermost(steps)
            self._outputs.keep_copies(self._compiled.as_declared(outputs))

    def forget_inputs(self) -> None:
        """Forget all inputs."""
        self._inputs = {}

    def _input(self, position: int) -> Tensor:
        port, value = self._ports[position], self._inputs.get(position)
        if isinstance(value, BatchedTensor):
            raise InputError(f"input {position} is put together from a list of tensors; get those that were set")
        tensor = feeding.empty(port) if value is None else feeding.as_tensor(port, value)
        self._inputs[position] = tensor
        return tensor

    def get_input_tensor(self, index: int | None = None) -> Tensor:
        """Return the readable and writable tensor of an input; without an index, of the only one."""
        self._require_idle()
        return self._input(position_of(self._ports, index, "input"))

    def set_input_tensor(self, index: int | Tensor, tensor: Tensor | None = None) -> None:
        """Set the tensor of an input without a copy; without an index, of the only one."""
        key, value = (None, index) if tensor is None else (index, tensor)
        self._set_input(position_of(self._ports, key, "input"), value)

    def set_input_tensors(self, inputs: Any, tensors: Sequence[Tensor] | None = None) -> None:
        """Set input tensors from a dictionary by index, or an input from a list, joined along its batch."""
        if isinstance(inputs, Mapping):
            for index, tensor in inputs.items():
                self.set_input_tensor(index, tensor)
        else:
            key, parts = (None, inputs) if tensors is None else (inputs, tensors)
            require(parts, (list, tuple), "a dictionary or a list of tensors", "inputs")
            position = position_of(self._ports, key, "input")
            self._set_input(position, batched(parts, self._ports[position]))

    def _set_input(self, position: int, tensor: Any) -> None:
        self._require_idle()
        feeding.require_tensor(tensor)
        feeding.fitting(self._ports[position], tensor, position)
        self._inputs[position] = tensor

    def get_output_tensor(self, index: int | None = None) -> Tensor:
        """Return the tensor of an output, into which each inference writes; without an index, of the only one."""
        self._require_idle()
        return self._outputs.tensor(position_of(self._result_ports, index, "output"))

    def set_output_tensor(self, index: int | Tensor, tensor: Tensor | None = None) -> None:
        """Set the tensor into which an output is written; without an index, the only output."""
        key, value = (None, index) if tensor is None else (index, tensor)
        self._set_output(position_of(self._result_ports, key, "output"), value)

    def set_output_tensors(self, tensors: Mapping[int, Tensor]) -> None:
        """Set the tensors into which outputs are written, by index."""
        require(tensors, Mapping, "a dictionary of tensors", "tensors")
        for index, tensor in tensors.items():
            self.set_output_tensor(index, tensor)

    def _set_output(self, position: int, tensor: Any) -> None:
        self._require_idle()
        feeding.require_tensor(tensor)
        feeding.fitting(self._result_ports[position], tensor, position, "output")
        self._outputs.set_tensor(position, tensor)

    def get_tensor(self, name_or_port: str | Output) -> Tensor:
        """Return the tensor of an input or output by name or port."""
        self._require_idle()
        kind, position = position_of_either(self._ports, self._result_ports, name_or_port)
        return self._input(position) if kind == "input" else self._outputs.tensor(position)

    def set_tensor(self, name_or_port: str | Output, tensor: Tensor) -> None:
        """Set the tensor of an input or output by name or port."""
        kind, position = position_of_either(self._ports, self._result_ports, name_or_port)
        (self._set_input if kind == "input" else self._set_output)(position, tensor)

    def set_tensors(self, inputs: Any, tensors: Sequence[Tensor] | None = None) -> None:
        """Set tensors of inputs and outputs from a dictionary by name or port, or an input from a list."""
        if tensors is not None:
            self.set_input_tensors(inputs, tensors)
        else:
            require(inputs, Mapping, "a dictionary of tensors", "inputs")
            for name_or_port, tensor in inputs.items():
                self.set_tensor(name_or_port, tensor)

    @property
    def input_tensors(self) -> list[Tensor]:
        """The tensors of all inputs."""
        return [self.get_input_tensor(index) for index in range(len(self._ports))]

    @property
    def output_tensors(self) -> list[Tensor]:
        """The tensors of all outputs."""
        return [self.get_output_tensor(index) for index in range(len(self._result_ports))]

    @property
    def results(self) -> Results:
        """The outputs of the last inference, as copies."""
        self._require_idle()
        return self._results(decode_strings=True, share=False)

    def output_values(self) -> list[Array]:
        """Return copies of the last outputs; types that NumPy lacks are returned as numbers, not as bits."""
        return self._outputs.values(self.results.to_tuple())

    @property
    def latency(self) -> float:
        """The duration of the last inference in milliseconds."""
        self._require_idle()
        return self._latency

    @property
    def profiling_info(self) -> list[ProfilingInfo]:
        """The time of each layer in the last inference, if the model was compiled with PERF_COUNT."""
        return self.get_profiling_info()

    def get_profiling_info(self) -> list[ProfilingInfo]:
        """Return the time of each layer in the last inference, if the model was compiled with PERF_COUNT."""
        self._require_idle()
        return profile(self._compiled.model, self._seconds)

    @property
    def state(self) -> State:
        """The engine's state with the variables."""
        return self._state

    def query_state(self) -> list[VariableState]:
        """Return the variables, whose values can be read, set and reset."""
        return [VariableState(variable.info, self._state) for variable in variables_of(self._compiled.model)]

    def reset_state(self) -> None:
        """Reset all variables to their initial values."""
        self._require_idle()
        self._state.variables = {}

    @property
    def model_inputs(self) -> list[ConstOutput]:
        """The inputs of the model."""
        return list(self._ports)

    @property
    def model_outputs(self) -> list[ConstOutput]:
        """The outputs of the model."""
        return list(self._result_ports)

    def get_compiled_model(self) -> ExecutableModel:
        """Return the compiled model of the request."""
        return self._compiled

    def __repr__(self) -> str:
        return repr(self._compiled).replace("<CompiledModel:", "<InferRequest:", 1)
