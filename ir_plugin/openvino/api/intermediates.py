"""Intermediate results of a run: the outputs of every layer, by the names of layers and tensors."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import InputError, NameNotFoundError, shown
from ir_plugin.executor import LayerRun
from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import all_nodes
from ir_plugin.openvino.api.html import array_table
from ir_plugin.openvino.api.results import Results
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.tensors import Array

_SHOWN_VALUES = 5


class Intermediates(Mapping[str, Array]):
    """The outputs of the executed layers, in the order of execution.

    Keys are layer names, `name:1` for an output of a layer with several, and `loop[2]/name` for a layer in the third
    iteration of a body. A tensor name, a port, a node and `(name, port)` are valid keys as well.
    """

    def __init__(self, runs: Sequence[LayerRun], results: Results | None) -> None:
        self.runs = tuple(runs)
        """Every execution of a layer, with its inputs, outputs and seconds."""
        self.results = results
        """The outputs of the model; None if the run stopped before."""
        self._arrays: dict[str, Array] = {}
        self._aliases: dict[Any, Array] = {}
        for run in self.runs:
            self._add(run)

    def _add(self, run: LayerRun) -> None:
        node = run.layer
        for index, array in enumerate(run.outputs):
            key = run.name if len(run.outputs) == 1 else f"{run.name}:{index}"
            self._arrays[key if key not in self._arrays else f"{key} (id {node.id})"] = array
            prefix = run.name.removesuffix(node.name)
            names = node.outputs[index].names
            keys = [(run.name, index), (node.path, node.id, index), *(prefix + name for name in names)]
            for alias in [*keys, *([run.name] if index == 0 else [])]:
                self._aliases.setdefault(alias, array)

    def __getitem__(self, key: Any) -> Array:
        if isinstance(key, Node):
            key = key.path, key.id, 0
        elif isinstance(key, Output):
            key = key.node.path, key.node.id, key.index
        array = self._arrays.get(key) if isinstance(key, str) else None
        array = self._aliases.get(key) if array is None else array
        if array is None:
            help = did_you_mean(key, list(self._arrays)) if isinstance(key, str) else ""
            raise NameNotFoundError(f"no layer {shown(key)} was run or kept" + (f"; {help}" if help else ""))
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def _repr_html_(self) -> str:
        return array_table(f"Outputs of {len(self.runs)} executions of layers", self)

    def __repr__(self) -> str:
        shown = [f"{key}: {array.dtype}{list(array.shape)}" for key, array in self._arrays.items()]
        return f"<Intermediates: {', '.join(shown)}>"


class Stopped(Exception):  # noqa: N818 (no error: it only ends a run)
    """Ends a run after the layer named by `stop_after`."""


class Recorder:
    """Observes a run: records matching layers, prints layers, and stops after a layer."""

    def __init__(
        self, model: Model, layers: str | Iterable[str] | None = None, stop_after: str = "", verbose: int = 0
    ) -> None:
        self.runs: list[LayerRun] = []
        self._patterns = None if layers is None else [layers] if isinstance(layers, str) else list(layers)
        self._stop_after = stop_after
        self._verbose = verbose
        self._require_known(model)

    def _require_known(self, model: Model) -> None:
        names = [name for node in all_nodes(model) for name in _names(node)]
        for pattern in [*(self._patterns or []), *([self._stop_after] if self._stop_after else [])]:
            last = pattern.rpartition("/")[2]
            if not any(fnmatchcase(name, pattern) or fnmatchcase(name, last) for name in names):
                help = did_you_mean(pattern, names)
                raise InputError(f"the model has no layer {pattern!r}" + (f"; {help}" if help else ""))

    def __call__(self, run: LayerRun) -> None:
        """Record and print an executed layer, and stop the run after `stop_after`."""
        if self._verbose:
            _show(run, self._verbose)
        if self._is_selected(run):
            self.runs.append(run)
        if self._stop_after and self._matches(run, self._stop_after):
            raise Stopped

    def _is_selected(self, run: LayerRun) -> bool:
        if self._patterns is None:
            return not run.layer.is_a(Parameter, Result, Const)
        return any(self._matches(run, pattern) for pattern in self._patterns)

    @staticmethod
    def _matches(run: LayerRun, pattern: str) -> bool:
        return any(fnmatchcase(name, pattern) for name in (run.name, *_names(run.layer)))


def _names(node: Node) -> list[str]:
    ports = [] if node.get_type_name() == "Result" else node.outputs
    return [node.name, *(name for port in ports for name in sorted(port.names))]


def _show(run: LayerRun, verbose: int) -> None:
    """Write a layer to the standard output, and from level 2 the values of its outputs."""
    node = run.layer
    sources = ", ".join("" if port.source is None else port.source.node.name for port in node.inputs)
    lines = [f"{node.get_type_name()}({sources}) -> {run.name}"]
    if verbose > 1:
        lines += [f" + {run.name}:{index}: {summary(array)}" for index, array in enumerate(run.outputs)]
    sys.stdout.write("\n".join(lines) + "\n")


def summary(array: Array) -> str:
    """Return type, shape and first values of an array on one line."""
    values = ", ".join(map(str, array.reshape(-1)[:_SHOWN_VALUES].tolist()))
    more = ", …" if array.size > _SHOWN_VALUES else ""
    return f"{array.dtype}{list(array.shape)} {values}{more}"
