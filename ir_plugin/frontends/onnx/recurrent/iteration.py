"""Steps over time as a TensorIterator, for networks that the sequences of OpenVINO's opsets cannot express."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ir_plugin.frontends.onnx.bodies import Body
from ir_plugin.frontends.onnx.common import i64, output
from ir_plugin.model import Output, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.basic import parameter, result
from ir_plugin.opsets.nodes import definition_of, new_node

Step = Callable[[list[Output], list[Output], list[Output]], list[Output]]
"""Returns the next states from the slices of a step, the states, and values that are the same in all steps."""


def iterated(step: Step, series: Sequence[Output], states: Sequence[Output], fixed: Sequence[Output]) -> list[Output]:
    """Return the first result of all steps joined along axis 1, and the last values of the states.

    `step` returns the output of the step and then the next states. Series are cut along axis 1.
    """
    slices = [
        parameter(item.tensor_info.shape.replace(1, 1), item.tensor_info.element_type, f"slice{k}")
        for k, item in enumerate(series)
    ]
    carried = [
        parameter(item.tensor_info.shape, item.tensor_info.element_type, f"state{k}") for k, item in enumerate(states)
    ]
    body = Body([*slices, *carried], name="step")
    constants = [body.twin(item, f"fixed{k}") for k, item in enumerate(fixed)]
    rows = [output(ops.squeeze(item, i64([1]))) for item in slices]
    values = step(rows, [item.outputs[0] for item in carried], constants)
    body.results = [result(ops.unsqueeze(values[0], i64([1]))), *(result(item) for item in values[1:])]
    first = len(series)
    inputs = [SubGraphInput(k, k, 1) for k in range(first)]
    inputs += [SubGraphInput(first + k, first + k) for k in range(len(states) + len(body.captured))]
    outputs = [SubGraphOutput(0, 0, 1), *(SubGraphOutput(k, k) for k in range(1, len(values)))]
    operation = definition_of("TensorIterator", "opset1").cls()
    back_edges = [(1 + k, first + k) for k in range(len(states))]
    operation.subgraphs = {"body": SubGraph(body.model, inputs, outputs, back_edges)}
    sources = [*series, *states, *(source for source, _ in body.captured)]
    return list(new_node("TensorIterator", operation, sources, None).outputs)
