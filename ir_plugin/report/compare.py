"""Layer-by-layer comparison of a run with a reference."""

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
from ir_plugin.report.agreement import Agreement, OutputInstance, OutputState, named_first, path_prefix
from ir_plugin.report.comparison import Comparison
from ir_plugin.report.comparison_data import ComparedConstant, ComparedOutput
from ir_plugin.report.inputs import complete
from ir_plugin.report.measures import Measures, Tolerance, measure
from ir_plugin.report.references import Reference, ReferenceLike, reference_of
from ir_plugin.report.store import Named
from ir_plugin.report.ties import is_tie
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
    """Return how every layer's outputs compare with those of a reference.

    `reference` is `"openvino"`, `"onnxruntime"`, the path of an .npz that `ir-plugin dump` wrote, of an .onnx or of
    another .xml, a model, or a dictionary of arrays by layer or tensor name. `of` is what the other runtime runs: an
    ONNX model, or for OpenVINO another IR than `model`. Inputs that are not given are those of the reference where it
    has them, else random. With `fed=True` each layer gets the reference's inputs, so that errors do not add up.

    Layers of bodies are compared in each iteration where the reference knows them: `loop[2]/add`. The layers are run
    by their plain `evaluate`; with `planned=True` by the compiled plan and its selected kernels: of fused layers the
    last is compared, and folded layers are not.
    """
    source: Model | Path = model if isinstance(model, Model) else Path(model)
    compiled = Core().compile_model(source, config={"OPTIMIZE": planned})
    resolved = reference_of(reference, source, of)
    arrays = complete(compiled, _known_inputs(compiled, resolved) if inputs is None else inputs, seed)
    run = _Run(compiled.model, resolved, resolved.values(compiled.inputs, arrays), Tolerance(rtol, atol), fed, planned)
    for layer in _layers(compiled, arrays, planned):
        with memory_for(layer.layer):
            run.take(layer)
        if listener is not None:
            listener(layer)
    name = str(model) if not isinstance(model, Model) else model.name
    return Comparison(name, resolved.title, fed, run.tolerance, tuple(run.outputs), tuple(run.unmatched), planned)


def _layers(compiled: CompiledModel, arrays: Sequence[Array], planned: bool) -> Iterator[LayerRun]:
    if planned:
        inputs = compiled.arrays_for(dict(enumerate(arrays)))
        return Planned(compiled.engine, compiled.config).steps(inputs, {})
    return compiled.create_infer_request().steps(arrays, bodies=True)


def _known_inputs(compiled: CompiledModel, reference: Reference) -> dict[int, Array] | None:
    """Return the inputs that the reference was computed from, by position."""
    stored = reference.inputs()
    inputs = {
        index: stored[name]
        for index, port in enumerate(compiled.inputs)
        for name in names_of(port)[::-1]
        if name in stored
    }
    return inputs or None


class _Run:
    """The state of a comparison: the outputs compared so far, and what they imply."""

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
        self._named_first = named_first(model)
        self._constants: dict[Output, ComparedConstant | None] = {}
        self._folded: dict[OutputInstance, tuple[ComparedConstant, ...]] = {}
        """The differing constants upstream of outputs that depend on constants alone."""

    def take(self, run: LayerRun) -> None:
        """Compare one layer; with `fed`, its consumers read the reference's values."""
        self._agreement.enter(run)
        if run.layer.get_type_name() not in _NOT_COMPARED:
            arrays = list(run.outputs)
            for port in run.layer.outputs:
                if port.readers and port.index not in run.unread:
                    self._take_output(run, OutputInstance(run.frames, port), arrays)

    def _take_output(self, run: LayerRun, output: OutputInstance, arrays: Sequence[Array]) -> None:
        """Compare one output; within the tolerance but downstream of a difference it agrees only if it is equal."""
        port, array = output.port, arrays[output.port.index]
        theirs = self._find(output)
        if theirs is None:
            self.unmatched.append(_key(output))
            return
        comparable = theirs.shape == array.shape and _is_text(theirs) == _is_text(array)
        measures = measure(array, theirs, self.tolerance) if comparable else None
        agrees = measures is not None and measures.over == 0
        behind = self._agreement.behind(output)
        constants = tuple(self._constants_behind(output))
        if behind.is_constant and not agrees and not _is_result(port):
            largest = float("inf") if measures is None else measures.max_abs
            self._folded[output] = constants or (ComparedConstant(run.name, largest),)
            return
        is_tie = not agrees and self._is_tie(run, port, arrays, theirs, behind)
        inputs_agree = behind.agrees or (behind.is_tied and not is_tie)
        entry = self._entry(run, port, array.shape, measures, theirs.shape, behind, constants)
        entry = replace(entry, is_tie=is_tie, inputs_agree=inputs_agree)
        suspected = self._may_magnify and entry.is_culprit and comparable and not constants
        self.outputs.append(replace(entry, magnifies=suspected and self._magnifies(run, port, theirs)))
        is_fed = self._fed and comparable
        if is_fed:
            run.outputs[port.index] = _as_type(theirs, array)
        is_clean = behind.agrees or (measures is not None and measures.max_abs == 0)
        is_tied = is_tie or (agrees and behind.is_tied)
        self._agreement.note(output, OutputState(is_fed or (agrees and is_clean), (), behind.is_constant, is_tied))

    def _is_tie(self, run: LayerRun, port: Output, arrays: Sequence[Array], theirs: Array, behind: OutputState) -> bool:
        """Return whether an output differs only by a tie, its own or those that its inputs differ by."""
        if behind.agrees or behind.is_tied:
            values = [self._find(OutputInstance(run.frames, output)) for output in run.layer.outputs]
            if is_tie(run.layer, run.inputs, arrays, values, self.tolerance):
                return True
        return behind.is_tied and (not self._is_known(run) or self._magnifies(run, port, theirs))

    def _is_known(self, run: LayerRun) -> bool:
        """Return whether a layer can be computed alone from inputs that the reference all has."""
        if not self._may_magnify or run.layer.operation.subgraphs or run.layer.operation.stateful:
            return False
        sources = [port.source for port in run.layer.inputs if port.source is not None]
        return all(
            self._find(OutputInstance(run.frames, source)) is not None or source.node.get_type_name() == "Constant"
            for source in sources
        )

    def _magnifies(self, run: LayerRun, port: Output, theirs: Array) -> bool:
        """Return whether a layer computes the reference's output from the reference's inputs."""
        operation = run.layer.operation.specialize(_types_of(run.inputs), _types_of(run.outputs))
        if operation.subgraphs or operation.stateful:
            return False
        operands = [
            self._reference_input(run, source.source, array)
            for source, array in zip(run.layer.inputs, run.inputs, strict=True)
        ]
        if all(mine is operand for mine, operand in zip(run.inputs, operands, strict=True)):
            return False
        try:
            result = compute(operation, operands)[port.index]
        except COMPUTATION_ERRORS:
            return False
        return result.shape == theirs.shape and measure(result, theirs, self.tolerance).over == 0

    def _reference_input(self, run: LayerRun, source: Output | None, mine: Array | None) -> Array | None:
        """Return the reference's value of an input if it is comparable and differs, else `mine`."""
        theirs = None if source is None or mine is None else self._find(OutputInstance(run.frames, source))
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
        behind: OutputState,
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

    def _constants_behind(self, output: OutputInstance) -> Iterator[ComparedConstant]:
        """Yield the differing constants upstream of an output, as far as the outputs compared before."""
        seen: set[OutputInstance] = set()
        stack = [output]
        while stack:
            origins = [origin for origin in self._agreement.origins(stack.pop()) if origin not in seen]
            seen.update(origins)
            for origin in origins:
                if origin in self._folded:
                    yield from self._folded[origin]
                elif not self._agreement.is_compared(origin):
                    stack.append(origin)
                    constant = self._constant(origin) if origin.port.node.get_type_name() == "Constant" else None
                    if constant is not None:
                        yield constant

    def _constant(self, output: OutputInstance) -> ComparedConstant | None:
        """Return a constant if it differs from the reference's, else None."""
        port = output.port
        if port not in self._constants:
            theirs, mine = self._find(output), port.node.operation.evaluate()
            comparable = theirs is not None and theirs.shape == mine.shape
            measures = measure(mine, theirs, Tolerance(0, 0)) if theirs is not None and comparable else None
            over = measures is not None and measures.over
            self._constants[port] = ComparedConstant(port.node.name, measures.max_abs) if measures and over else None
        return self._constants[port]

    def _find(self, output: OutputInstance) -> Array | None:
        """Return the reference's value; a layer whose name an earlier layer has is not looked up by name."""
        node, index = output.port.node, output.port.index
        inside = path_prefix(output.frames)
        names = [_key(output), f"{inside}{node.name}:{index}"] if node in self._named_first else []
        tensors = [inside + name for name in sorted(output.port.names)]
        for name in [*tensors, *names] if self._by_tensor else [*names, *tensors]:
            if name in self._values:
                return self._values[name]
        return None


def _key(output: OutputInstance) -> str:
    node = output.port.node
    name = path_prefix(output.frames) + node.name
    return name if len(node.outputs) == 1 else f"{name}:{output.port.index}"


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
