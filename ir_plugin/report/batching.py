"""Whether requests may share a batch: each row of the outputs depends on the same row of the inputs only."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import Error
from ir_plugin.model import Node, Output
from ir_plugin.openvino.api import CompiledModel
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.report.batch_axes import BatchAxes


def batching_obstacle(compiled: CompiledModel, *, independent_rows: bool = False) -> str:
    """Return why the inputs of several requests may not be joined into one batch; empty text where they may.

    Rows lie along the first axis of every input, whose length must be unknown. That each row of the outputs depends
    on the same row of the inputs only is proved from the graph: the axis of the rows is followed from the inputs to the
    outputs, and an operation that no rule covers is an obstacle. With `independent_rows` the caller vouches for it.
    """
    if not compiled.inputs:
        return "the model has no inputs"
    try:
        if compiled.create_infer_request().query_state():
            return "the model has state"
        return _obstacle([] if independent_rows else compiled.model.get_ordered_ops(), compiled.inputs)
    except (Error, MemoryError) as fault:
        return str(fault)


def _obstacle(nodes: Sequence[Node], inputs: Sequence[Output]) -> str:
    axes = BatchAxes()
    for port in inputs:
        dims = port.partial_shape.dims
        if not dims or dims[0].is_static:
            return f'the input "{port.node.name}" has no first dimension of unknown length'
        axes.of[port] = 0
    for node in nodes:
        axes.follow(node)
        if isinstance(node.operation, Result) and axes.of_input(node, 0) != 0:
            return f'the output "{node.name}" has no row for each row of the inputs'
    return ""
