"""Comparing a run layer by layer with another."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.api import CompiledModel, Core, Model
from ir_plugin.api.lookup import names_of
from ir_plugin.model import Node, Output
from ir_plugin.report.comparison import ComparedConstant, ComparedOutput, Comparison
from ir_plugin.report.inputs import complete
from ir_plugin.report.measures import Measures, Tolerance, measure
from ir_plugin.report.references import Named, Reference, ReferenceLike, reference_of
from ir_plugin.runtime import LayerRun
from ir_plugin.tensors import Array

Listener: TypeAlias = "Callable[[LayerRun], None]"
_NOT_COMPARED = ("Result", "Assign")
_MOST_BEHIND = 16


def compare(
    model: Model | str | os.PathLike[str],
    reference: ReferenceLike = "openvino",
    inputs: Any = None,
    *,
    of: str | os.PathLike[str] | None = None,
    fed: bool = False,
    rtol: float = 1e-3,
    atol: float | None = None,
    seed: int = 0,
    listener: Listener | None = None,
) -> Comparison:
    """Run a model, and hold every layer's outputs against those of a reference.

    `reference` is `"openvino"`, `"onnxruntime"`, the path of an .npz that `ir-plugin dump` wrote, of an .onnx or of
    another .xml, a model, or a dictionary of arrays by layer or tensor name. `of` is what the other runtime runs: an
    ONNX model, or for OpenVINO another IR than `model`. Inputs that are not given are those of the reference where it
    knows them, else random. With `fed=True` each layer gets the reference's inputs, so that errors do not add up.
    """
    source: Model | Path = model if isinstance(model, Model) else Path(model)
    compiled = Core().compile_model(source)
    found = reference_of(reference, source, of)
    arrays = complete(compiled, _known_inputs(compiled, found) if inputs is None else inputs, seed)
    run = _Run(found, found.values(compiled.inputs, arrays), Tolerance(rtol, atol), fed)
    for layer in compiled.create_infer_request().steps(arrays):
        run.take(layer)
        if listener is not None:
            listener(layer)
    name = str(model) if not isinstance(model, Model) else model.name
    return Comparison(name, found.title, fed, run.tolerance, tuple(run.outputs), tuple(run.unmatched))


def _known_inputs(compiled: CompiledModel, reference: Reference) -> dict[int, Array] | None:
    """Return the inputs that the reference was made with."""
    stored = reference.inputs()
    found = {
        index: stored[name]
        for index, port in enumerate(compiled.inputs)
        for name in names_of(port)[::-1]
        if name in stored
    }
    return found or None


class _Run:
    """What is known of the values so far, and the entries made of them."""

    def __init__(self, reference: Reference, values: Named, tolerance: Tolerance, fed: bool) -> None:
        self.tolerance = tolerance
        self.outputs: list[ComparedOutput] = []
        self.unmatched: list[str] = []
        self._values = values
        self._by_tensor = reference.by_tensor
        self._fed = fed
        self._agrees: dict[Output, bool] = {}
        self._constants: dict[Output, ComparedConstant | None] = {}
        self._through: dict[Output, dict[str, None]] = {}
        self._named: set[str] = set()

    def take(self, run: LayerRun) -> None:
        """Compare one layer, and with `fed` let those behind it read the reference's values."""
        node = run.layer
        kind = node.get_type_name()
        if kind == "Constant":
            self._take_constant(run)
        elif kind not in _NOT_COMPARED:
            inputs_agree = all(self._agrees.get(port.source, True) for port in node.inputs if port.source is not None)
            for port, array in zip(node.outputs, list(run.outputs), strict=True):
                self._take_output(run, port, array, inputs_agree)
        self._named.add(node.name)

    def _take_constant(self, run: LayerRun) -> None:
        port = run.layer.outputs[0]
        theirs = self._find(port)
        if theirs is None or theirs.shape != run.outputs[0].shape:
            return
        found = measure(run.outputs[0], theirs, Tolerance(0, 0))
        if found.over:
            self._constants[port] = ComparedConstant(run.layer.name, found.max_abs)

    def _take_output(self, run: LayerRun, port: Output, array: Array, inputs_agree: bool) -> None:
        theirs = self._find(port)
        if theirs is None:
            self.unmatched.append(_key(port))
            self._agrees[port] = inputs_agree
            self._through[port] = {**self._behind(port.node), port.node.name: None}
            return
        comparable = theirs.shape == array.shape and _is_text(theirs) == _is_text(array)
        measures = measure(array, theirs, self.tolerance) if comparable else None
        agrees = measures is not None and measures.over == 0
        self.outputs.append(self._entry(port, array, measures, theirs.shape, agrees, inputs_agree))
        self._agrees[port] = agrees
        if self._fed and comparable:
            with np.errstate(all="ignore"):
                run.outputs[port.index] = theirs.astype(array.dtype)
            self._agrees[port] = True

    def _entry(
        self,
        port: Output,
        array: Array,
        measures: Measures | None,
        shape: tuple[int, ...],
        agrees: bool,
        inputs_agree: bool,
    ) -> ComparedOutput:
        node = port.node
        sources = [port.source for port in node.inputs if port.source is not None]
        constants = [found for found in map(self._constants.get, sources) if found is not None]
        return ComparedOutput(
            node.name,
            node.id,
            _versioned(node),
            port.index,
            port.element_type.name,
            array.shape,
            measures,
            shape,
            agrees,
            inputs_agree,
            tuple(constants),
            tuple(self._behind(node)),
        )

    def _behind(self, node: Node) -> dict[str, None]:
        """Return the last layers before a node that are not compared."""
        found: dict[str, None] = {}
        for port in node.inputs:
            if port.source is not None:
                found |= self._through.get(port.source, {})
        return dict.fromkeys(list(found)[-_MOST_BEHIND:])

    def _find(self, port: Output) -> Array | None:
        """Return the reference's value; a layer whose name another has already had is not found by its name."""
        key = _key(port)
        names = [] if port.node.name in self._named else [key, f"{port.node.name}:{port.index}"]
        tensors = sorted(port.names)
        for name in [*tensors, *names] if self._by_tensor else [*names, *tensors]:
            if name in self._values:
                return self._values[name]
        return None


def _key(port: Output) -> str:
    return port.node.name if len(port.node.outputs) == 1 else f"{port.node.name}:{port.index}"


def _versioned(node: Node) -> str:
    return f"{node.get_type_name()}-{node.operation.version.removeprefix('opset')}"


def _is_text(array: Array) -> bool:
    return array.dtype.kind in "OUS"
