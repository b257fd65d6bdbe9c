"""Checks of outputs, inputs and the arena against the memory limit, before memory is allocated."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from ir_plugin.compiler.memory.live_ranges import LiveRange
from ir_plugin.diagnostics import Finding
from ir_plugin.errors import EvaluationError
from ir_plugin.model import Model, Node, Output
from ir_plugin.tensors import UNBOUNDED, TensorInfo


def bytes_of(tensor: TensorInfo) -> int:
    """Return the least number of bytes that the values of a tensor take."""
    size = tensor.shape.size
    return UNBOUNDED if size.lower == UNBOUNDED else size.lower * tensor.element_type.dtype.itemsize


def require_model(
    model: Model, tensors: Mapping[Output, TensorInfo], limit: int, exempt: Callable[[], Container[Node]] = tuple
) -> None:
    """Raise where the output of a layer, or all inputs of the model together, exceed the limit.

    Where an output does, `exempt` is asked for the layers whose outputs are never computed.
    """
    beyond = [node for node in model.ordered() if any(bytes_of(tensors[port]) > limit for port in node.outputs)]
    omitted = exempt() if beyond else ()
    for node in beyond:
        for port in node.outputs:
            if node not in omitted:
                require_memory(node, tensors[port], limit)
    parameters = model.parameters
    require_inputs(parameters, [tensors[node.outputs[0]] for node in parameters], limit)


def require_memory(node: Node, tensor: TensorInfo, limit: int) -> None:
    """Raise where the output of a layer exceeds the limit."""
    size = bytes_of(tensor)
    if size > limit:
        raise _beyond(node, f"the output {tensor} takes {size} bytes", limit)


def require_inputs(parameters: Sequence[Node], tensors: Sequence[TensorInfo], limit: int) -> None:
    """Raise where the inputs of a model together exceed the limit, naming the largest."""
    sizes = [bytes_of(tensor) for tensor in tensors]
    if sum(sizes) <= limit:
        return
    largest = max(range(len(sizes)), key=sizes.__getitem__)
    others = f", all inputs together {sum(sizes)}" if len(sizes) > 1 else ""
    message = f"the input {tensors[largest]} takes {sizes[largest]} bytes{others}"
    raise _beyond(parameters[largest], message, limit)


def require_arena(nodes: Sequence[Node], live_ranges: Sequence[LiveRange], size: int, limit: int) -> None:
    """Raise where the arena of a plan exceeds the limit, naming the layer at which most of it is in use.

    `nodes` are the layers of the plan's steps.
    """
    if size <= limit:
        return
    changes: dict[int, int] = {}
    for live_range in live_ranges:
        changes[live_range.first] = changes.get(live_range.first, 0) + live_range.value.nbytes
        changes[live_range.last + 1] = changes.get(live_range.last + 1, 0) - live_range.value.nbytes
    in_use, peak, busiest = 0, -1, 0
    for step in sorted(changes):
        in_use += changes[step]
        if in_use > peak:
            peak, busiest = in_use, step
    raise _beyond(
        nodes[busiest], f"the values that are kept beside it take {peak} bytes, the plan's arena {size}", limit
    )


def _beyond(node: Node, message: str, limit: int) -> EvaluationError:
    text = f"{message}; the memory limit is {limit}"
    help = 'raise it with config={"MEMORY_LIMIT": …}'
    finding = Finding.of("IR702", text, span=node.span(), layer=node.ref(), help=help)
    return EvaluationError(f"layer {node.ref()}: {text}", [finding])
