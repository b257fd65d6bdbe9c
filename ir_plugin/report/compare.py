"""Comparing a run layer by layer with another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.api import CompiledModel, Core, Model
from ir_plugin.api.lookup import names_of
from ir_plugin.model import Node, Output
from ir_plugin.operations.base import compute
from ir_plugin.operations.memory import memory_for
from ir_plugin.report.agreement import Agreement, Place, State, firsts, inside_of
from ir_plugin.report.comparison import ComparedConstant, ComparedOutput, Comparison
from ir_plugin.report.inputs import complete
from ir_plugin.report.measures import Measures, Tolerance, measure
from ir_plugin.report.references import Reference, ReferenceLike, reference_of
from ir_plugin.report.store import Named
from ir_plugin.runtime import LayerRun, Planned
from ir_plugin.tensors import Array, ElementType
from ir_plugin.validation.inference import COMPUTATION_ERRORS

Listener: TypeAlias = "Callable[[LayerRun], None]"
_NOT_COMPARED = ("Constant", "Result", "Assign")


def compare(
    model: Model | str | os.PathLike[str],
    reference: ReferenceLike = "openvino",
    inputs: Any = None,
    *,
    of: str | os.PathLike[str] | None = None,
    fed: bool = False,
    planned: bool = False,
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

    Layers of bodies are compared in each iteration where the reference knows them: `loop[2]/add`. The layers are run
    by their plain `evaluate`; with `planned=True` by the plan that a call runs, with its prepared kernels: of layers
    that are fused the last is compared, and those that were folded are not.
    """
    source: Model | Path = model if isinstance(model, Model) else Path(model)
    compiled = Core().compile_model(source, config={"OPTIMIZE": planned})
    found = reference_of(reference, source, of)
    arrays = complete(compiled, _known_inputs(compiled, found) if inputs is None else inputs, seed)
    run = _Run(compiled.model, found, found.values(compiled.inputs, arrays), Tolerance(rtol, atol), fed, planned)
    for layer in _layers(compiled, arrays, planned):
        with memory_for(layer.layer):
            run.take(layer)
        if listener is not None:
            listener(layer)
    name = str(model) if not isinstance(model, Model) else model.name
    return Comparison(name, found.title, fed, run.tolerance, tuple(run.outputs), tuple(run.unmatched), planned)


def _layers(compiled: CompiledModel, arrays: Sequence[Array], planned: bool) -> Iterator[LayerRun]:
    if planned:
        given = compiled.arrays_for(dict(enumerate(arrays)))
        return Planned(compiled.engine, compiled.config).steps(given, {})
    return compiled.create_infer_request().steps(arrays, bodies=True)


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

    def __init__(
        self, model: Model, reference: Reference, values: Named, tolerance: Tolerance, fed: bool, planned: bool
    ) -> None:
        self.tolerance = tolerance
        self.outputs: list[ComparedOutput] = []
        self.unmatched: list[str] = []
        self._values = values
        self._by_tensor = reference.by_tensor
        self._fed = fed
        self._may_magnify = not fed and not planned
        self._agreement = Agreement(model)
        self._firsts = firsts(model)
        self._constants: dict[Output, ComparedConstant | None] = {}
        self._folded: dict[Place, tuple[ComparedConstant, ...]] = {}
        """What differs among the constants behind outputs that follow from constants alone."""

    def take(self, run: LayerRun) -> None:
        """Compare one layer, and with `fed` let those behind it read the reference's values."""
        self._agreement.enter(run)
        if run.layer.get_type_name() not in _NOT_COMPARED:
            for port, array in zip(run.layer.outputs, list(run.outputs), strict=True):
                if port.readers and port.index not in run.unread:
                    self._take_output(run, Place(run.frames, port), array)

    def _take_output(self, run: LayerRun, place: Place, array: Array) -> None:
        """Compare one output; one within the tolerance counts as differing behind one beyond it, unless it is equal."""
        port = place.port
        theirs = self._find(place)
        if theirs is None:
            self.unmatched.append(_key(place))
            return
        comparable = theirs.shape == array.shape and _is_text(theirs) == _is_text(array)
        measures = measure(array, theirs, self.tolerance) if comparable else None
        agrees = measures is not None and measures.over == 0
        behind = self._agreement.behind(place)
        constants = tuple(self._constants_behind(place))
        if behind.is_constant and not agrees and not _is_result(port):
            largest = float("inf") if measures is None else measures.max_abs
            self._folded[place] = constants or (ComparedConstant(run.name, largest),)
            return
        entry = self._entry(run, port, array.shape, measures, theirs.shape, behind, constants)
        suspected = self._may_magnify and entry.is_culprit and comparable and not constants
        self.outputs.append(replace(entry, magnifies=suspected and self._magnifies(run, port, theirs)))
        is_fed = self._fed and comparable
        if is_fed:
            run.outputs[port.index] = _as_type(theirs, array)
        is_clean = behind.agrees or (measures is not None and measures.max_abs == 0)
        self._agreement.note(place, State(is_fed or (agrees and is_clean), (), behind.is_constant))

    def _magnifies(self, run: LayerRun, port: Output, theirs: Array) -> bool:
        """Return whether a layer gives the reference's output where its inputs are the reference's."""
        operation = run.layer.operation.specialize(_types_of(run.inputs), _types_of(run.outputs))
        if operation.subgraphs or operation.stateful:
            return False
        given = [
            self._given(run, source.source, array) for source, array in zip(run.layer.inputs, run.inputs, strict=True)
        ]
        if all(mine is other for mine, other in zip(run.inputs, given, strict=True)):
            return False
        try:
            output = compute(operation, given)[port.index]
        except COMPUTATION_ERRORS:
            return False
        return output.shape == theirs.shape and measure(output, theirs, self.tolerance).over == 0

    def _given(self, run: LayerRun, source: Output | None, mine: Array | None) -> Array | None:
        """Return the reference's value of an input where it has one that is like ours, and is not equal."""
        theirs = None if source is None or mine is None else self._find(Place(run.frames, source))
        if theirs is None or mine is None or theirs.shape != mine.shape or _is_text(theirs) or _is_text(mine):
            return mine
        like = _as_type(theirs, mine)
        return mine if np.array_equal(like, mine) else like

    @staticmethod
    def _entry(
        run: LayerRun,
        port: Output,
        shape: tuple[int, ...],
        measures: Measures | None,
        reference_shape: tuple[int, ...],
        behind: State,
        constants: tuple[ComparedConstant, ...],
    ) -> ComparedOutput:
        return ComparedOutput(
            run.name,
            port.node.id,
            _versioned(port.node),
            port.index,
            port.element_type.name,
            shape,
            measures,
            reference_shape,
            measures is not None and measures.over == 0,
            behind.agrees,
            constants,
            behind.through,
        )

    def _constants_behind(self, place: Place) -> Iterator[ComparedConstant]:
        """Yield the constants that differ among what an output was computed from since the last comparison."""
        seen: set[Place] = set()
        stack = [place]
        while stack:
            origins = [origin for origin in self._agreement.origins(stack.pop()) if origin not in seen]
            seen.update(origins)
            for origin in origins:
                if origin in self._folded:
                    yield from self._folded[origin]
                elif not self._agreement.is_compared(origin):
                    stack.append(origin)
                    found = self._constant(origin) if origin.port.node.get_type_name() == "Constant" else None
                    if found is not None:
                        yield found

    def _constant(self, place: Place) -> ComparedConstant | None:
        """Return a constant, if it differs from the reference's."""
        port = place.port
        if port not in self._constants:
            theirs, mine = self._find(place), port.node.get_data()
            comparable = theirs is not None and theirs.shape == mine.shape
            found = measure(mine, theirs, Tolerance(0, 0)) if theirs is not None and comparable else None
            over = found is not None and found.over
            self._constants[port] = ComparedConstant(port.node.name, found.max_abs) if found and over else None
        return self._constants[port]

    def _find(self, place: Place) -> Array | None:
        """Return the reference's value; a layer whose name another has already had is not found by its name."""
        node, index = place.port.node, place.port.index
        inside = inside_of(place.frames)
        names = [_key(place), f"{inside}{node.name}:{index}"] if node in self._firsts else []
        tensors = [inside + name for name in sorted(place.port.names)]
        for name in [*tensors, *names] if self._by_tensor else [*names, *tensors]:
            if name in self._values:
                return self._values[name]
        return None


def _key(place: Place) -> str:
    node = place.port.node
    name = inside_of(place.frames) + node.name
    return name if len(node.outputs) == 1 else f"{name}:{place.port.index}"


def _versioned(node: Node) -> str:
    return f"{node.get_type_name()}-{node.operation.version.removeprefix('opset')}"


def _is_result(port: Output) -> bool:
    return any(reader.node.get_type_name() == "Result" for reader in port.readers)


def _as_type(theirs: Array, mine: Array) -> Array:
    with np.errstate(all="ignore"):
        return theirs.astype(mine.dtype)


def _types_of(arrays: Sequence[Array | None]) -> tuple[ElementType, ...]:
    return tuple(ElementType.from_dtype(array.dtype) for array in arrays if array is not None)


def _is_text(array: Array) -> bool:
    return array.dtype.kind in "OUS"
