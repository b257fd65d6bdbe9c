"""The numbers of an inference's outputs, also of types that NumPy lacks."""

from __future__ import annotations

from collections.abc import Mapping

from ir_plugin.openvino.api.request import InferRequest
from ir_plugin.tensors import Array


def output_values(request: InferRequest, inputs: Mapping[int, Array]) -> list[Array]:
    """Return copies of the outputs of an inference; types that NumPy lacks are returned as numbers, not as bits."""
    results = request.infer(inputs, share_inputs=True).to_tuple()
    return [
        request.get_output_tensor(position).values.copy() if port.element_type.is_shown_as_bits else array
        for position, (port, array) in enumerate(zip(request.model_outputs, results, strict=True))
    ]
