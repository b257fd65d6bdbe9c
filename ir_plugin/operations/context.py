"""What an operation may ask of the engine that infers or runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ir_plugin.errors import EvaluationError
from ir_plugin.tensors import Array, TensorInfo

if TYPE_CHECKING:
    from ir_plugin.model import Model

DEFAULT_MEMORY_LIMIT = 16 * 2**30
DEFAULT_TRIP_LIMIT = 2**31 - 1


def _no_bodies(_model: Model, _inputs: Sequence[Array]) -> list[Array]:
    raise EvaluationError("bodies are run by the engine only")


@dataclass
class Context:
    """What `evaluate` of an operation with `wants_context` is given."""

    run: Callable[[Model, Sequence[Array]], list[Array]] = _no_bodies
    """Run a body on values for its parameters; returns the values of its results."""
    variables: dict[str, Array] = field(default_factory=dict)
    """The state at the start of this inference, by variable id."""
    assigned: dict[str, Array] = field(default_factory=dict)
    """The state that this inference leaves."""
    memory: dict[str, Array] = field(default_factory=dict)
    """Arrays of the request, longer than the variables that begin them, by variable id."""
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
    """What `infer` of an operation with `wants_inference` is given."""

    infer_body: Callable[[Model, Sequence[TensorInfo]], list[TensorInfo]]
    """Infer a body from tensors for its parameters; returns the tensors of its results."""
    variables: dict[str, TensorInfo] = field(default_factory=dict)
    """What is known of each variable."""
