"""`map`: a model over the batches of a container, which may be larger than memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir_plugin import replacing, storable
from ir_plugin.batch_inference.npy_files import open_npy
from ir_plugin.batch_inference.predictor import Predictor
from ir_plugin.errors import ArgumentTypeError, InputError


def map(
    model: Any,
    data: Any,
    batch_size: int = 32,
    axis: int = 0,
    *,
    outputs: Any = None,
    config: Mapping[str, Any] | None = None,
    preprocess: Callable[[dict[str, Any]], Mapping[str, Any]] | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Any:
    """Return the outputs of a model for data, in the same kind of container, batch by batch along an axis.

    `model` is a path, a `Model`, a `CompiledModel` or a `Predictor`. `data` is what its only input takes, or a
    dictionary by name; the result is one container for one output, else a dictionary by name. A container is a NumPy,
    Zarr or Dask array, an iterable of arrays, or a folder of .npy files, as `ir_plugin.batch_inference` describes.

    Raises `InputError` before anything is computed where names, types, shapes or chunks do not fit.
    """
    predictor = _predictor(model, batch_size, axis, outputs, config, preprocess)
    if isinstance(data, (str, os.PathLike)):
        return _map_folder(predictor, Path(data), out)
    arrays = _map_arrays(predictor, data, batch_size, out)
    if arrays is not None:
        return _single(predictor, arrays)
    if isinstance(data, Mapping) or not isinstance(data, Iterable):
        raise ArgumentTypeError(f"data is an array, an iterable of arrays or a folder, not {type(data).__name__}")
    results = _map_items(predictor, data, batch_size)
    return list(results) if isinstance(data, (list, tuple)) else results


def _map_arrays(predictor: Predictor, data: Any, batch_size: int, out: Any) -> Mapping[str, Any] | None:
    """Return the outputs by name for arrays of Dask, Zarr or NumPy; None for another container."""
    parts = list(data.values()) if isinstance(data, Mapping) else [data]
    is_array = all(hasattr(part, "shape") and hasattr(part, "dtype") for part in parts)
    if any(_is(part, "dask.array.core", "Array") for part in parts):
        from ir_plugin.batch_inference.dask_arrays import map_dask

        return map_dask(predictor, data)
    if any(_is(part, "zarr", "Array") for part in parts) or (is_array and str(out).endswith(".zarr")):
        from ir_plugin.batch_inference.zarr_arrays import map_zarr

        return map_zarr(predictor, data, batch_size, out)
    if is_array:
        return predictor(data) if out is None else _to_npy(predictor, data, Path(out))
    return None


def _predictor(model: Any, batch_size: int, axis: int, outputs: Any, config: Any, preprocess: Any) -> Predictor:
    if not isinstance(model, Predictor):
        return Predictor(model, config, outputs=outputs, batch_size=batch_size, preprocess=preprocess, axis=axis)
    settings = {"outputs": outputs, "config": config, "preprocess": preprocess}
    changed = {name: value for name, value in settings.items() if value is not None}
    return model.with_settings(batch_size=batch_size, axis=axis, **changed)


def _is(value: Any, module: str, name: str) -> bool:
    """Return whether a value is an instance of a class, without importing the class's package."""
    cls = getattr(sys.modules.get(module), name, None)
    return isinstance(cls, type) and isinstance(value, cls)


def _single(predictor: Predictor, results: Mapping[str, Any]) -> Any:
    """Return the container of the only output, or a dictionary by name."""
    return dict(results) if len(predictor.output_names) > 1 else results[predictor.output_names[0]]


def _to_npy(predictor: Predictor, data: Any, out: Path) -> dict[str, NDArray[Any]]:
    """Write the only output to an .npy, batch by batch, and return it as a memmap."""
    forms = predictor.forms(data)
    shape = forms[0].shape
    if len(forms) != 1 or shape is None or None in shape:
        raise InputError("an .npy holds one output whose shape is known; select it by outputs, or write to a .zarr")
    if predictor.ports.axis != 0:
        raise InputError("an .npy is written row by row, along axis 0; write to a .zarr, or leave out")
    if forms[0].is_text:
        raise InputError("an .npy has strings of one width, which is not known before the run; write to a .zarr")
    header = {"descr": np.lib.format.dtype_to_descr(forms[0].stored_dtype), "fortran_order": False, "shape": shape}
    with replacing(out) as (file,):
        np.lib.format.write_array_header_2_0(file, header)
        for _start, _stop, results in predictor.batches(data):
            file.write(np.ascontiguousarray(storable(results[forms[0].name])).data)
    return {forms[0].name: np.load(out, mmap_mode="r")}


def _map_items(predictor: Predictor, items: Iterable[Any], batch_size: int) -> Iterator[Any]:
    """Yield the result of each item; items without a batch are collected into batches."""
    rank = predictor.ports.inputs[0].partial_shape.ndim
    rows: list[NDArray[Any]] = []
    for item in items:
        array = np.asarray(item)
        if rank is None or array.ndim == rank:
            yield from _of_rows(predictor, rows)
            rows = []
            yield _single(predictor, predictor(array))
        elif array.ndim == rank - 1:
            if rows and rows[0].shape != array.shape:
                yield from _of_rows(predictor, rows)
                rows = []
            rows.append(array)
            if len(rows) == batch_size:
                yield from _of_rows(predictor, rows)
                rows = []
        else:
            raise InputError(
                f"an item has the shape {list(array.shape)}; the model takes {rank} dimensions, or one less"
            )
    yield from _of_rows(predictor, rows)


def _of_rows(predictor: Predictor, rows: list[NDArray[Any]]) -> Iterator[Any]:
    if rows:
        axis = predictor.ports.axis
        results = predictor(np.stack(rows, axis))
        for row in range(len(rows)):
            yield _single(predictor, {name: np.take(array, row, axis) for name, array in results.items()})


def _map_folder(predictor: Predictor, folder: Path, out: Any) -> Path:
    files = sorted(folder.glob("*.npy")) if folder.is_dir() else []
    if not files:
        raise InputError(f"there are no .npy files in {folder}")
    if out is None:
        raise InputError("the results of a folder need a folder: out=…")
    target = Path(out)
    names = predictor.output_names
    for name in names if len(names) > 1 else [""]:
        (target / name).mkdir(parents=True, exist_ok=True)
    for file in files:
        results = predictor(open_npy(file))
        for name, array in results.items():
            with replacing(target / (name if len(names) > 1 else "") / file.name) as (stream,):
                np.save(stream, storable(array), allow_pickle=False)
    return target
