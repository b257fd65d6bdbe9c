"""Zarr arrays as inputs and outputs of a map: read and written batch by batch."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ir_plugin import storable
from ir_plugin.batch_inference.ports import OutputForm
from ir_plugin.batch_inference.predictor import Predictor
from ir_plugin.errors import AbsentError, InputError, ReadError


def zarr_module() -> Any:
    """Return the package zarr, or raise with the command that installs it."""
    try:
        import zarr
    except ImportError as fault:
        raise AbsentError(
            f"Zarr arrays need the package zarr: pip install 'dask[array]' distributed zarr ({fault})"
        ) from None
    return zarr


def open_array(path: str | os.PathLike[str]) -> Any:
    """Return the Zarr array at a path or address, to be read."""
    zarr = zarr_module()
    try:
        return zarr.open_array(os.fspath(path), mode="r")
    except Exception as fault:  # noqa: BLE001 (zarr, codecs and the stores of clouds raise errors of many kinds)
        raise ReadError(f"{path} cannot be read as a Zarr array: {fault}") from None


def create_outputs(
    forms: Sequence[OutputForm], rows: int, axis: int, out: Any, attributes: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return new Zarr arrays by output with chunks of some rows: one array at `out`, or a group of several."""
    zarr = zarr_module()
    group = zarr.create_group(out) if len(forms) > 1 else None
    arrays = {}
    for form in forms:
        if form.shape is None or None in form.shape:
            raise InputError(f"the shape of output {form.name} is not known before it is computed: {form.shape}")
        chunks = [max(length or 1, 1) for length in form.shape]
        chunks[axis] = max(min(rows, form.shape[axis] or 1), 1)
        where = {"store": out} if group is None else {"store": group.store, "name": form.name}
        arrays[form.name] = zarr.create_array(
            **where, shape=form.shape, dtype=form.stored_dtype, chunks=tuple(chunks),
            config={"write_empty_chunks": True}, attributes=dict(attributes or {}),
        )  # fmt: skip
    return arrays


def map_zarr(predictor: Predictor, data: Any, batch_size: int, out: Any) -> dict[str, Any]:
    """Return Zarr arrays of the outputs, written batch by batch."""
    axis = predictor.ports.axis
    arrays = create_outputs(predictor.forms(data), batch_size, axis, {} if out is None else os.fspath(out))
    for start, stop, results in predictor.batches(data):
        for name, part in results.items():
            arrays[name][predictor.ports.rows(start, stop)] = storable(part)
    return arrays
