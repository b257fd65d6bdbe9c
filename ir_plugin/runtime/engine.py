"""The engine: compiles a plan for each combination of input shapes, caches the plans, and runs them."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.compiler.memory.limits import require_inputs, require_memory
from ir_plugin.compiler.plan import Plan, Step, make_plan
from ir_plugin.compiler.progress import interruptible
from ir_plugin.compiler.selection.kernel import FallbackRequired, Options
from ir_plugin.compiler.shapes.specializer import ShapeSpecializer
from ir_plugin.errors import EvaluationError, ShapeError, UnsupportedError
from ir_plugin.kernels.thread_pool import available_threads
from ir_plugin.model import Model, Node
from ir_plugin.operations.base import Operation, compute
from ir_plugin.operations.context import DEFAULT_MEMORY_LIMIT, DEFAULT_TRIP_LIMIT, Context
from ir_plugin.operations.memory import out_of_memory
from ir_plugin.runtime.executable import ExecutableInstance, Slots, State, StepFunction
from ir_plugin.runtime.faults import CancelledError, raise_located, unfit
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.validation.inference import COMPUTATION_ERRORS, Inference

MAX_PLANS = 16
"""The most plans of one model that an engine caches."""

Observer: TypeAlias = Callable[[Node, Sequence[Array | None], Sequence[Array], float], None]
"""Called for every layer with its node, its inputs, its outputs and its seconds."""


class Engine:
    """Runs a model, with a plan for each combination of types and shapes of its parameters."""

    def __init__(self, model: Model, config: Mapping[str, Any] | None = None) -> None:
        self.model = model
        self.config = dict(config or {})
        self.memory_limit = int(self.config.get("MEMORY_LIMIT", DEFAULT_MEMORY_LIMIT))
        self.trip_limit = int(self.config.get("TRIP_LIMIT", DEFAULT_TRIP_LIMIT))
        self.optimize = bool(self.config.get("OPTIMIZE", True))
        self.threads = int(self.config.get("INFERENCE_NUM_THREADS") or 0) or available_threads()
        self.options = Options(
            winograd=int(self.config.get("WINOGRAD", 4)), provider=str(self.config.get("PROVIDER", "auto"))
        )
        self.disabled = tuple(self.config.get("DISABLED_PASSES", ()))
        self._plans: OrderedDict[tuple[Any, ...], Plan] = OrderedDict()
        self._specializers: dict[int, ShapeSpecializer] = {}
        self._lock = threading.Lock()
        _require_operations(model)

    def plan(self, model: Model, inputs: Sequence[TensorInfo]) -> Plan:
        """Return a plan of the model, or of one of its bodies, for parameters of these types and shapes."""
        inputs = self._specializer_of(model).generalize(inputs)
        key = (id(model), *((tensor.element_type.name, tensor.shape) for tensor in inputs))
        with self._lock:
            cached = self._plans.get(key)
            if cached is not None:
                self._plans.move_to_end(key)
                return cached
        self._require_weights()
        parameters = dict(zip(model.parameters, inputs, strict=True))
        try:
            compiled = make_plan(model, parameters, self.memory_limit, self.optimize, self.disabled, self.options)
        except ShapeError as fault:
            raise unfit(model, parameters, fault) from None
        except MemoryError as fault:
            raise out_of_memory(fault, do="compile the model") from None
        with self._lock:
            self._plans[key] = compiled
            while len(self._plans) > MAX_PLANS:
                self._plans.popitem(last=False)
        return compiled

    def _specializer_of(self, model: Model) -> ShapeSpecializer:
        with self._lock:
            specializer = self._specializers.get(id(model))
            if specializer is None:
                specializer = self._specializers[id(model)] = ShapeSpecializer(model)
            return specializer

    def require_inputs(self, tensors: Sequence[TensorInfo]) -> None:
        """Raise where the inputs of the model exceed the memory limit."""
        require_inputs(self.model.parameters, tensors, self.memory_limit)

    def _require_weights(self) -> None:
        """Raise if the mapped weights file has changed, as new weights would be mixed with those read before."""
        if self.model.weights is not None:
            self.model.weights.require_unchanged()

    def new_state(self) -> State:
        """Return the state of a new request."""
        return State(self.threads if self.optimize else 1)

    def run(self, inputs: Sequence[Array], state: State, observer: Observer | None = None) -> list[Array]:
        """Return the results for values of the parameters, and update the variables of the state."""
        self._require_weights()
        try:
            bound = self._bound(self.model, inputs, state)
            context = self._context(state, observer) if bound.evaluates else None
            state.wake(bound)
            with np.errstate(all="ignore"):
                results = self._run(bound, inputs, context, state, observer)
        except MemoryError as fault:
            raise out_of_memory(fault) from None
        finally:
            state.rest()
        self._require_weights()
        if context is not None and context.assigned:
            state.variables = state.variables | context.assigned
        return results

    def _context(self, state: State, observer: Observer | None) -> Context:
        """Return the context of the evaluations in one run."""

        def run(body: Model, arrays: Sequence[Array]) -> list[Array]:
            bound = self._bound(body, arrays, state)
            state.wake(bound)
            return self._run(bound, arrays, made, state, observer)

        made = Context(
            run=run,
            variables=state.variables,
            memory=state.memory,
            config=self.config,
            memory_limit=self.memory_limit,
            trip_limit=self.trip_limit,
        )
        return made

    def _bound(self, model: Model, inputs: Sequence[Array], state: State) -> ExecutableInstance:
        """Return the request's instance of the plan for these values."""

        def plan() -> Plan:
            parameters = zip(self._specializer_of(model).parameters, inputs, strict=True)
            with interruptible(lambda: _require_uncancelled(state)):
                return self.plan(model, [known_tensor(node, array) for node, array in parameters])

        return state.bound((id(model), *[(array.shape, array.dtype) for array in inputs]), plan)

    def _run(
        self,
        bound: ExecutableInstance,
        inputs: Sequence[Array],
        context: Context | None,
        state: State,
        observer: Observer | None,
    ) -> list[Array]:
        slots = bound.slots_for(inputs)
        for step, step_function in bound.step_functions if observer is None else bound.all_step_functions:
            _require_uncancelled(state)
            try:
                if step_function is None:
                    self._evaluate(step, bound, slots, context or self._context(state, observer), observer)
                elif observer is None:
                    step_function(slots)
                else:
                    _observe(step, step_function, slots, observer)
            except FallbackRequired:
                self._evaluate(step, bound, slots, context or self._context(state, observer), observer)
            except COMPUTATION_ERRORS as fault:
                raise_located(step.node, fault)
            for slot in step.released:
                slots[slot] = None
        return bound.results(slots, inputs)

    def _evaluate(
        self, step: Step, bound: ExecutableInstance, slots: Slots, context: Context, observer: Observer | None
    ) -> None:
        """Put what the layer's own evaluation gives into the slots, or into the memory that was planned for it."""
        arrays = [None if slot < 0 else slots[slot] for slot in step.inputs]
        try:
            outputs = self._step(step, bound.operation(step), arrays, context, observer)
        except COMPUTATION_ERRORS as fault:
            raise_located(step.node, fault)
        for slot, array in zip(step.outputs, outputs, strict=True):
            target = slots[slot]
            if target is None:
                slots[slot] = array
            else:
                target[...] = array

    def _step(
        self,
        step: Step,
        operation: Operation,
        arrays: Sequence[Array | None],
        context: Context,
        observer: Observer | None,
    ) -> Sequence[Array]:
        if step.needs_inference:
            self.check_values(step, arrays)
        start = time.perf_counter()
        outputs = compute(operation, arrays, context)
        seconds = time.perf_counter() - start
        self._check_outputs(step, outputs)
        if observer is not None:
            observer(step.node, arrays, outputs, seconds)
        return outputs

    def check_values(self, step: Step, arrays: Sequence[Array | None]) -> None:
        """Infer a layer from the values it is about to get: what does not fit is found before it is computed."""
        types = step.op.operation.input_types
        tensors = [
            None if array is None else TensorInfo.of(array, type) for array, type in zip(arrays, types, strict=True)
        ]
        for tensor in Inference().infer(step.node, tensors):
            require_memory(step.node, tensor, self.memory_limit)

    def _check_outputs(self, step: Step, outputs: Sequence[Array]) -> None:
        """Check what could not be known before: sizes that values decide, and what an extension gave."""
        if not step.op.operation.is_built_in:
            _require_outputs(step, outputs)
        for array, value in zip(outputs, step.op.outputs, strict=True):
            if value.shape is None:
                require_memory(step.node, TensorInfo(value.element_type, array.shape), self.memory_limit)


def _observe(step: Step, step_function: StepFunction, slots: Slots, observer: Observer) -> None:
    """Do a step, and tell of it."""
    inputs = [slots[slot] for slot in step.inputs]
    start = time.perf_counter()
    step_function(slots)
    seconds = 0.0 if step.view is not None else time.perf_counter() - start
    outputs = [array for array in (slots[slot] for slot in step.outputs) if array is not None]
    observer(step.node, inputs, outputs, seconds)


def _require_uncancelled(state: State) -> None:
    if state.cancelled:
        raise CancelledError("the inference was cancelled")


def _require_outputs(step: Step, outputs: Sequence[Array]) -> None:
    """Raise unless an extension gave as many outputs as its layer has, of the shapes that it inferred."""
    if len(outputs) != len(step.outputs):
        raise EvaluationError(f"the operation has {len(outputs)} outputs; the layer has {len(step.outputs)}")
    for index, (array, value) in enumerate(zip(outputs, step.op.outputs, strict=True)):
        if value.shape is not None and array.shape != value.shape:
            raise EvaluationError(
                f"evaluate returned {list(array.shape)} for output {index}; infer says {list(value.shape)}"
            )


def known_tensor(node: Node, array: Array) -> TensorInfo:
    """Return the type and shape of a parameter whose value is this array."""
    declared: ElementType = node.outputs[0].element_type
    return TensorInfo(declared if declared.is_static else ElementType.from_dtype(array.dtype), array.shape)


def _require_operations(model: Model) -> None:
    missing = [node for node in model.ordered() if node.operation is None]
    if missing:
        names = ", ".join(str(node.ref()) for node in missing[:8])
        raise UnsupportedError(f"the model has layers of which the operation is not known: {names}")
    for _, _, subgraph in model.bodies():
        _require_operations(subgraph.body)
