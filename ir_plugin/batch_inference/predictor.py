"""A model as a picklable function of arrays, for workers of any framework."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ir_plugin import CompiledModel, Core, InferRequest
from ir_plugin.batch_inference.ports import BatchPorts, OutputForm
from ir_plugin.batch_inference.sources import source_of
from ir_plugin.errors import ArgumentValueError, InputError, require

Arrays: TypeAlias = "dict[str, NDArray[Any]]"
Preprocess: TypeAlias = "Callable[[dict[str, Any]], Mapping[str, Any]]"

THREADS = "INFERENCE_NUM_THREADS"
"""The property that holds the number of kernel threads."""
_MAX_COMPILED = 8
"""The most compiled models that a process keeps for predictors."""


class _Compiled:
    """A compiled model with a request for each thread."""

    def __init__(self, compiled: CompiledModel) -> None:
        self.compiled = compiled
        self._requests = threading.local()

    def infer(self, arrays: Mapping[int, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """Return the outputs of a run without earlier state."""
        request: InferRequest | None = getattr(self._requests, "request", None)
        if request is None:
            request = self._requests.request = self.compiled.create_infer_request()
        request.reset_state()
        request.infer(arrays, share_inputs=True, share_outputs=True)
        return request.output_values()


class _Cache:
    """The compiled models of this process, the most recently used ones."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, _Compiled] = OrderedDict()

    def get(self, key: Hashable, compile: Callable[[], CompiledModel]) -> _Compiled:
        """Return the compiled model of a key, compiled on first use."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                entry = self._entries[key] = _Compiled(compile())
            self._entries.move_to_end(key)
            while len(self._entries) > _MAX_COMPILED:
                self._entries.popitem(last=False)
            return entry


_CACHE = _Cache()


class Predictor:
    """A model as a function of arrays: `predictor({"images": array}) -> {"scores": array}`.

    It pickles small: the model's path with a digest of its files, which is checked where it is unpickled; a `Model`
    travels by value. It is compiled on first use, once a process, and may be called from several threads.

    Arrays are cut into batches along `axis`, by default of the model's own length, or whole where the model takes any;
    `batch_size` bounds them. `outputs` selects outputs by name. `preprocess` turns the dictionary of a batch into the
    model's inputs. State does not outlive a batch.
    """

    def __init__(
        self,
        model: Any,
        config: Mapping[str, Any] | None = None,
        *,
        outputs: str | Sequence[str] | None = None,
        batch_size: int | None = None,
        preprocess: Preprocess | None = None,
        axis: int = 0,
    ) -> None:
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size < 1):
            raise ArgumentValueError(f"batch_size is a number of rows, at least 1, not {batch_size!r}")
        require(axis, int, "a number", "axis")
        self._source = source_of(model)
        require(config, (Mapping, NoneType), "a dictionary of properties", "config")
        self._config = dict(config or {})
        Core().set_property(self._config)  # raises for a property that does not exist, or another value than it has
        self._outputs = outputs if outputs is None or isinstance(outputs, str) else list(outputs)
        self._batch_size, self._preprocess, self._axis = batch_size, preprocess, axis
        self._forget()

    def _forget(self) -> None:
        """Drop what belongs to this process."""
        self._ports: BatchPorts | None = None
        self._entry: _Compiled | None = None

    @property
    def ports(self) -> BatchPorts:
        """The inputs and outputs of the model, which is read on first use."""
        if self._ports is None:
            model = self._compiled().compiled.model
            self._ports = BatchPorts(model, self._axis, self._outputs)
        return self._ports

    @property
    def digest(self) -> str:
        """The SHA-256 of the model."""
        return self._source.digest

    @property
    def config(self) -> dict[str, Any]:
        """The properties that the model is compiled with, as a copy."""
        return dict(self._config)

    @property
    def threads(self) -> int:
        """The number of kernel threads."""
        return int(self._compiled().compiled.get_property(THREADS))

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs that are returned."""
        return list(self.ports.output_names)

    def _compiled(self) -> _Compiled:
        if self._entry is None:
            key = self._source.key, json.dumps({name: str(value) for name, value in sorted(self._config.items())})
            self._entry = _CACHE.get(key, lambda: Core().compile_model(self._source.read(), config=self._config))
        return self._entry

    def with_settings(self, **settings: Any) -> Predictor:
        """Return the same predictor with another `config`, `outputs`, `batch_size`, `preprocess` or `axis`."""
        other = object.__new__(Predictor)
        other.__dict__ |= self.__dict__ | {f"_{name}": value for name, value in settings.items()}
        other._forget()
        return other

    def forms(self, inputs: Any) -> list[OutputForm]:
        """Return the name, type and shape of each output, by shape inference alone.

        Raises `InputError` where a name, type or shape does not fit. The inputs need only a shape and a dtype;
        `preprocess` is tried on a row of zeros.
        """
        if self._preprocess is None:
            values = self.ports.by_position(inputs)
            return self.ports.forms(values, self.ports.batch_length(values))
        raw = self._raw(inputs)
        sample = {name: np.zeros(_with(value.shape, self._axis, 1), value.dtype) for name, value in raw.items()}
        values = self._checked(self._preprocess(sample))
        return self.ports.forms(values, self._common_length(raw))

    def __call__(self, inputs: Any) -> Arrays:
        """Return the outputs by name for a dictionary of arrays by input, or for the array of the only input.

        Anything with a shape, a dtype and slices may stand for an array, such as a memmap or a Zarr array; it is read
        batch by batch.
        """
        results: Arrays = {}
        for start, stop, length, parts in self._batches(inputs):
            if stop - start == length:
                return parts
            if not results:
                results = {name: self._room(part, length) for name, part in parts.items()}
            self._fill(results, parts, start, stop)
        return results

    def batches(self, inputs: Any) -> Iterator[tuple[int, int, Arrays]]:
        """Yield the first row, the end, and the outputs of each batch of `inputs`, which are as in a call."""
        for start, stop, _length, parts in self._batches(inputs):
            yield start, stop, parts

    def _batches(self, inputs: Any) -> Iterator[tuple[int, int, int, Arrays]]:
        if self._preprocess is None:
            values = {position: sliceable(value) for position, value in self.ports.by_position(inputs).items()}
            length = self.ports.batch_length(values)
        else:
            raw = self._raw(inputs)
            length = self._common_length(raw)
        if length == 0:
            yield 0, 0, 0, {form.name: _empty(form, self._axis) for form in self.forms(inputs)}
            return
        step = self.ports.fixed or min(self._batch_size or length, length)
        for start in range(0, length, step):
            stop = min(start + step, length)
            if self._preprocess is None:
                rows = {
                    position: value[self.ports.rows(start, stop)] if self.ports.is_batched[position] else value
                    for position, value in values.items()
                }
            else:
                cut = {name: np.asarray(value[self.ports.rows(start, stop)]) for name, value in raw.items()}
                rows = self._checked(self._preprocess(cut), stop - start)
            parts = self._infer(rows, stop - start)
            yield start, stop, length, dict(zip(self.ports.output_names, parts, strict=True))

    def _raw(self, inputs: Any) -> dict[str, Any]:
        """Return the arrays that `preprocess` takes, by name; a single one has the name of the only input."""
        named = inputs if isinstance(inputs, Mapping) else {self.ports.input_names[0]: inputs}
        return {name: sliceable(value) for name, value in named.items()}

    def _common_length(self, arrays: Mapping[str, Any]) -> int:
        lengths = {name: value.shape[self._axis] for name, value in arrays.items() if len(value.shape) > self._axis}
        if len(set(lengths.values())) != 1:
            raise InputError(f"the arrays need one length along axis {self._axis}: {lengths}")
        return int(next(iter(lengths.values())))

    def _checked(self, arrays: Mapping[str, Any], length: int = 1) -> dict[int, Any]:
        """Return the outputs of `preprocess` by input position; raises if they have another number of rows."""
        values = {position: sliceable(value) for position, value in self.ports.by_position(arrays).items()}
        if self.ports.batch_length(values) != length:
            raise InputError(f"preprocess made {self.ports.batch_length(values)} rows of {length}")
        return values

    def _infer(self, rows: Mapping[int, Any], length: int) -> list[NDArray[Any]]:
        """Return the outputs for some rows; a batch of fixed length is filled up with its last row."""
        fixed = self.ports.fixed or length
        arrays = {position: np.asarray(value) for position, value in rows.items()}
        if length < fixed:
            for position, array in arrays.items():
                if self.ports.is_batched[position]:
                    last = np.repeat(np.take(array, [-1], self._axis), fixed - length, self._axis)
                    arrays[position] = np.concatenate([array, last], self._axis)
        outputs = self._compiled().infer(arrays)
        parts = [outputs[position] for position in self.ports.output_positions]
        self._require_batch(parts, fixed)
        return [part[self.ports.rows(0, length)] for part in parts]

    def _require_batch(self, parts: Sequence[NDArray[Any]], length: int) -> None:
        for name, part in zip(self.ports.output_names, parts, strict=True):
            if part.ndim <= self._axis or part.shape[self._axis] != length:
                raise InputError(
                    f"output {name} has no batch along axis {self._axis}: its shape is {list(part.shape)} for a batch "
                    f"of {length}; select other outputs"
                )

    def _room(self, part: NDArray[Any], length: int) -> NDArray[Any]:
        """Return an array for the outputs of all batches."""
        return np.empty(_with(part.shape, self._axis, length), part.dtype)

    def _fill(self, results: Arrays, parts: Arrays, start: int, stop: int) -> None:
        for name, part in parts.items():
            results[name] = _widened(results[name], part.dtype)
            target = results[name][self.ports.rows(start, stop)]
            if target.shape != part.shape:
                raise InputError(
                    f"output {name} has the shape {list(part.shape)} for rows {start} to {stop - 1}, and "
                    f"{list(target.shape)} for the rows before; such batches cannot be joined"
                )
            target[...] = part

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_ports": None, "_entry": None}

    def __repr__(self) -> str:
        return f"<Predictor: {self._source}>"


def sliceable(value: Any) -> Any:
    """Return a value that has a shape, a dtype and slices."""
    if hasattr(value, "shape") and hasattr(value, "dtype") and hasattr(value, "__getitem__"):
        return value
    return np.asarray(value)


def _with(shape: Sequence[int], axis: int, length: int) -> tuple[int, ...]:
    return (*shape[:axis], length, *shape[axis + 1 :])


def _widened(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Widen an array of texts for longer strings; other arrays are returned unchanged."""
    is_wider = array.dtype.kind == "U" and dtype.itemsize > array.dtype.itemsize
    return array.astype(dtype) if is_wider else array


def _empty(form: OutputForm, axis: int) -> NDArray[Any]:
    shape = form.shape or (0,) * (axis + 1)
    return np.empty([0 if length is None else length for length in shape], form.dtype)
