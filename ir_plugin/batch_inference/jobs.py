"""A map from stored arrays to Zarr, chunk by chunk: done chunks stay, so that a run can be resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ir_plugin import storable
from ir_plugin.batch_inference.npy_files import open_npy
from ir_plugin.batch_inference.ports import OutputForm
from ir_plugin.batch_inference.predictor import THREADS, Predictor
from ir_plugin.batch_inference.zarr_arrays import create_outputs, open_array, zarr_module
from ir_plugin.errors import Error, InputError

_AHEAD = 4
"""Tasks a worker that are submitted before their results are needed."""


@dataclass(frozen=True)
class Stored:
    """The path of an .npy, or the path or address of a Zarr array; workers open it themselves."""

    path: str

    def open(self) -> Any:
        """Return the array, whose elements are read when it is sliced."""
        return open_npy(self.path) if self.path.endswith(".npy") else open_array(self.path)


@dataclass(frozen=True)
class Outcome:
    """How a chunk ended: its number, its rows, and the error if there was one."""

    chunk: int
    rows: int
    fault: str = ""


@dataclass(frozen=True)
class MapJob:
    """A model over the rows of stored arrays, into Zarr arrays with a chunk for each batch."""

    predictor: Predictor
    inputs: Mapping[str, Stored]
    out: str
    batch_size: int
    axis: int = 0
    length: int = 0
    names: tuple[str, ...] = ()

    def start(self, resume: bool) -> MapJob:
        """Create the job's outputs, or with `resume` open the outputs of an earlier run, and return the job.

        Raises `InputError` where the inputs do not fit, or where outputs exist that another job wrote.
        """
        forms = self.predictor.forms(self._opened())
        length = (forms[0].shape or (0,))[self.axis] or 0
        job = replace(self, length=length, names=tuple(form.name for form in forms))
        if not job._exists():
            create_outputs(forms, self.batch_size, self.axis, self.out, job._attributes())
            return job
        if not resume:
            raise InputError(f"{self.out} exists; go on with --resume, or write to another path")
        job._require_same(forms)
        job.sweep()
        return replace(job, predictor=job._with_stored_threads())

    @property
    def chunk_count(self) -> int:
        """The number of chunks along the batch."""
        return -(-self.length // self.batch_size)

    def missing(self) -> list[int]:
        """Return the chunks that are not stored whole in all outputs."""
        from zarr.core.sync import sync

        done = [True] * self.chunk_count
        for array in self.outputs().values():
            prefix = f"{array.path}/" if array.path else ""
            for chunk in range(self.chunk_count):
                coordinates = [0] * array.ndim
                coordinates[self.axis] = chunk
                key = prefix + array.metadata.encode_chunk_key(tuple(coordinates))
                done[chunk] = done[chunk] and bool(sync(array.store.exists(key))) and self._is_whole(array, chunk)
        return [chunk for chunk, is_done in enumerate(done) if not is_done]

    def _is_whole(self, array: Any, chunk: int) -> bool:
        """Return whether a stored chunk can be read, which one that was cut cannot."""
        try:
            array[self._rows(chunk)]
        except Exception:  # noqa: BLE001 (zarr, codecs and the stores of clouds raise errors of many kinds)
            return False
        return True

    def _rows(self, chunk: int) -> Any:
        """Return the index of the rows of a chunk."""
        start, stop = chunk * self.batch_size, min((chunk + 1) * self.batch_size, self.length)
        return self.predictor.ports.rows(start, stop)

    def run(self, chunk: int) -> Outcome:
        """Compute and store a chunk; a fault of the model or of the data is part of the outcome."""
        start, stop = chunk * self.batch_size, min((chunk + 1) * self.batch_size, self.length)
        rows = self._rows(chunk)
        try:
            cut = {
                name: array[rows] if array.ndim > self.axis and array.shape[self.axis] == self.length else array[...]
                for name, array in self._opened().items()
            }
            results = self.predictor(cut)
            for name, array in self.outputs().items():
                array[rows] = storable(results[name])
        except OSError as fault:
            return Outcome(chunk, stop - start, f"{fault.strerror or fault}: {fault.filename or self.out}")
        except Error as fault:
            return Outcome(chunk, stop - start, str(fault))
        return Outcome(chunk, stop - start)

    def outputs(self) -> dict[str, Any]:
        """Return the Zarr arrays of the outputs by name, which also store chunks of zeros."""
        zarr = zarr_module()
        with zarr.config.set({"array.write_empty_chunks": True}):
            if len(self.names) == 1:
                return {self.names[0]: zarr.open_array(self.out, mode="r+")}
            group = zarr.open_group(self.out, mode="r+")
            return {name: group[name] for name in self.names}

    def sweep(self) -> None:
        """Remove the unfinished files of workers that were killed."""
        if Path(self.out).is_dir():
            for path in Path(self.out).rglob("*.partial"):
                path.unlink(missing_ok=True)

    def _opened(self) -> dict[str, Any]:
        names = self.predictor.ports.input_names
        return {name or names[0]: stored.open() for name, stored in self.inputs.items()}

    def _exists(self) -> bool:
        zarr = zarr_module()
        try:
            zarr.open(self.out, mode="r")
        except FileNotFoundError:
            if os.path.lexists(self.out) and (not os.path.isdir(self.out) or os.listdir(self.out)):
                raise InputError(f"{self.out} exists, and is not a Zarr array") from None
            return False
        return True

    def _attributes(self) -> dict[str, Any]:
        facts = {"model": self.predictor.digest, "batch_size": self.batch_size, "axis": self.axis}
        return {"ir_plugin": facts | {"threads": self.predictor.threads}}

    def _with_stored_threads(self) -> Predictor:
        """Return the predictor with the number of threads of the first run, as sums depend on how they are divided."""
        threads = next(iter(self.outputs().values())).attrs["ir_plugin"]["threads"]
        return self.predictor.with_settings(config=self.predictor.config | {THREADS: threads})

    def _require_same(self, forms: list[OutputForm]) -> None:
        """Raise `InputError` unless this model wrote the stored outputs, with these shapes, types and batch size."""
        try:
            arrays = self.outputs()
        except (KeyError, FileNotFoundError, ValueError, TypeError):
            raise InputError(f"{self.out} does not hold the outputs {', '.join(self.names)}; write elsewhere") from None
        for form in forms:
            array = arrays[form.name]
            same = array.shape == form.shape and array.dtype == form.stored_dtype
            stored, expected = dict(array.attrs).get("ir_plugin"), self._attributes()["ir_plugin"]
            if not same or not isinstance(stored, dict) or stored | {"threads": 0} != expected | {"threads": 0}:
                raise InputError(
                    f"{self.out} was written by another model, from other inputs, or with another batch size; "
                    "it cannot be resumed"
                )


def run_here(job: MapJob, chunks: list[int]) -> Iterator[Outcome]:
    """Yield the outcome of each chunk, computed in this process with all kernel threads."""
    yield from map(job.run, chunks)


def run_on(client: Any, job: MapJob, chunks: list[int]) -> Iterator[Outcome]:
    """Yield the outcomes as the workers of a Dask client finish, with a bounded number of tasks in the scheduler.

    A task whose worker dies is run again by the scheduler; one that kills several workers is a failed chunk. An
    `InputError` says that the workers, or the connection to the scheduler, are lost.
    """
    try:
        shared = client.scatter(job, broadcast=True)
        remaining = iter(chunks)
        running: dict[Any, int] = {}
        workers = max(sum(client.nthreads().values()), 1)
        while True:
            for chunk in remaining:
                future = client.submit(_run_chunk, shared, chunk, pure=False)
                running[future] = chunk
                if len(running) >= workers * _AHEAD:
                    break
            if not running:
                return
            yield from _finished(running)
    except (CancelledError, OSError, TimeoutError) as fault:
        reason = str(fault).partition("\n")[0]
        raise InputError(
            f"the workers are lost ({reason or type(fault).__name__}); their limits, as of memory, may be too low. "
            "The stored chunks stay: resume to go on"
        ) from None


def _finished(running: dict[Any, int]) -> Iterator[Outcome]:
    """Wait for a task, and yield the outcomes of all that have finished, which are no longer `running`."""
    from distributed import wait

    for future in wait(list(running), return_when=FIRST_COMPLETED).done:
        chunk = running.pop(future)
        fault = future.exception()
        yield future.result() if fault is None else Outcome(chunk, 0, f"{type(fault).__name__}: {fault}")


def _run_chunk(job: MapJob, chunk: int) -> Outcome:
    return job.run(chunk)
