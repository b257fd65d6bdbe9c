"""Infer requests: one inference at a time, at once or in a thread of its own."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ir_plugin.api.batched import BatchedTensor, batched
from ir_plugin.api.feeding import as_tensor, empty, exact, fitting, fitting_by_position, require_tensor, written
from ir_plugin.api.lookup import position_of
from ir_plugin.api.outputs import Outputs
from ir_plugin.api.profiling import ProfilingInfo, profile
from ir_plugin.api.results import Results, shown
from ir_plugin.api.states import VariableState, variables_of
from ir_plugin.api.tensor import Tensor
from ir_plugin.errors import CallbackError, Error, InputError, require, wrong_type
from ir_plugin.model import ConstOutput, Node, Output
from ir_plugin.operations.memory import memory_for, memory_to
from ir_plugin.runtime import Engine, Interpreter, LayerRun, State, outermost
from ir_plugin.tensors import Array

if TYPE_CHECKING:
    from ir_plugin.api.compiled import CompiledModel


class RequestBusyError(Error):
    """The request is running; `wait` for it first."""


class InferRequest:
    """One inference at a time, with the inputs, outputs and variables it keeps from one to the next."""

    def __init__(self, compiled: CompiledModel) -> None:
        require(getattr(compiled, "engine", None), Engine, "a compiled model", "compiled")
        self._compiled = compiled
        self._state = compiled.engine.new_state()
        self._ports, self._result_ports = compiled.inputs, compiled.outputs
        self._exact = [exact(port) for port in self._ports]
        self._inputs: dict[int, Tensor | Array] = {}
        self._outputs = Outputs(self._result_ports)
        self._latency = 0.0
        self._seconds: dict[Node, float] = {}
        self._lock = threading.Lock()
        self._busy = self._was_started = False
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
        """Run, and return the outputs; inputs that are not given are those that were set or given before.

        With `share_inputs=True` arrays are not copied, and must not change before the next inference has ended.
        Tensors are never copied. With `share_outputs=True` the arrays are the memory of the request's output tensors.
        """
        self._start()
        try:
            self._feed(inputs, share_inputs)
            found = self._execute()
            (self._outputs.keep if share_outputs else self._outputs.keep_copies)(found)
        finally:
            self._busy = False
        return self._results(decode_strings, True) if share_outputs else self._shown(found, decode_strings)

    def infer_only(self, inputs: Any, share_inputs: bool, decode_strings: bool = True) -> Results:
        """Run, and return the outputs, of which the request keeps nothing."""
        self._start()
        try:
            self._feed(inputs, share_inputs)
            return self._shown(self._execute(), decode_strings)
        finally:
            self._busy = False

    def start_async(self, inputs: Any = None, userdata: Any = None, share_inputs: bool = False) -> None:
        """Run in a thread of its own; `wait` for the end. `userdata` is given to the callback."""
        self._start()
        try:
            self._feed(inputs, share_inputs)
        except BaseException:
            self._busy = False
            raise
        if userdata is not None:
            self._set_userdata(userdata)
        self._done.clear()
        threading.Thread(target=self._work, name="ir_plugin request", daemon=True).start()

    def _set_userdata(self, userdata: Any) -> None:
        if self._callback is None:
            warnings.warn("there is no callback that userdata could be given to", RuntimeWarning, stacklevel=3)
        else:
            self._userdata = userdata

    def _start(self) -> None:
        with self._lock:
            self._require_idle()
            self._busy = self._was_started = True
            self._state.cancelled = False
            self._fault = None

    def _work(self) -> None:
        try:
            try:
                self._outputs.keep(self._execute())
            finally:
                self._busy = False
            if self._callback is not None:
                _call(self._callback, self._told())
        except BaseException as fault:  # noqa: BLE001 (raised again by wait, in the thread that waits)
            self._fault = fault
        finally:
            if not self._busy:
                self._done.set()

    def _told(self) -> tuple[Any, ...]:
        return (self._userdata,)

    def _feed(self, inputs: Any, share: bool) -> None:
        with memory_to("take the inputs"):
            given = fitting_by_position(self._ports, inputs, self._exact)
        for position, value in given.items():
            with memory_for(self._ports[position].node):
                self._keep(position, value, share)

    def _keep(self, position: int, value: Tensor | Array, share: bool) -> None:
        """Keep an input: a tensor or a shared array as it is, or else a copy, in the tensor that was set for it."""
        held = self._inputs.get(position)
        if isinstance(value, Tensor) or (share and value.flags.writeable):
            self._inputs[position] = value
        elif not (isinstance(held, Tensor) and written(held, as_tensor(self._ports[position], value))):
            self._inputs[position] = value if value.dtype == np.object_ else np.array(value)

    def _execute(self) -> list[Array]:
        start = time.perf_counter()
        seconds: dict[Node, float] = {}

        def observe(node: Node, _inputs: Any, _outputs: Any, took: float) -> None:
            seconds[node] = seconds.get(node, 0.0) + took

        given = self._fed()
        observer = observe if self._compiled.is_profiled else None
        found = self._compiled.run(given, self._state, observer)
        self._seconds = seconds
        self._latency = (time.perf_counter() - start) * 1000
        return found

    def _fed(self) -> dict[int, Array]:
        """Return the inputs; tensors may have got other shapes since they were set."""
        return {
            position: fitting(self._ports[position], given, position) if isinstance(given, Tensor) else given
            for position, given in self._inputs.items()
        }

    def _results(self, decode_strings: bool, share: bool) -> Results:
        arrays = self._outputs.arrays
        if arrays is None:
            raise InputError("the request has not run yet")
        return self._shown(arrays, decode_strings, share)

    def _shown(self, arrays: list[Array], decode_strings: bool, share: bool = True) -> Results:
        return Results(self._result_ports, [shown(array, decode_strings, share) for array in arrays])

    def wait(self) -> None:
        """Wait for the end of `start_async`, and raise what went wrong in it or in its callback."""
        self._done.wait()
        self._raise()

    def wait_for(self, timeout: float) -> bool:
        """Wait for at most `timeout` milliseconds; return whether an inference has ended, and raise as `wait` does."""
        require(timeout, Real, "a number of milliseconds", "timeout")
        if timeout < 0:
            raise InputError(f"nobody can wait for {timeout} milliseconds")
        ended = self._done.wait(float(timeout) / 1000)
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
        """Call `callback(userdata)` when an inference that `start_async` began has ended."""
        self._require_idle()
        if not callable(callback):
            raise wrong_type("callback", "a function", callback)
        self._callback, self._userdata = callback, userdata

    @property
    def userdata(self) -> Any:
        """What the callback is given."""
        return self._userdata

    def _require_idle(self) -> None:
        if self._busy:
            raise RequestBusyError("the infer request is running; call wait() before it is used again")

    def steps(self, inputs: Any = None, *, bodies: bool = False) -> Iterator[LayerRun]:
        """Run layer by layer: yields each as `(layer, inputs, outputs)` after it was computed.

        An array of the list `outputs` may be replaced by one of the same shape; what follows is computed from it.
        `results` has the outputs when all layers are done. Nothing is fused or folded. With `bodies=True` the layers
        of bodies are steps, too, iteration by iteration; the `name` of such a step is `loop[2]/add`.
        """
        self._start()
        try:
            self._feed(inputs, False)
            given = self._fed()
            interpreter = Interpreter(self._compiled.model, self._compiled.config)
            arrays = self._compiled.arrays_for(given)
            steps = interpreter.steps(arrays, self._state.variables)
            found, self._state.variables = yield from steps if bodies else outermost(steps)
            self._outputs.keep_copies(self._compiled.as_declared(found))
        finally:
            self._busy = False

    def forget_inputs(self) -> None:
        """Forget the inputs that were set or given."""
        self._inputs = {}

    def _input(self, position: int) -> Tensor:
        port, given = self._ports[position], self._inputs.get(position)
        if isinstance(given, BatchedTensor):
            raise InputError(f"input {position} is put together from a list of tensors; get those that were set")
        tensor = empty(port) if given is None else as_tensor(port, given)
        self._inputs[position] = tensor
        return tensor

    def get_input_tensor(self, index: int | None = None) -> Tensor:
        """Return the tensor of an input, to be read or written; of the only one without an index."""
        self._require_idle()
        return self._input(position_of(self._ports, index, "input"))

    def set_input_tensor(self, index: int | Tensor, tensor: Tensor | None = None) -> None:
        """Let an input be this tensor, whose memory is used as it is; the only one without an index."""
        key, given = (None, index) if tensor is None else (index, tensor)
        self._set_input(position_of(self._ports, key, "input"), given)

    def set_input_tensors(self, inputs: Any, tensors: Sequence[Tensor] | None = None) -> None:
        """Let inputs be the tensors of a dictionary by index, or one input all of a list, joined along its batch."""
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
        require_tensor(tensor)
        fitting(self._ports[position], tensor, position)
        self._inputs[position] = tensor

    def get_output_tensor(self, index: int | None = None) -> Tensor:
        """Return the tensor of an output, which each inference writes into; of the only one without an index."""
        self._require_idle()
        return self._outputs.tensor(position_of(self._result_ports, index, "output"))

    def set_output_tensor(self, index: int | Tensor, tensor: Tensor | None = None) -> None:
        """Let an output be written into this tensor; the only one without an index."""
        key, given = (None, index) if tensor is None else (index, tensor)
        self._set_output(position_of(self._result_ports, key, "output"), given)

    def set_output_tensors(self, tensors: Mapping[int, Tensor]) -> None:
        """Let several outputs be written into these tensors, by index."""
        require(tensors, Mapping, "a dictionary of tensors", "tensors")
        for index, tensor in tensors.items():
            self.set_output_tensor(index, tensor)

    def _set_output(self, position: int, tensor: Any) -> None:
        self._require_idle()
        require_tensor(tensor)
        fitting(self._result_ports[position], tensor, position, "output")
        self._outputs.set_tensor(position, tensor)

    def get_tensor(self, name_or_port: str | Output) -> Tensor:
        """Return the tensor of the input or output of this name, or of this port."""
        self._require_idle()
        kind, position = self._place(name_or_port)
        return self._input(position) if kind == "input" else self._outputs.tensor(position)

    def set_tensor(self, name_or_port: str | Output, tensor: Tensor) -> None:
        """Let the input or output of this name, or of this port, be this tensor."""
        kind, position = self._place(name_or_port)
        (self._set_input if kind == "input" else self._set_output)(position, tensor)

    def set_tensors(self, inputs: Any, tensors: Sequence[Tensor] | None = None) -> None:
        """Let inputs and outputs be the tensors of a dictionary by name or port, or one input all of a list."""
        if tensors is not None:
            self.set_input_tensors(inputs, tensors)
        else:
            require(inputs, Mapping, "a dictionary of tensors", "inputs")
            for name_or_port, tensor in inputs.items():
                self.set_tensor(name_or_port, tensor)

    def _place(self, key: str | Output) -> tuple[str, int]:
        if not isinstance(key, (str, Output)):
            raise wrong_type("name", "the name of a tensor, or a port,", key)
        try:
            return "input", position_of(self._ports, key, "input")
        except InputError as no_input:
            try:
                return "output", position_of(self._result_ports, key, "output")
            except InputError as no_output:
                raise InputError(f"{no_input}; {no_output}") from None

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

    @property
    def latency(self) -> float:
        """How long the last inference took, in milliseconds."""
        self._require_idle()
        return self._latency

    @property
    def profiling_info(self) -> list[ProfilingInfo]:
        """How long each layer of the last inference took, where the model was compiled with PERF_COUNT."""
        return self.get_profiling_info()

    def get_profiling_info(self) -> list[ProfilingInfo]:
        """Return how long each layer of the last inference took, where the model was compiled with PERF_COUNT."""
        self._require_idle()
        return profile(self._compiled.model, self._seconds)

    @property
    def state(self) -> State:
        """The variables as the engine keeps them."""
        return self._state

    def query_state(self) -> list[VariableState]:
        """Return the variables, which can be read, set and reset."""
        return [VariableState(variable.info, self._state) for variable in variables_of(self._compiled.model)]

    def reset_state(self) -> None:
        """Give all variables their initial values again."""
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

    def get_compiled_model(self) -> CompiledModel:
        """Return the compiled model that the request belongs to."""
        return self._compiled

    def __repr__(self) -> str:
        return repr(self._compiled).replace("<CompiledModel:", "<InferRequest:", 1)


def _call(callback: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        callback(*arguments)
    except BaseException as fault:
        raise CallbackError.of(fault) from fault
