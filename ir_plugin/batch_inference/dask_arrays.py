"""Dask arrays as inputs and outputs of a map: lazy, with types and chunks from shape inference."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import dask.array as da
import numpy as np

from ir_plugin.batch_inference.ports import OutputForm
from ir_plugin.batch_inference.predictor import THREADS, Arrays, Predictor
from ir_plugin.errors import InputError

_LOG = logging.getLogger("ir_plugin")
_BATCH = "batch"


def map_dask(predictor: Predictor, data: Any) -> dict[str, Any]:
    """Return a lazy array for each output; a block of the batch is one task.

    Raises `InputError` if an input is not whole along its other axes, or if batches do not have equal chunks.
    """
    predictor = one_thread(predictor)
    ports = predictor.ports
    arrays = {
        position: value if isinstance(value, da.Array) else da.from_array(value, chunks=-1)
        for position, value in ports.by_position(data).items()
    }
    chunks = _batch_chunks(predictor, arrays)
    forms = ports.forms(arrays, ports.batch_length(arrays))
    positions = sorted(arrays)
    operands: list[Any] = []
    for position in positions:
        operands += [arrays[position], _labels(predictor, position, arrays[position].ndim)]
    blocks = da.blockwise(
        _infer_block, (_BATCH,), *operands, predictor=predictor, names=[ports.input_names[p] for p in positions],
        concatenate=True, align_arrays=False, dtype=object, meta=np.empty(0, object), name=None,
    )  # fmt: skip
    return {form.name: _output(blocks, form, chunks, ports.axis) for form in forms}


def one_thread(predictor: Predictor) -> Predictor:
    """Return a predictor with one kernel thread, unless its configuration has a number, which is logged."""
    threads = predictor.config.get(THREADS)
    if threads is None:
        return predictor.with_settings(config=predictor.config | {THREADS: 1})
    _LOG.info("%s kernel threads a worker, as %s says", threads, THREADS)
    return predictor


def _labels(predictor: Predictor, position: int, rank: int) -> tuple[str, ...]:
    labels = [f"input {position}, axis {axis}" for axis in range(rank)]
    if predictor.ports.is_batched[position]:
        labels[predictor.ports.axis] = _BATCH
    return tuple(labels)


def _batch_chunks(predictor: Predictor, arrays: Mapping[int, Any]) -> tuple[int, ...]:
    """Return the chunks along the batch; raises unless they are known, equal, and the only ones."""
    ports = predictor.ports
    chunks: dict[str, tuple[int, ...]] = {}
    for position, array in arrays.items():
        name = ports.input_names[position]
        for axis, sizes in enumerate(array.chunks):
            if any(np.isnan(size) for size in sizes):
                raise InputError(f"input {name} has unknown chunks along axis {axis}; call compute_chunk_sizes() first")
            if ports.is_batched[position] and axis == ports.axis:
                chunks[name] = sizes
            elif len(sizes) > 1:
                raise InputError(
                    f"input {name} has {len(sizes)} chunks along axis {axis}, and the model needs it whole: "
                    f"rechunk({{{axis}: -1}})"
                )
    if len(set(chunks.values())) > 1:
        listed = ", ".join(f"{name} {sizes}" for name, sizes in chunks.items())
        raise InputError(f"the inputs differ in chunks along axis {ports.axis}: {listed}; rechunk them alike")
    return next(iter(chunks.values()))


def _infer_block(*blocks: Any, predictor: Predictor, names: list[str]) -> Arrays:
    """Return the outputs of a block of the batch."""
    return predictor(dict(zip(names, blocks, strict=True)))


def _pick(block: Any, name: str) -> Any:
    """Return one output of a block; Dask tries the function on an empty array to learn its type."""
    return block[name]


def _output(blocks: Any, form: OutputForm, chunks: tuple[int, ...], axis: int) -> Any:
    """Return the lazy array of an output."""
    if form.shape is None:
        raise InputError(f"the rank of output {form.name} is not known before it is computed")
    labels = [f"axis {number}" for number in range(len(form.shape))]
    labels[axis] = _BATCH
    sizes = {
        label: (np.nan,) if length is None else length
        for label, length in zip(labels, form.shape, strict=True)
        if label != _BATCH
    }
    return da.blockwise(
        _pick, tuple(labels), blocks, (_BATCH,), form.name, None, new_axes=sizes, adjust_chunks={_BATCH: chunks},
        dtype=form.dtype, meta=np.empty((0,) * len(form.shape), form.dtype), align_arrays=False,
    )  # fmt: skip
