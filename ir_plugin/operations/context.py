"""What the engine provides to the operations that it infers or runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ir_plugin.errors import EvaluationError
from ir_plugin.tensors import Array, TensorInfo

if TYPE_CHECKING:
    from ir_plugin.model import Model, SubGraph

DEFAULT_MEMORY_LIMIT = 16 * 2**30
DEFAULT_TRIP_LIMIT = 2**31 - 1


def _no_bodies(_model: Model, _inputs: Sequence[Array]) -> list[Array]:
    raise EvaluationError("bodies are run by the engine only")


def _no_inference(_model: Model, _inputs: Sequence[TensorInfo]) -> list[TensorInfo]:
    raise EvaluationError("bodies are inferred by the engine only")


@dataclass(frozen=True)
class Repetition:
    """Iterations of a body that a loop requests at once."""

    subgraph: SubGraph
    inputs: Sequence[Array | None]
    """The inputs of the layer."""
    values: Sequence[Array]
    """The values of the body's parameters in the next iteration."""
    done: int
    """The iterations that are done."""
    most: int
    """The most iterations that may follow; each has its slices."""
    condition: int | None = None
    """The result of the body that ends the loop where it is false."""


class Repeated(NamedTuple):
    """Iterations of a body that have run at once."""

    iterations: int
    results: list[Array]
    """The values of the body's results in the last iteration."""
    joined: dict[int, Array]
    """The values of all iterations joined, by the result of the body."""


def one_by_one(_repetition: Repetition) -> None:
    """Return that iterations do not run at once."""
    return


@dataclass
class Context:
    """The argument `context` of `evaluate`, for operations with `wants_context`."""

    run: Callable[[Model, Sequence[Array]], list[Array]] = _no_bodies
    """Runs a body on values for its parameters; returns the values of its results."""
    infer: Callable[[Model, Sequence[TensorInfo]], list[TensorInfo]] = _no_inference
    """Infers a body from tensors for its parameters; returns the tensors of its results."""
    repeat: Callable[[Repetition], Repeated | None] = one_by_one
    """Runs some of the iterations of a body, or returns None where they have to be requested one by one."""
    variables: dict[str, Array] = field(default_factory=dict)
    """The state at the start of this inference, by variable id."""
    assigned: dict[str, Array] = field(default_factory=dict)
    """The variables that this inference assigns, by variable id."""
    memory: dict[str, Array] = field(default_factory=dict)
    """Arrays of the request by variable id; each begins with the variable and has room for more."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """The configuration of the compiled model."""
    memory_limit: int = DEFAULT_MEMORY_LIMIT
    """Bytes that the outputs of one layer may have."""
    trip_limit: int = DEFAULT_TRIP_LIMIT
    """Iterations that one loop may make."""


STANDARD = Context()
"""A context without configuration, for evaluation outside a run."""


@dataclass
class InferenceContext:
    """The argument `inference` of `infer`, for operations with `wants_inference`."""

    infer_body: Callable[[Model, Sequence[TensorInfo]], list[TensorInfo]]
    """Infers a body from tensors for its parameters; returns the tensors of its results."""
    variables: dict[str, TensorInfo] = field(default_factory=dict)
    """The inferred type and shape of each variable."""
    is_partial: bool = False
    """Whether inputs of the node may still be replaced, as while a Loop is built."""
    is_run: bool = False
    """Whether shapes are inferred during a run, in which the branch that is not taken need not fit."""
    settled: dict[int, TensorInfo] = field(default_factory=dict)
    """The states of the loop, by parameter, for which this run inferred its body last.

    A loop inside another one is inferred for wider and wider inputs, and continues from these states.
    """
