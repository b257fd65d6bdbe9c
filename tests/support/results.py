"""Results of our own inference, as arrays of the shapes that are inferred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_plugin import CompiledModel
from ir_plugin.tensors import Array


def values_by_port(compiled: CompiledModel, arrays: Sequence[Array]) -> dict[Any, Array]:
    """Return the results by port: strings as bytes, and types that NumPy lacks as numbers."""
    request = compiled.create_infer_request()
    results = request.infer(list(arrays), decode_strings=False).to_dict()
    return {
        port: request.get_output_tensor(position).values if port.element_type.is_shown_as_bits else array
        for position, (port, array) in enumerate(results.items())
    }
