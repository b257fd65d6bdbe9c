"""Holds graphs of open lengths against OpenVINO, in a process of its own: some graphs end OpenVINO's process.

`python -m tests.fuzz.dynamic_worker Add-1:17 …` prints a line for each case: its name, a tab, and what differs.
"""

from __future__ import annotations

import openvino as ov

from ir_plugin.tensors import ElementType
from tests.fuzz.dynamic_cases import case_of, compiled, run
from tests.fuzz.dynamic_graphs import DynamicCase
from tests.fuzz.operation_engines import agree, by_cpu, by_reference, tensor_of
from tests.fuzz.operation_worker import AGREE, print_differences, shown
from tests.support.sample import In


def difference(case: DynamicCase) -> str:
    """Return how our result of a run differs from one that OpenVINO's CPU and its reference share; empty if none do."""
    try:
        model = ov.Core().read_model(case.xml, case.weights)
    except RuntimeError:
        return AGREE
    types = [ElementType(port.get_element_type().to_string()) for port in model.inputs]
    ours = compiled(case, "plain")
    for number, arrays in enumerate(case.runs):
        inputs = [tensor_of(In(array, type)) for array, type in zip(arrays, types, strict=True)]
        reference = by_reference(model, inputs)
        if reference.kind != "ok" or not agree(by_cpu(model, inputs), reference):
            continue
        own = run(ours, arrays, times=1)
        if own.kind == "ok" and not agree(own, reference):
            return f"run {number}: ours {shown(own)}, OpenVINO's {shown(reference)}"
    return AGREE


if __name__ == "__main__":
    print_differences(lambda definition, seed: difference(case_of(definition, seed)))
