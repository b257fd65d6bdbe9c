"""Recomputation of single layers from the reference's values instead of the run's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ir_plugin.compiler.folding import computed, is_foldable
from ir_plugin.executor import LayerRun
from ir_plugin.model import Node, Output
from ir_plugin.report.agreement import OutputInstance
from ir_plugin.report.constants import Constants
from ir_plugin.report.measures import Tolerance, measure
from ir_plugin.report.originals import constant_value
from ir_plugin.tensors import Array, ElementType

_DEEPEST = 16
"""The longest chain of layers without a reference value that is computed again."""

Find = Callable[[OutputInstance], "Array | None"]
Values = dict[OutputInstance, "Array | None"]


class Recomputation:
    """Computes layers from the reference's inputs and constants, through the layers that it has no value of."""

    def __init__(self, find: Find, constants: Constants, inputs: Mapping[Output, Array]) -> None:
        self._find = find
        self._constants = constants
        self._inputs = inputs

    def output(self, run: LayerRun, index: int) -> Array | None:
        """Return an output of a layer for the reference's inputs; None if they are the run's own inputs."""
        operands = self._operands(run)
        if all(mine is operand for mine, operand in zip(run.inputs, operands, strict=True)):
            return None
        outputs = _computed(run.layer, operands, _types_of(run.outputs))
        return None if outputs is None else outputs[index]

    def knows(self, run: LayerRun) -> bool:
        """Return whether all inputs of a layer without a body or state follow from the reference's values."""
        if run.layer.operation.subgraphs or run.layer.operation.stateful:
            return False
        sources = [port.source for port in run.layer.inputs if port.source is not None]
        return all(self._value(OutputInstance(run.frames, source)) is not None for source in sources)

    def input_error(self, run: LayerRun) -> float:
        """Return the largest difference between the inputs of a run that the reference has, and the reference's."""
        triples = zip(run.layer.inputs, run.inputs, self._operands(run), strict=True)
        return max(
            (_distance(mine, theirs) for port, mine, theirs in triples if self._has(run, port.source)), default=0.0
        )

    def _has(self, run: LayerRun, source: Output | None) -> bool:
        return source is not None and self._find(OutputInstance(run.frames, source)) is not None

    def _operands(self, run: LayerRun) -> list[Array | None]:
        pairs = zip(run.layer.inputs, run.inputs, strict=True)
        return [self._operand(run, port.source, mine) for port, mine in pairs]

    def _operand(self, run: LayerRun, source: Output | None, mine: Array | None) -> Array | None:
        """Return the reference's value of an input if it is comparable and differs, else `mine`."""
        theirs = None if source is None or mine is None else self._value(OutputInstance(run.frames, source))
        if theirs is None or mine is None or theirs.shape != mine.shape or is_text(theirs) or is_text(mine):
            return mine
        like = as_type(theirs, mine)
        return mine if np.array_equal(like, mine) else like

    def _value(self, output: OutputInstance) -> Array | None:
        """Return the reference's value of an output, or what the model's layers compute from such values."""
        return self._derived(output, self._known, {})

    def _known(self, output: OutputInstance) -> Array | None:
        """Return the reference's value of an output or of a constant, None if the reference lacks it."""
        self._constants.compare(output)
        value = self._constants.counterpart(output.port)
        return self._find(output) if value is None else value

    def _derived(self, output: OutputInstance, lookup: Find, values: Values, depth: int = 0) -> Array | None:
        """Return the known value of an output, or what the model's layers compute from such values."""
        if output in values:
            return values[output]
        value = lookup(output)
        if value is None:
            port = output.port
            value = self._inputs[port] if port in self._inputs else constant_value(port)
        if value is None:
            if depth == _DEEPEST:
                return None
            value = self._computed_from(output, lookup, values, depth)
        values[output] = value
        return value

    def _computed_from(self, output: OutputInstance, lookup: Find, values: Values, depth: int = 0) -> Array | None:
        """Return a layer's outputs computed from known values, or from values that layers compute from these."""
        frames, port = output
        sources = [reader.source for reader in port.node.inputs]
        operands = [
            None if source is None else self._derived(OutputInstance(frames, source), lookup, values, depth + 1)
            for source in sources
        ]
        if not sources or any(operand is None and source for operand, source in zip(operands, sources, strict=True)):
            return None
        outputs = _computed(port.node, operands, tuple(output.element_type for output in port.node.outputs))
        return None if outputs is None else outputs[port.index]


class PlannedRecomputation(Recomputation):
    """Computes the layers that a step of a plan stands for, from the reference's values and from the plan's own."""

    def __init__(self, find: Find, constants: Constants, inputs: Mapping[Output, Array], tolerance: Tolerance) -> None:
        super().__init__(find, constants, inputs)
        self._tolerance = tolerance
        self._own: dict[OutputInstance, Array] = {}

    def keep(self, output: OutputInstance, array: Array) -> None:
        """Store an output of a step, whose memory later steps use."""
        self._own[output] = array.copy()

    def output(self, run: LayerRun, index: int) -> Array | None:
        """Return the layers' output for the reference's inputs.

        It is None if the run's inputs give the same output, or if the layers and the step disagree for these.
        """
        output = OutputInstance(run.frames, run.layer.outputs[index])
        theirs = self._computed_from(output, self._known, {})
        mine = self._computed_from(output, self._own.get, {})
        if theirs is None or mine is None or np.array_equal(theirs, mine):
            return None
        is_right = mine.shape == run.outputs[index].shape and not is_text(mine)
        return theirs if is_right and not measure(run.outputs[index], mine, self._tolerance).over else None

    def input_error(self, run: LayerRun) -> float:
        """Return the largest difference between values that a step was computed from, and the reference's."""
        read: Values = {}

        def own_value(output: OutputInstance) -> Array | None:
            if output in self._own:
                read[output] = self._own[output]
            return read.get(output)

        for port in run.layer.outputs:
            self._computed_from(OutputInstance(run.frames, port), own_value, {})
        return max((_distance(mine, self._find(output)) for output, mine in read.items()), default=0.0)


def _computed(node: Node, operands: Sequence[Array | None], types: tuple[ElementType, ...]) -> Sequence[Array] | None:
    """Return the outputs of a layer without a body or state for these inputs, None if it cannot be computed."""
    operation = node.operation.specialize(_types_of(operands), types)
    return (is_foldable(operation) and computed(operation, operands)) or None


def _distance(mine: Array | None, theirs: Array | None) -> float:
    if mine is None or theirs is None or mine is theirs:
        return 0.0
    with np.errstate(all="ignore"):
        error = np.abs(mine.astype(np.float64) - theirs.astype(np.float64))
    return float(error[np.isfinite(error)].max(initial=0.0))


def as_type(theirs: Array, mine: Array) -> Array:
    """Return the reference's array in the element type of `mine`."""
    with np.errstate(all="ignore"):
        return theirs.astype(mine.dtype)


def is_text(array: Array) -> bool:
    """Return whether an array holds strings."""
    return array.dtype.kind in "OUS"


def _types_of(arrays: Sequence[Array | None]) -> tuple[ElementType, ...]:
    return tuple(ElementType.from_dtype(array.dtype) for array in arrays if array is not None)
