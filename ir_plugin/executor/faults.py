"""Run-time failures as errors that name the layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

from ir_plugin.diagnostics import Finding
from ir_plugin.errors import Error, EvaluationError, LimitError, ShapeError, ValidationError
from ir_plugin.model import Model, Node
from ir_plugin.operations.memory import out_of_memory
from ir_plugin.tensors import TensorInfo
from ir_plugin.validation.inference import COMPUTATION_ERRORS, Inference


class CancelledError(Error):
    """`cancel` ended the inference."""


@contextmanager
def locating(node: Node) -> Iterator[None]:
    """Convert failures of a layer's computation to errors that name it, within the `with`."""
    try:
        yield
    except COMPUTATION_ERRORS as fault:
        raise_located(node, fault)


def raise_located(node: Node, fault: BaseException) -> NoReturn:
    """Raise a layer's failure as an `Error` that names the layer; cancellations and located errors pass through."""
    if isinstance(fault, CancelledError) or (isinstance(fault, Error) and fault.findings):
        raise fault
    if isinstance(fault, MemoryError):
        raise out_of_memory(fault, node) from fault
    message, code = str(fault) or type(fault).__name__, "IR702" if isinstance(fault, LimitError) else "IR701"
    finding = Finding.of(code, message, span=node.span(), layer=node.ref())
    raise EvaluationError(f"layer {node.ref()}: {message}", [finding]) from fault


def unfit(model: Model, parameters: Mapping[Node, TensorInfo], fault: ShapeError) -> Error:
    """Return the error that names the layer whose inference fails for these parameters."""
    failures: list[tuple[Node, ShapeError]] = []
    Inference(lambda node, reason: failures.append((node, reason))).run(model, parameters)
    if not failures:
        return ValidationError(str(fault))
    node, reason = failures[0]
    finding = Finding.of("IR301", reason.message, span=node.span(), layer=node.ref(reason.part), help=reason.help)
    return ValidationError(f"layer {node.ref(reason.part)}: {reason.message}", [finding])
