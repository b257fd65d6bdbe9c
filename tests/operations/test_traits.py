"""Traits hold on every sample: what one slice of an input has reaches no other slice of the output."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin.model import Node
from ir_plugin.operations.base import trait_of
from ir_plugin.operations.traits import Along, Batched, Elementwise, Selects, ValueInputs
from ir_plugin.report.measures import Tolerance
from ir_plugin.report.ties import is_tie
from ir_plugin.tensors import Array
from tests.support.collect import samples
from tests.support.ir import build
from tests.support.sample import Sample

SAMPLES = dict(samples())


def read(sample: Sample) -> tuple[ov.Model, Node]:
    """Return the model of a sample, and the node under test."""
    ir = build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs, {})
    model = ov.Core().read_model(ir.xml, ir.weights)
    return model, next(node for node in model.get_ordered_ops() if node.get_type_name() == sample.type)


def separate_axes(node: Node) -> Iterator[tuple[int, int, int]]:
    """Yield an input, an axis of it along which slices are separate, and the axis of the outputs that has them."""
    for trait in node.operation.traits:
        ranks = [port.tensor_info.shape.ndim or 0 for port in node.inputs]
        out = node.outputs[0].tensor_info.shape.ndim if node.outputs else None
        out = max(ranks, default=0) if out is None else out
        if isinstance(trait, Batched):
            yield 0, 0, 0
        elif isinstance(trait, Elementwise):
            for position, rank in enumerate(ranks):
                yield from ((position, axis, axis - rank + out) for axis in range(rank))
        elif isinstance(trait, Along):
            yield from _beside(node, trait, ranks[0])


def _beside(node: Node, trait: Along, rank: int) -> Iterator[tuple[int, int, int]]:
    if isinstance(trait.axes, str):
        named = [getattr(node.operation, trait.axes)]
    else:
        value = node.inputs[trait.axes].tensor_info.value if trait.axes < len(node.inputs) else None
        if value is None:
            return
        named = [int(axis) for axis in value.reshape(-1)]
    combined = {axis % rank for axis in named} if rank else set()
    for axis in set(range(rank)) - combined:
        lost = 0 if getattr(node.operation, "keep_dims", True) else sum(other < axis for other in combined)
        yield 0, axis, axis - lost


def free_arrays(sample: Sample) -> list[Array]:
    """Return the values of the inputs that are not constant."""
    return [np.asarray(operand.value) for operand in sample.inputs if operand is not None and not operand.constant]


def checked(sample: Sample) -> int:
    """Compare the outputs with and without a change of one slice, and return the number of axes that were compared."""
    model, node = read(sample)
    mode = str(getattr(node.operation, "auto_broadcast", "numpy")).lower()
    if not node.operation.traits or mode not in {"numpy", "none"}:
        return 0
    compiled, count = ov.compile_model(model), 0
    free = [i for i, operand in enumerate(sample.inputs) if operand is not None and not operand.constant]
    arrays = free_arrays(sample)
    outputs = None
    for position, axis, result_axis in separate_axes(node):
        if position not in free or arrays[free.index(position)].shape[axis] < 2:
            continue
        outputs = compiled(arrays).to_tuple() if outputs is None else outputs
        changed = [array.copy() for array in arrays]
        slices = np.moveaxis(changed[free.index(position)], axis, 0)
        slices[0] = slices[1]
        kinds = outputs[:1] if any(isinstance(trait, Batched) for trait in node.operation.traits) else outputs
        for before, after in zip(kinds, compiled(changed).to_tuple(), strict=False):
            rest = [np.moveaxis(array, result_axis, 0)[1:] for array in (before, after)]
            np.testing.assert_array_equal(rest[1], rest[0], f"{position}, {axis}")
        count += 1
    return count


@pytest.mark.parametrize("trait", [Elementwise, Along, Batched])
def test_slices_are_separate(trait: type) -> None:
    """Every operation with the trait has samples that show it; three axes of each are compared."""
    shown: dict[str, int] = {}
    without: set[tuple[str, str]] = set()
    for sample in SAMPLES.values():
        key = (sample.type, str(sample.version))
        if key in without or shown.get(sample.type, 0) >= 3:
            continue
        _, node = read(sample)
        if any(isinstance(known, trait) for known in node.operation.traits):
            shown[sample.type] = shown.get(sample.type, 0) + checked(sample)
        else:
            without.add(key)
    assert len(shown) > 5
    assert [name for name, count in shown.items() if not count] == []


def test_value_inputs_are_in_samples() -> None:
    """Inputs whose values say shapes or indices exist in samples."""
    shown: set[tuple[str, int]] = set()
    for sample in SAMPLES.values():
        _, node = read(sample)
        for trait in node.operation.traits:
            if isinstance(trait, ValueInputs):
                shown |= {(sample.type, position) for position in trait.inputs if position < len(node.inputs)}
    assert {("Reshape", 1), ("Pad", 2), ("Slice", 4), ("TopK", 1), ("Interpolate", 3), ("Proposal", 2)} <= shown


def test_what_is_selected_is_a_tie_of_itself() -> None:
    """The outputs and the column of the values that `Selects` names exist in samples."""
    shown: dict[str, bool] = {}
    for sample in SAMPLES.values():
        if shown.get(sample.type, False):
            continue
        model, node = read(sample)
        trait = trait_of(node.operation, Selects)
        if trait is None or not trait.outputs:
            continue
        runs = ov.compile_model(model).intermediates(free_arrays(sample)).runs
        run = next(run for run in runs if run.layer.type == sample.type)
        shown[sample.type] = is_tie(run.layer.operation, run.inputs, run.outputs, run.outputs, Tolerance())
    assert len(shown) > 8
    assert [type for type, is_shown in shown.items() if not is_shown] == []
