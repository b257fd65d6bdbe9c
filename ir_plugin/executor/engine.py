"""The engine: compiles a plan for each combination of input shapes, caches the plans, and runs them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np

from ir_plugin.compiler.memory.limits import require_inputs
from ir_plugin.compiler.plan import Plan, Step, make_plan
from ir_plugin.compiler.progress import interruptible
from ir_plugin.compiler.selection.kernel import Options
from ir_plugin.compiler.shapes.specializer import ShapeSpecializer
from ir_plugin.compiler.uncompiled import note_uncompiled
from ir_plugin.errors import ShapeError, UnsupportedError
from ir_plugin.executor.executable import ExecutableInstance, State
from ir_plugin.executor.faults import raise_located, unfit
from ir_plugin.executor.segments import Slots, require_uncancelled
from ir_plugin.executor.steps import Computed, StepRunner, Visitor, arrays_of, finish
from ir_plugin.kernels import policy
from ir_plugin.kernels.thread_pool import available_threads
from ir_plugin.model import Model, Node
from ir_plugin.operations.base import Operation, compute
from ir_plugin.operations.context import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TRIP_LIMIT,
    Context,
    Repeated,
    Repetition,
    one_by_one,
)
from ir_plugin.operations.memory import limited, out_of_memory
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.bounded import BoundedCache
from ir_plugin.validation.inference import COMPUTATION_ERRORS, infer_results

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
            winograd=int(self.config.get("WINOGRAD", 4)),
            provider=str(self.config.get("PROVIDER", "auto")),
            threads=self.threads,
            dynamic_group=int(self.config.get("DYNAMIC_QUANTIZATION_GROUP_SIZE", 0)),
        )
        self.disabled = tuple(self.config.get("DISABLED_PASSES", ()))
        if not self.config.get("LP_TRANSFORMS_MODE", True):
            self.disabled = (*self.disabled, "low_precision")
        if self.config.get("KV_CACHE_PRECISION") != ElementType.u8:
            self.disabled = (*self.disabled, "kv_cache_quantization")
        self._plans: BoundedCache[tuple[Any, ...], Plan] = BoundedCache(MAX_PLANS)
        self._specializers: dict[Model, ShapeSpecializer] = {}
        self._lock = threading.Lock()
        _require_operations(model)

    def plan(self, model: Model, inputs: Sequence[TensorInfo]) -> Plan:
        """Return a plan of the model, or of one of its bodies, for parameters of these types and shapes."""
        inputs, inference = self._specializer_of(model).generalize(inputs)
        key = (model, *((tensor.element_type.name, tensor.shape) for tensor in inputs))
        cached = self._plans.get(key)
        if cached is not None:
            return cached
        self._require_weights()
        parameters = dict(zip(model.parameters, inputs, strict=True))
        try:
            compiled = make_plan(
                model, parameters, self.memory_limit, self.optimize, self.disabled, self.options, inference
            )
        except ShapeError as fault:
            raise unfit(model, parameters, fault) from None
        except MemoryError as fault:
            raise out_of_memory(fault, do="compile the model") from None
        if self.optimize and self.options.provider == "auto":
            note_uncompiled([step.op for step in compiled.steps], self.options)
        return self._plans.add(key, compiled)

    def latest_plan(self) -> Plan | None:
        """Return the plan of the model that was used last; None before the first."""
        return next((plan for key, plan in reversed(self._plans.items()) if key[0] is self.model), None)

    def _specializer_of(self, model: Model) -> ShapeSpecializer:
        specializer = self._specializers.get(model)
        if specializer is not None:
            return specializer
        with self._lock:
            return self._specializers.setdefault(model, ShapeSpecializer(model))

    def require_inputs(self, tensors: Sequence[TensorInfo]) -> None:
        """Raise where the inputs of the model exceed the memory limit."""
        require_inputs(self.model.parameters, tensors, self.memory_limit)

    def _require_weights(self) -> None:
        """Raise if the mapped weights file has changed, as new weights would be mixed with those read before."""
        if self.model.weights is not None:
            self.model.weights.require_unchanged()

    def new_state(self) -> State:
        """Return the state of a new request."""
        return State(self.threads if self.optimize else 1, self.memory_limit)

    def run(self, inputs: Sequence[Array], state: State, observer: Observer | None = None) -> list[Array]:
        """Return the results for values of the parameters, and update the variables of the state."""
        self._require_weights()
        try:
            bound = self._bound(self.model, inputs, state)
            context = state.running.context = self._context(state, observer) if bound.evaluates else None
            state.wake(bound)
            with np.errstate(all="ignore"), limited(self.memory_limit):
                results = finish(self._runner(context, state, observer).run(bound, inputs))
        except MemoryError as fault:
            raise out_of_memory(fault) from None
        finally:
            state.running.context = None
            state.rest()
        self._require_weights()
        if context is not None and context.assigned:
            state.variables = state.variables | context.assigned
        return results

    def _context(self, state: State, observer: Observer | None) -> Context:
        """Return the context of the evaluations in one run."""
        bodies = _Bodies(lambda body, arrays: self._bound(body, arrays, state), state)

        def run(body: Model, arrays: Sequence[Array]) -> list[Array]:
            return finish(self._runner(context, state, observer).run(bodies.bound(body, arrays), arrays))

        context = Context(
            run=run,
            infer=infer_results,
            repeat=bodies.repeat if observer is None and self.optimize else one_by_one,
            variables=state.variables,
            memory=state.memory,
            config=self.config,
            memory_limit=self.memory_limit,
            trip_limit=self.trip_limit,
        )
        return context

    def _bound(self, model: Model, inputs: Sequence[Array], state: State) -> ExecutableInstance:
        """Return the request's instance of the plan for these values."""

        def plan() -> Plan:
            parameters = zip(self._specializer_of(model).parameters, inputs, strict=True)
            with interruptible(lambda: require_uncancelled(state)):
                return self.plan(model, [known_tensor(node, array) for node, array in parameters])

        shapes = tuple([array.shape for array in inputs])
        pattern = self._specializer_of(model).pattern_of(shapes)
        form = ("new", shapes) if pattern is None else pattern
        return state.bound((model, form, *[array.dtype for array in inputs]), plan)

    def _runner(self, context: Context | None, state: State, observer: Observer | None) -> StepRunner[NoReturn]:
        """Return a runner that evaluates the steps of a plan and calls an observer after each."""

        def evaluate(step: Step, operation: Operation, arrays: Sequence[Array | None]) -> Computed[NoReturn]:
            yield from ()
            start = time.perf_counter()
            try:
                outputs = compute(operation, arrays, context or self._context(state, observer))
            except COMPUTATION_ERRORS as fault:
                raise_located(step.node, fault)
            return outputs, time.perf_counter() - start

        return StepRunner(state, self.memory_limit, evaluate, None if observer is None else _visitor(observer))


class _Bodies:
    """The instances of bodies in one run; the last is kept, as most iterations have the shapes of the one before."""

    def __init__(self, bind: Callable[[Model, Sequence[Array]], ExecutableInstance], state: State) -> None:
        self._bind, self._state = bind, state
        self._last: tuple[Model, list[Hashable], ExecutableInstance] | None = None

    def bound(self, body: Model, arrays: Sequence[Array]) -> ExecutableInstance:
        """Return the instance of a body for the values of its parameters, with its workers awake."""
        form: list[Hashable] = [(array.shape, array.dtype) for array in arrays]
        last = self._last
        is_repeated = last is not None and last[0] is body
        if last is not None and is_repeated and last[1] == form:
            bound = last[2]
        else:
            bound = self._bind(body, arrays)
            self._last = body, form, bound
        self._state.wake(bound, is_repeated)
        return bound

    def repeat(self, repetition: Repetition) -> Repeated | None:
        """Run many iterations at once; None where they are few, or where Python executes a step."""
        if repetition.most < policy.COMPILED_LOOP_MIN_ITERATIONS:
            return None
        bound = self.bound(repetition.subgraph.body, repetition.values)
        loop = bound.loop(repetition.subgraph, repetition.condition)
        return None if loop is None else loop.run(repetition, self._state)


def _visitor(observer: Observer) -> Visitor[NoReturn]:
    """Return a visitor that calls an observer after each step."""

    def visit(step: Step, slots: Slots, seconds: float) -> Generator[NoReturn, None, None]:
        yield from ()
        outputs = [array for array in (slots[slot] for slot in step.outputs) if array is not None]
        observer(step.node, arrays_of(step, slots), outputs, seconds)

    return visit


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
