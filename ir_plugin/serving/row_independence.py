"""Whether requests may share a batch: each row of the outputs depends on the same row of the inputs only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.batch_inference.ports import BatchPorts
from ir_plugin.errors import Error
from ir_plugin.report.inputs import complete, guessing
from ir_plugin.serving.served_model import ServedModel
from ir_plugin.tensors import Array

_TOLERANCE = 1e-3


def batching_obstacle(served: ServedModel) -> str:
    """Return why requests to a model may not share a batch; empty where they may.

    A first dimension of unknown length may be a batch or a sequence. Three rows of random values are inferred
    together and alone, and have to agree.
    """
    compiled = served.compiled
    if not compiled.inputs:
        return "the model has no inputs"
    try:
        if compiled.create_infer_request().query_state():
            return "the model has state"
        ports = BatchPorts(compiled.model, 0, None)
        if ports.fixed is not None:
            return f"the model has a fixed batch of {ports.fixed}"
        if not all(ports.is_batched):
            return "an input has no batch"
        with guessing(lambda _port, _array: None):
            return _difference(served, ports)
    except (Error, MemoryError) as fault:
        return str(fault)


def _difference(served: ServedModel, ports: BatchPorts) -> str:
    first, second = ([array[:1] for array in complete(served.compiled, seed=seed)] for seed in (0, 1))
    shapes = [[array.shape for array in arrays] for arrays in (first, second)]
    if shapes[0] != shapes[1] or any(array.shape[0] != 1 for array in first):
        return "random rows differ in shape"
    rows = [np.concatenate(parts) for parts in zip(first, second, first, strict=True)]
    ports.forms(dict(enumerate(rows)), 3)
    alone = [served.infer(arrays) for arrays in (first, second, first)]
    together = served.infer(rows)
    for position, output in enumerate(together):
        if not _agrees(output, [outputs[position] for outputs in alone]):
            return f"rows of the output {served.outputs[position].name} depend on each other"
    return ""


def _agrees(together: Array, alone: Sequence[Array]) -> bool:
    if any(output.ndim != together.ndim or not output.ndim for output in alone):
        return False
    if any(output.shape != (1, *together.shape[1:]) for output in alone) or together.shape[0] != len(alone):
        return False
    expected = np.concatenate(alone)
    if together.dtype.kind in "biuOUS":
        return bool(np.array_equal(together, expected))
    actual, expected = together.astype(np.float64), expected.astype(np.float64)
    finite = np.abs(expected[np.isfinite(expected)])
    scale = float(finite.max()) if finite.size else 0.0
    return bool(np.allclose(actual, expected, _TOLERANCE, _TOLERANCE * scale, equal_nan=True))
