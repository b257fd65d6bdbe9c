"""Compiled models, which run inputs through the engine."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any, BinaryIO, Literal, overload

import numpy as np

from ir_plugin.errors import InputError, require, wrong_type
from ir_plugin.executor import Engine, Interpreter, Observer, State
from ir_plugin.model import ConstOutput, Node, Output
from ir_plugin.model.graph import all_nodes
from ir_plugin.openvino.api import properties
from ir_plugin.openvino.api.custom import Op, require_evaluate
from ir_plugin.openvino.api.editing import infer
from ir_plugin.openvino.api.exported import to_bytes
from ir_plugin.openvino.api.feeding import arrays_by_position, require_all
from ir_plugin.openvino.api.html import model_table
from ir_plugin.openvino.api.intermediates import Intermediates, Recorder, Stopped
from ir_plugin.openvino.api.lookup import find_port, single_key
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.api.request import InferRequest
from ir_plugin.openvino.api.results import Results
from ir_plugin.openvino.api.states import VariableState
from ir_plugin.openvino.properties.hint import PerformanceMode
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo
from ir_plugin.tensors.packing import to_type

_LEGACY = 10
"""The version of IRs whose inputs and outputs have other types for callers."""

_WIDE = ("i64", "u64", "u32", "i32")


class CompiledModel:
    """A model that is ready to run: `compiled([array])`, `compiled({"name": array})`.

    It holds a copy of its source model. Requests are independent of each other and may run in parallel.
    """

    def __init__(self, model: Model, config: Mapping[str, Any], *, is_from_cache: bool = False) -> None:
        require(model, Model, "a model that was read", "model")
        self._model = model.clone()
        _mark_compiled(self._model)
        for node in self._model.ordered():
            if isinstance(node, Op):
                require_evaluate(node)
        self._config = properties.checked(config)
        self._is_from_cache = is_from_cache
        self._engine = Engine(self._model, self._config)
        version = model.version
        self._inputs = [_as_type(port, _input_type(port.element_type, version)) for port in self._model.inputs]
        self._outputs = [_as_type(port, _output_type(port.element_type, version)) for port in self._model.outputs]
        self._run_types = [port.element_type for port in self._model.inputs]
        self._result_types = [port.element_type for port in self._outputs]
        self._lock = threading.Lock()
        self._request: InferRequest | None = None
        self._seconds: Mapping[Node, float] = {}
        self._prepare()

    def _prepare(self) -> None:
        """Compile a plan if all shapes are known, so that a model that cannot run is refused now."""
        tensors = [port.tensor_info for port in self._model.inputs]
        if all(tensor.shape.is_static and tensor.element_type.is_static for tensor in tensors):
            self._engine.plan(self._model, tensors)

    @property
    def inputs(self) -> list[ConstOutput]:
        """The inputs, in order."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[ConstOutput]:
        """The outputs, in order."""
        return list(self._outputs)

    def input(
        self, key: int | str | Output | None = None, *, index: int | None = None, tensor_name: str | None = None
    ) -> ConstOutput:
        """Return the input of this index or name, or the only one."""
        return find_port(self._inputs, single_key(key, index, tensor_name), "input")

    def output(
        self, key: int | str | Output | None = None, *, index: int | None = None, tensor_name: str | None = None
    ) -> ConstOutput:
        """Return the output of this index or name, or the only one."""
        return find_port(self._outputs, single_key(key, index, tensor_name), "output")

    def create_infer_request(self) -> InferRequest:
        """Return a new request with its own inputs, outputs and state."""
        return InferRequest(self)

    def infer_new_request(self, inputs: Any = None) -> Results:
        """Return the outputs of a run with a new request."""
        return self.create_infer_request().infer_only(inputs, share_inputs=True)

    @overload
    def __call__(
        self,
        inputs: Any = ...,
        share_inputs: bool = ...,
        share_outputs: bool = ...,
        *,
        decode_strings: bool = ...,
        intermediate: Literal[False] = ...,
        verbose: int = ...,
    ) -> Results: ...
    @overload
    def __call__(
        self,
        inputs: Any = ...,
        share_inputs: bool = ...,
        share_outputs: bool = ...,
        *,
        decode_strings: bool = ...,
        intermediate: Literal[True],
        verbose: int = ...,
    ) -> Intermediates: ...
    def __call__(
        self,
        inputs: Any = None,
        share_inputs: bool = True,
        share_outputs: bool = False,  # noqa: ARG002 (outputs are new arrays either way)
        *,
        decode_strings: bool = True,
        intermediate: bool = False,
        verbose: int = 0,
    ) -> Results | Intermediates:
        """Return the outputs of a run with the model's own request, which keeps its state between calls.

        `inputs` is an array for the only input, a list in the order of the inputs, or a dictionary by index, name or
        port. Outputs are new arrays, also with `share_outputs=True`. With `intermediate=True` the outputs of every
        layer are returned; with `verbose=1` each layer is written to the standard output, with `verbose=2` also the
        first values of its outputs.
        """
        if intermediate or verbose:
            layers = self.intermediates(inputs, verbose=verbose, decode_strings=decode_strings)
            return layers if intermediate or layers.results is None else layers.results
        if self._lock.acquire(blocking=False):
            try:
                return self._fresh_request().infer_only(inputs, share_inputs, decode_strings)
            finally:
                self._lock.release()
        if not self.query_state():
            return self.create_infer_request().infer_only(inputs, share_inputs, decode_strings)
        with self._lock:
            return self._fresh_request().infer_only(inputs, share_inputs, decode_strings)

    def _fresh_request(self) -> InferRequest:
        """Return the model's own request without earlier inputs, which must not replace missing ones."""
        request = self._own_request()
        request.forget_inputs()
        return request

    def _own_request(self) -> InferRequest:
        """Return the model's own request."""
        if self._request is None:
            self._request = self.create_infer_request()
        return self._request

    def intermediates(
        self,
        inputs: Any = None,
        layers: str | Iterable[str] | None = None,
        stop_after: str = "",
        *,
        verbose: int = 0,
        decode_strings: bool = True,
    ) -> Intermediates:
        """Return the outputs of the layers that match `layers`, one or several globs of names, from a run by layers.

        Iterations of bodies are included; the run ends after the layer named by `stop_after`. Nothing is fused or
        folded, so the last digits may differ from a normal run.
        """
        arrays = self.arrays_for(arrays_by_position(self._inputs, inputs))
        recorder = Recorder(self._model, layers, stop_after, verbose)
        interpreter = Interpreter(self._model, self._config, recorder)
        state = self._own_request().state
        try:
            outputs, state.variables = interpreter.run(arrays, state.variables)
        except Stopped:
            return Intermediates(recorder.runs, None)
        results = Results.of(self._outputs, self.as_declared(outputs), decode_strings, False)
        return Intermediates(recorder.runs, results)

    def query_state(self) -> list[VariableState]:
        """Return the variables of the model's own request."""
        return self._own_request().query_state()

    def reset_state(self) -> None:
        """Reset all variables of the model's own request to their initial values."""
        self._own_request().reset_state()

    def get_runtime_model(self) -> Model:
        """Return the execution graph: a node for each step, with layerType, execTimeMcs and more in rt_info."""
        from ir_plugin.openvino.api.runtime_model import runtime_model

        return runtime_model(self._model, self._engine.latest_plan(), self._seconds)

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledModel, (self._model, self._config)

    def export_model(self, model_stream: BinaryIO | None = None) -> BytesIO | None:
        """Write model and configuration for `Core.import_model` to `model_stream` and rewind it, or to a new stream."""
        data = to_bytes(self._model, self._config)
        if model_stream is None:
            return BytesIO(data)
        if not callable(getattr(model_stream, "write", None)):
            raise wrong_type("model_stream", "a stream of bytes", model_stream)
        model_stream.write(data)
        model_stream.flush()
        model_stream.seek(0)
        return None

    def get_property(self, name: str) -> Any:
        """Return a property of OpenVINO or of this library; the performance hint as text."""
        value = properties.find(name, self._config, self._facts(), "RO")
        return value.name if isinstance(value, PerformanceMode) else value

    def set_property(self, config: Mapping[str, Any] | tuple[str, Any]) -> None:
        """Raise, as the properties of a compiled model are set when it is compiled."""
        properties.checked(config if isinstance(config, Mapping) else properties.pair(config))
        raise InputError("a compiled model cannot be configured any more; give the properties to compile_model")

    def release_memory(self) -> None:
        """Release the model's own request with its memory and state."""
        self._request = None

    def _facts(self) -> dict[str, Any]:
        return {
            "NETWORK_NAME": self._model.friendly_name,
            "OPTIMAL_NUMBER_OF_INFER_REQUESTS": 1,
            "EXECUTION_DEVICES": ["NUMPY"],
            "LOADED_FROM_CACHE": self._is_from_cache,
            "INFERENCE_NUM_THREADS": self._engine.threads,
        }

    @property
    def is_profiled(self) -> bool:
        """Whether every layer of every run is timed."""
        return bool(self._config.get("PERF_COUNT", False))

    @property
    def engine(self) -> Engine:
        """The engine that executes the model."""
        return self._engine

    @property
    def model(self) -> Model:
        """The executed copy of the model, which must not be changed."""
        return self._model

    @property
    def config(self) -> Mapping[str, Any]:
        """The configured properties, as a copy."""
        return dict(self._config)

    def arrays_for(self, inputs: Mapping[int, Array]) -> list[Array]:
        """Return the inputs by position in the types of the parameters; raises if one is missing."""
        if len(inputs) != len(self._inputs):
            require_all(self._inputs, inputs)
        return [_cast(inputs[position], type) for position, type in enumerate(self._run_types)]

    def as_declared(self, results: Sequence[Array]) -> list[Array]:
        """Return results in the declared types of the outputs."""
        return [_cast(array, type) for array, type in zip(results, self._result_types, strict=True)]

    def keep_times(self, seconds: Mapping[Node, float]) -> None:
        """Keep the time of each layer in the last inference, for the runtime model."""
        self._seconds = seconds

    def run(self, inputs: Mapping[int, Array], state: State, observer: Observer | None = None) -> list[Array]:
        """Return the outputs for inputs by position, and update the state."""
        return self.as_declared(self._engine.run(self.arrays_for(inputs), state, observer))

    def _repr_html_(self) -> str:
        return model_table(self._model, self._inputs, self._outputs)

    def __repr__(self) -> str:
        inputs, outputs = (",\n".join(map(repr, ports)) for ports in (self._inputs, self._outputs))
        return f"<CompiledModel:\ninputs[\n{inputs}\n]\noutputs[\n{outputs}\n]>"


def _cast(array: Array, type: ElementType) -> Array:
    if array.dtype is type.memory_dtype or type.is_dynamic:
        return array
    with np.errstate(all="ignore"):
        return to_type(array, type)


def _as_type(port: Output, type: ElementType) -> ConstOutput:
    """Return a constant copy of a port with an element type."""
    copy = ConstOutput(port.node, port.index, port.port_id, port.declared, port.names)
    copy.rt_info = port.rt_info
    copy.tensor_info = (
        port.tensor_info if type is port.element_type else TensorInfo(type, PartialShape(port.partial_shape))
    )
    return copy


def _input_type(element_type: ElementType, version: int) -> ElementType:
    """Return the type of a model's input for callers: f32 for f16 in a version 10 model."""
    return ElementType.f32 if version == _LEGACY and element_type is ElementType.f16 else element_type


def _output_type(element_type: ElementType, version: int) -> ElementType:
    """Return the type of a model's output for callers: in a version 10 model i32 for wide integers, else f32."""
    if version != _LEGACY or element_type.is_dynamic:
        return element_type
    return ElementType.i32 if element_type.name in _WIDE else ElementType.f32


def _mark_compiled(model: Model) -> None:
    """Mark operations whose output shapes change by compilation as compiled, and infer the model again."""
    reshaped = [node.operation for node in all_nodes(model) if node.operation and node.operation.reshaped_by_compiling]
    for operation in reshaped:
        operation.is_compiled = True
    if reshaped:
        infer(model, "the model cannot be compiled")
