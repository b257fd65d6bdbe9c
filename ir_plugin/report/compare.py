"""Layer-by-layer comparison of a run with a reference."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from ir_plugin.executor import LayerRun, Planned
from ir_plugin.model import Output
from ir_plugin.openvino.api import CompiledModel, Core, Model
from ir_plugin.openvino.api.lookup import names_of
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.operations.memory import memory_for
from ir_plugin.report.agreement import Agreement, OutputInstance, OutputState, named_first, path_prefix
from ir_plugin.report.comparison import Comparison
from ir_plugin.report.comparison_data import ComparedConstant, ComparedOutput
from ir_plugin.report.constants import Constants
from ir_plugin.report.facts import versioned
from ir_plugin.report.inputs import complete
from ir_plugin.report.measures import Measures, Tolerance, measure
from ir_plugin.report.originals import stored_constant
from ir_plugin.report.recomputation import PlannedRecomputation, Recomputation, as_type, is_text
from ir_plugin.report.references import Reference, ReferenceLike, reference_of
from ir_plugin.report.ties import is_tie
from ir_plugin.tensors import Array

Listener: TypeAlias = "Callable[[LayerRun], None]"
_NOT_COMPARED = (Const, Result, Assign)


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
    """Compare every layer's outputs with a reference.

    `reference` is `"openvino"`, `"onnxruntime"`, the path of an .npz that `ir-plugin dump` wrote, of an .onnx or of
    another .xml, a model, or a dictionary of arrays by layer or tensor name. `of` is what the other runtime runs: an
    ONNX model, or for OpenVINO another IR than `model`. Inputs that are not given come from the reference if it has
    them, else they are random. With `fed=True` each layer gets the reference's inputs, so that errors do not add up.

    Layers of bodies are compared in each iteration where the reference knows them: `loop[2]/add`. The layers are run
    by their plain `evaluate`; with `planned=True` by the compiled plan and its selected kernels: of fused layers the
    last is compared, and folded layers are not.
    """
    source: Model | Path = model if isinstance(model, Model) else Path(model)
    compiled = Core().compile_model(source, config={"OPTIMIZE": planned})
    settings = _Settings(reference_of(reference, source, of), Tolerance(rtol, atol), fed, planned)
    name = model.name if isinstance(model, Model) else str(model)
    return _comparison(name, compiled, settings, _arrays(compiled, settings.reference, inputs, seed), listener)


@dataclass(frozen=True)
class _Settings:
    """What a run is compared with, and how."""

    reference: Reference
    tolerance: Tolerance
    fed: bool
    planned: bool


def _comparison(
    name: str, compiled: CompiledModel, settings: _Settings, arrays: Sequence[Array], listener: Listener | None
) -> Comparison:
    """Run the layers on the values of the model's inputs, and return how they compare."""
    run = _Run(compiled.model, settings, arrays)
    for layer in _layers(compiled, arrays, settings.planned):
        with memory_for(layer.layer):
            run.take(layer)
        if listener is not None:
            listener(layer)
    return Comparison(
        name, settings.reference.title, settings.fed, settings.tolerance, tuple(run.outputs), tuple(run.unmatched),
        settings.planned, run.constants.differing, run.constants.count,
    )  # fmt: skip


def _arrays(compiled: CompiledModel, reference: Reference, inputs: Any, seed: int) -> Sequence[Array]:
    """Return the values of all inputs: `inputs`, or if None the reference's; missing ones are random."""
    return complete(compiled, _known_inputs(compiled, reference) if inputs is None else inputs, seed)


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

    def __init__(self, model: Model, settings: _Settings, arrays: Sequence[Array]) -> None:
        reference, tolerance = settings.reference, settings.tolerance
        self.tolerance = tolerance
        self.outputs: list[ComparedOutput] = []
        self.unmatched: list[str] = []
        inputs = dict(zip(model.inputs, arrays, strict=True))
        self._values = reference.values(model.inputs, arrays)
        self._by_tensor = reference.by_tensor
        self._fed = settings.fed
        self._agreement = Agreement(model)
        self._named_first = named_first(model)
        self.constants = Constants(model, self._find, self._values)
        self._plan = PlannedRecomputation(self._find, self.constants, inputs, tolerance) if settings.planned else None
        self._recomputation = self._plan or Recomputation(self._find, self.constants, inputs)
        self._folded: dict[OutputInstance, tuple[ComparedConstant, ...]] = {}
        """The differing constants upstream of outputs that depend on constants alone."""

    def take(self, run: LayerRun) -> None:
        """Compare one layer; with `fed`, its consumers read the reference's values."""
        self._agreement.enter(run)
        if not run.layer.is_a(*_NOT_COMPARED):
            arrays = list(run.outputs)
            for port in run.layer.outputs:
                if port.readers and port.index not in run.unread and not self._is_stored(port):
                    self._take_output(run, OutputInstance(run.frames, port), arrays)

    def _take_output(self, run: LayerRun, output: OutputInstance, arrays: Sequence[Array]) -> None:
        """Compare one output; within the tolerance but downstream of a difference it agrees only if it is equal."""
        port, array = output.port, arrays[output.port.index]
        theirs = self._find(output)
        if self._plan is not None:
            self._plan.keep(output, array)
        if theirs is None:
            self.unmatched.append(_key(output))
            return
        comparable = theirs.shape == array.shape and is_text(theirs) == is_text(array)
        measures = measure(array, theirs, self.tolerance) if comparable else None
        upstream = self._agreement.upstream(output)
        constants = tuple(self._upstream_constants(output))
        if upstream.is_constant and (measures is None or measures.over) and not _is_result(port):
            largest = float("inf") if measures is None else measures.max_abs
            self._folded[output] = constants or (ComparedConstant(run.name, largest),)
            return
        is_tie = (measures is None or measures.over > 0) and self._is_tie(run, port, arrays, theirs, upstream)
        inputs_agree = upstream.agrees or (upstream.is_tied and not is_tie)
        entry = self._entry(run, port, array.shape, measures, theirs.shape, upstream, constants)
        entry = replace(entry, is_tie=is_tie, inputs_agree=inputs_agree)
        is_explained = False
        if comparable and entry.differs and (inputs_agree or upstream.is_explained):
            entry, is_explained = self._judged(run, entry, port, theirs)
        self.outputs.append(entry)
        is_fed = self._fed and comparable
        if is_fed:
            self._feed(run, output, theirs)
        self._agreement.note(output, _state(entry, upstream, is_fed=is_fed, is_explained=is_explained))

    def _feed(self, run: LayerRun, output: OutputInstance, theirs: Array) -> None:
        """Give the consumers of an output the reference's value."""
        index = output.port.index
        run.outputs[index] = as_type(theirs, run.outputs[index])
        if self._plan is not None:
            self._plan.keep(output, run.outputs[index])

    def _is_tie(
        self, run: LayerRun, port: Output, arrays: Sequence[Array], theirs: Array, upstream: OutputState
    ) -> bool:
        """Return whether an output differs only by a tie, its own or those that its inputs differ by."""
        if upstream.agrees or upstream.is_tied:
            values = [self._find(OutputInstance(run.frames, output)) for output in run.layer.outputs]
            if is_tie(run.layer.operation, run.inputs, arrays, values, self.tolerance):
                return True
        return upstream.is_tied and (not self._is_known(run) or self._magnifies(run, port, theirs))

    def _is_known(self, run: LayerRun) -> bool:
        """Return whether a layer can be computed alone from inputs that the reference all has."""
        if self._fed or self._plan or run.layer.operation.subgraphs or run.layer.operation.stateful:
            return False
        sources = [port.source for port in run.layer.inputs if port.source is not None]
        return all(
            self._find(OutputInstance(run.frames, source)) is not None or stored_constant(source) is not None
            for source in sources
        )

    def _judged(self, run: LayerRun, entry: ComparedOutput, port: Output, theirs: Array) -> tuple[ComparedOutput, bool]:
        """Return the entry of an output over the tolerance, and whether its layer is right.

        A layer is right if it computes the reference's output from the reference's inputs and constants. It agrees if
        its error is at most the error of its inputs, which are within their tolerance.
        """
        if not all(constant.rounded_to for constant in entry.constants):
            return replace(entry, inputs_agree=True), False
        if not self._magnifies(run, port, theirs):
            return replace(entry, inputs_agree=entry.inputs_agree or self._recomputation.knows(run)), False
        if not entry.inputs_agree:
            return entry, True
        largest = entry.measures.max_abs if entry.measures is not None else float("inf")
        carried = self._recomputation.input_error(run)
        return (replace(entry, agrees=True), False) if largest <= carried else (replace(entry, magnifies=True), True)

    def _magnifies(self, run: LayerRun, port: Output, theirs: Array) -> bool:
        """Return whether a layer computes the reference's output from the reference's inputs."""
        result = self._recomputation.output(run, port.index)
        return result is not None and result.shape == theirs.shape and measure(result, theirs, self.tolerance).over == 0

    @staticmethod
    def _is_stored(port: Output) -> bool:
        """Return whether an output is a stored constant, which is compared as such."""
        return stored_constant(port) is not None and not _is_result(port)

    @staticmethod
    def _entry(
        run: LayerRun,
        port: Output,
        shape: tuple[int, ...],
        measures: Measures | None,
        reference_shape: tuple[int, ...],
        upstream: OutputState,
        constants: tuple[ComparedConstant, ...],
    ) -> ComparedOutput:
        return ComparedOutput(
            run.name,
            port.node.id,
            versioned(port.node),
            port.index,
            port.element_type.name,
            shape,
            measures,
            reference_shape,
            measures is not None and measures.over == 0,
            upstream.agrees,
            constants,
            upstream.through,
        )

    def _upstream_constants(self, output: OutputInstance) -> Iterator[ComparedConstant]:
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
                    constant = self.constants.compare(origin)
                    if constant is not None:
                        yield constant
                    elif self.constants.counterpart(origin.port) is None:
                        stack.append(origin)

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


def _state(entry: ComparedOutput, upstream: OutputState, *, is_fed: bool, is_explained: bool) -> OutputState:
    """Return the state of a compared output whose inputs have the state `upstream`."""
    is_equal = entry.measures is not None and entry.measures.max_abs == 0
    agrees = is_fed or (entry.agrees and (upstream.agrees or is_equal))
    is_tied = entry.is_tie or (entry.agrees and upstream.is_tied)
    is_explained = is_explained or (entry.agrees and upstream.is_explained)
    return OutputState(agrees, (), upstream.is_constant, is_tied, is_explained)


def _is_result(port: Output) -> bool:
    return any(reader.node.is_a(Result) for reader in port.readers)
