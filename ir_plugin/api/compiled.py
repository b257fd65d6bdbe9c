"""Compiled models, infer requests and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ir_plugin.api.feeding import arrays_for
from ir_plugin.api.legacy import legacy_input_type, legacy_output_type
from ir_plugin.api.lookup import find_port, position_of
from ir_plugin.api.model import Model
from ir_plugin.errors import InputError
from ir_plugin.model import Output
from ir_plugin.runtime import Engine, State
from ir_plugin.tensors import Array, ElementType, PartialShape, Tensor


class Results(Mapping[Any, Array]):
    """The outputs of an inference, by index, name or port; iterated over in the order of the model's outputs."""

    def __init__(self, ports: Sequence[Output], arrays: Sequence[Array]) -> None:
        self._ports = ports
        self._arrays = list(arrays)

    def __getitem__(self, key: Any) -> Array:
        try:
            return self._arrays[position_of(self._ports, key, "output")]
        except InputError as fault:
            raise KeyError(str(fault)) from None

    def __iter__(self) -> Iterator[Output]:
        return iter(self._ports)

    def __len__(self) -> int:
        return len(self._ports)

    def names(self) -> tuple[set[str], ...]:
        """Return the tensor names of each output."""
        return tuple(set(port.names) for port in self._ports)

    def to_dict(self) -> dict[Output, Array]:
        """Return the outputs as a plain dictionary by port."""
        return dict(zip(self._ports, self._arrays, strict=True))

    def to_tuple(self) -> tuple[Array, ...]:
        """Return the outputs in order."""
        return tuple(self._arrays)

    def __repr__(self) -> str:
        return repr(self.to_dict())


class CompiledModel:
    """A model that is ready to run: `compiled([array])`, `compiled({"name": array})`."""

    def __init__(self, model: Model, config: Mapping[str, Any]) -> None:
        self._model = model
        self._engine = Engine(model, config)
        self._input_types = [legacy_input_type(port.element_type, model.version) for port in model.inputs]
        self._output_types = [legacy_output_type(port.element_type, model.version) for port in model.outputs]
        self.inputs = [_as_type(port, type) for port, type in zip(model.inputs, self._input_types, strict=True)]
        self.outputs = [_as_type(port, type) for port, type in zip(model.outputs, self._output_types, strict=True)]
        self._request: InferRequest | None = None
        self._prepare()

    def _prepare(self) -> None:
        """Plan ahead where all shapes are known, so that what cannot run is refused now."""
        tensors = [port.tensor for port in self._model.inputs]
        if all(tensor.shape.is_static and tensor.element_type.is_static for tensor in tensors):
            self._engine.plan(self._model, tensors)

    def input(self, key: Any = None) -> Output:
        """Return the input of this index or name, or the only one."""
        return find_port(self.inputs, key, "input")

    def output(self, key: Any = None) -> Output:
        """Return the output of this index or name, or the only one."""
        return find_port(self.outputs, key, "output")

    def create_infer_request(self) -> InferRequest:
        """Return a new request, with a state of its own."""
        return InferRequest(self)

    def infer_new_request(self, inputs: Any = None) -> Results:
        """Run once, with a new request."""
        return self.create_infer_request().infer(inputs)

    def __call__(self, inputs: Any = None, **_: Any) -> Results:
        """Run with the model's own request, which keeps its state from call to call."""
        if self._request is None:
            self._request = self.create_infer_request()
        return self._request.infer(inputs)

    def get_runtime_model(self) -> Model:
        """Return the model that is run."""
        return self._model

    def _run(self, inputs: Any, state: State) -> Results:
        ports = self._model.inputs
        arrays = arrays_for(self.inputs, self._input_types, inputs)
        fed = [_cast(array, port.element_type) for array, port in zip(arrays, ports, strict=True)]
        found = self._engine.run(fed, state)
        results = [_cast(array, type) for array, type in zip(found, self._output_types, strict=True)]
        return Results(self.outputs, results)

    def __repr__(self) -> str:
        return f"<CompiledModel: '{self._model.name}' on NUMPY>"


class InferRequest:
    """One inference at a time, with the variables it keeps from one to the next."""

    def __init__(self, compiled: CompiledModel) -> None:
        self._compiled = compiled
        self._state = compiled._engine.new_state()
        self._results: Results | None = None

    def infer(self, inputs: Any = None, **_: Any) -> Results:
        """Run, and return the outputs."""
        self._results = self._compiled._run(inputs, self._state)
        return self._results

    @property
    def results(self) -> Results:
        """The outputs of the last inference."""
        if self._results is None:
            raise InputError("the request has not run yet")
        return self._results

    def reset_state(self) -> None:
        """Give all variables their initial values again."""
        self._state.variables = {}

    @property
    def model_inputs(self) -> list[Output]:
        """The inputs of the model."""
        return self._compiled.inputs

    @property
    def model_outputs(self) -> list[Output]:
        """The outputs of the model."""
        return self._compiled.outputs


def _cast(array: Array, type: ElementType) -> Array:
    return array if type.is_dynamic or array.dtype == type.dtype else array.astype(type.dtype)


def _as_type(port: Output, type: ElementType) -> Output:
    """Return the port as the compiled model shows it."""
    if port.element_type is type:
        return port
    shown = Output(port.node, port.index, port.port_id, port.declared, port.names)
    shown.tensor = Tensor(type, PartialShape(port.partial_shape))
    return shown
