"""Each input of each operation without an edge: shapes are inferred all the same, or the error names the input."""

from __future__ import annotations

from ir_plugin import Core
from ir_plugin.errors import ShapeError
from ir_plugin.model import Node
from ir_plugin.validation.inference import Inference
from tests.operations.test_samples import SAMPLES
from tests.support.ir import build


def fault(node: Node, index: int, inference: Inference) -> str:
    """Return what a layer says without one of its inputs, or nothing."""
    inputs = inference.inputs_of(node)
    try:
        inference.infer(node, [*inputs[:index], None, *inputs[index + 1 :]])
    except ShapeError as error:
        return f"{node.operation.type} without input {index}: {error}"
    return ""


def test_no_unconnected_input_leads_to_a_fault_of_python() -> None:
    samples = {(sample.type, sample.version, len(sample.inputs)): sample for sample in SAMPLES.values()}
    found: list[str] = []
    for sample in samples.values():
        ir = build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs)
        model = Core().read_model(ir.xml, ir.weights)
        inference = Inference()
        inference.run(model)
        for node in model.ordered():
            if node.operation is not None and node.operation.type == sample.type:
                found += [fault(node, index, inference) for index in range(len(node.inputs))]
    assert len(found) > 700
    assert [text for text in found if "None" in text] == []
