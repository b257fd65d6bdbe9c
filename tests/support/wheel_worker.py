"""The program that a process with OpenVINO's wheel of tokenizers runs: it computes what it reads as a pickle."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import openvino as ov
import openvino_tokenizers


def computed(core: Any, xml: bytes, weights: bytes, runs: list[list[Any]]) -> list[Any]:
    """Return the outputs of each run, or the text of an error."""
    try:
        compiled = core.compile_model(core.read_model(xml, weights), "CPU")
    except RuntimeError as fault:
        return [str(fault)] * len(runs)
    return [_run(compiled, arrays) for arrays in runs]


def _run(compiled: Any, arrays: list[Any]) -> Any:
    request = compiled.create_infer_request()
    try:
        for index, array in enumerate(arrays):
            request.set_input_tensor(index, _tensor(array))
        request.infer()
        return [_array(request.get_output_tensor(index)) for index in range(len(compiled.outputs))]
    except RuntimeError as fault:
        return str(fault)


def _tensor(array: Any) -> Any:
    if array.dtype != object and not array.size:
        return ov.Tensor(ov.Type(array.dtype), ov.Shape(array.shape))
    if array.dtype != object:
        return ov.Tensor(np.array(array, order="C"))
    return ov.Tensor(array.astype(str)) if array.size else ov.Tensor(ov.Type.string, array.shape)


def _array(tensor: Any) -> Any:
    if tensor.element_type == ov.Type.string and tensor.size:
        return np.array(tensor.bytes_data.reshape(-1).tolist(), object).reshape(list(tensor.shape))
    return np.array(tensor.data) if tensor.size else np.zeros(list(tensor.shape), _dtype(tensor))


def _dtype(tensor: Any) -> Any:
    return object if tensor.element_type == ov.Type.string else tensor.element_type.to_dtype()


def main() -> None:
    """Read (xml, weights, runs) for each model from the standard input, and write the outputs of each."""
    core = ov.Core()
    core.add_extension(str(openvino_tokenizers._ext_path))
    models = pickle.load(sys.stdin.buffer)
    pickle.dump([computed(core, *model) for model in models], sys.stdout.buffer)


if __name__ == "__main__":
    main()
