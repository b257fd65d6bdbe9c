"""What OpenVINO says of samples: the shapes that it infers, and the results of its CPU.

OpenVINO takes about 20 ms to compile any model, so that many samples are asked about at once, as layers
of one model that share nothing. What is refused together is asked again in halves, down to the single sample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
import openvino as ov

from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import from_memory, to_memory
from tests.support.ir import BuiltIR, build, build_together
from tests.support.sample import In, Sample

REFUSED = "refused"
T = TypeVar("T")
Layer: TypeAlias = tuple[Sample, Mapping[int, str]]
"""A sample, and partial shapes of its parameters by input position."""


@cache
def openvino_core() -> Any:
    return ov.Core()


def built(sample: Sample, shapes: Mapping[int, str]) -> BuiltIR:
    """Return the IR of a sample alone, with partial shapes of parameters by input position."""
    return build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs, shapes)


def ask_together(layers: Sequence[Layer], ask: Callable[[Sequence[Layer]], list[T]]) -> list[T | RuntimeError]:
    """Return an answer for each layer, from one question for all or, where that is refused, from one for each half."""
    if not layers:
        return []
    try:
        return [*ask(layers)]
    except RuntimeError as fault:
        if len(layers) == 1:
            return [fault]
    middle = len(layers) // 2
    return [*ask_together(layers[:middle], ask), *ask_together(layers[middle:], ask)]


def openvino_shapes(layers: Sequence[Layer]) -> list[list[str] | str]:
    """Return the types and shapes of the outputs that OpenVINO infers for each layer, or `REFUSED`."""
    answers = ask_together(layers, _shapes_together)
    return [REFUSED if isinstance(answer, RuntimeError) else answer for answer in answers]


def _shapes_together(layers: Sequence[Layer]) -> list[list[str] | str]:
    ir = build_together(layers)
    outputs = openvino_core().read_model(ir.xml, ir.weights).outputs
    texts = [f"{output.get_element_type().to_string()}{output.get_partial_shape()}" for output in outputs]
    return [*apportioned(texts, layers)]


def openvino_results(samples: Sequence[Sample]) -> list[list[Array] | RuntimeError]:
    """Return what OpenVINO's CPU computes for each sample, or why it does not."""
    return ask_together([(sample, {}) for sample in samples], _results_together)


def _results_together(layers: Sequence[Layer]) -> list[list[Array]]:
    ir = build_together(layers)
    model = openvino_core().read_model(ir.xml, ir.weights)
    return apportioned(computed(model, [item for sample, _ in layers for item in fed(sample)]), layers)


def apportioned(outputs: Sequence[T], layers: Sequence[Layer]) -> list[list[T]]:
    """Return the outputs of each layer, of all outputs in the order of the layers."""
    waiting = iter(outputs)
    return [[next(waiting) for _ in range(sample.outputs)] for sample, _ in layers]


def fed(sample: Sample) -> list[In]:
    """Return the inputs of a sample that are parameters."""
    return [item for item in sample.inputs if item is not None and not item.constant]


def run_openvino(sample: Sample) -> list[Array]:
    """Return what OpenVINO's CPU computes for a sample alone."""
    ir = built(sample, {})
    return computed(openvino_core().read_model(ir.xml, ir.weights), fed(sample))


def computed(model: Any, inputs: Sequence[In]) -> list[Array]:
    """Return the outputs of OpenVINO's CPU for a model of its own and values of its parameters."""
    config = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}  # threads race for equal indices
    compiled = openvino_core().compile_model(model, "CPU", config)
    request = compiled.create_infer_request()
    for index, item in enumerate(inputs):
        request.set_input_tensor(index, openvino_tensor(item))
    request.infer()
    return [from_openvino(request.get_output_tensor(index)) for index in range(len(compiled.outputs))]


def openvino_tensor(feed: In) -> Any:
    """Return a tensor of OpenVINO with the value of an input."""
    if feed.type is ElementType.string:
        return ov.Tensor(feed.value.astype(str)) if feed.value.size else ov.Tensor(ov.Type.string, feed.value.shape)
    tensor = ov.Tensor(getattr(ov.Type, feed.type.name), ov.Shape(list(feed.value.shape)))
    data = np.ascontiguousarray(to_memory(feed.value, feed.type))
    if data.size:
        tensor.data.reshape(-1).view(np.uint8)[:] = data.reshape(-1).view(np.uint8)
    return tensor


def from_openvino(tensor: Any) -> Array:
    """Return the value of a tensor of OpenVINO, of the dtype that we use for its type."""
    if tensor.element_type == ov.Type.string:
        return np.array(tensor.str_data, object).reshape(list(tensor.shape))
    type = ElementType(tensor.element_type.to_string())
    elements = np.array(tensor.data).reshape(-1).view(np.uint8).view(type.memory_dtype)
    return from_memory(elements, type).reshape(list(tensor.shape))
