"""Models near the pattern of a pass: operands of other ranks and lengths, swapped, read twice or by others."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from ir_plugin.tensors import Array


class Neighbour:
    """A model, the shapes of its inputs in a run, and how it differs from the model that it was grown from."""

    def __init__(self, model: ov.Model) -> None:
        self.model = model
        self.shapes = [list(item.shape) for item in model.inputs]
        self.changes: list[str] = []

    def grow(self, random: Random, count: int) -> None:
        """Apply changes, of which those that OpenVINO refuses are undone."""
        for _ in range(count):
            before, shapes = self.model.clone(), [list(shape) for shape in self.shapes]
            change = random.choice(CHANGES)
            try:
                text = change(self, random)
                self.model.validate_nodes_and_infer_types()
                self.model.clone()
            except (RuntimeError, IndexError, ValueError):
                text = ""
            if text:
                self.changes.append(text)
            else:
                self.model, self.shapes = before, shapes

    def runs(self, random: Random) -> list[list[Array]]:
        """Return the inputs of one run, or of three of which open lengths differ."""
        runs = [self._inputs(random)]
        for _ in range(2 if self.model.is_dynamic() else 0):
            for shape, item in zip(self.shapes, self.model.inputs, strict=True):
                lengths = zip(shape, item.partial_shape, strict=True)
                shape[:] = [length if dim.is_static else random.choice([length, 1, 3, 0]) for length, dim in lengths]
            runs.append(self._inputs(random))
        return runs

    def _inputs(self, random: Random) -> list[Array]:
        """Return inputs of the shapes, whose numbers lie between two halves of hundredths."""
        rng = np.random.default_rng(random.randrange(2**32))
        arrays = []
        for item, shape in zip(self.model.inputs, self.shapes, strict=True):
            if item.element_type.is_integral():
                arrays.append(rng.integers(0, 2, shape).astype(item.element_type.to_dtype()))
            else:
                numbers = (rng.integers(-150, 150, shape) + rng.uniform(-0.3, 0.3, shape)) / 100
                arrays.append(numbers.astype(item.element_type.to_dtype()))
        return arrays


def _layers(neighbour: Neighbour, least: int = 1) -> list[Any]:
    """Return the layers that compute something and have at least so many inputs."""
    layers = [op for op in neighbour.model.get_ordered_ops() if op.get_type_name() not in _ENDS]
    return [op for op in layers if op.get_input_size() >= least]


_ENDS = frozenset(["Parameter", "Constant", "Result", "Assign", "ReadValue"])


def _constant_operand(neighbour: Neighbour, random: Random, is_float: bool) -> tuple[Any, int, Array]:
    """Return a layer, the position of a constant that it reads, and the constant's array."""
    operands = [
        (op, position)
        for op in _layers(neighbour)
        for position, value in enumerate(op.input_values())
        if value.get_node().get_type_name() == "Constant" and value.element_type.is_real() == is_float
    ]
    op, position = random.choice(operands)
    return op, position, np.array(op.input_value(position).get_node().data)


def _partner(op: Any, position: int) -> list[int]:
    """Return the lengths of the operand beside one, 3 for open ones."""
    other = op.input_value(0 if position else min(1, op.get_input_size() - 1)).partial_shape
    return [dim.get_length() if dim.is_static else 3 for dim in other]


def _reshape_constant(neighbour: Neighbour, random: Random) -> str:
    """Give a constant another rank, lengths along one or all axes of its partner, or lengths beyond it."""
    op, position, array = _constant_operand(neighbour, random, True)
    partner = _partner(op, position)
    axis = random.randrange(len(partner)) if partner else 0
    along = [length if index == axis else 1 for index, length in enumerate(partner)]
    beyond = [3 if index == axis else 1 for index in range(len(partner))]
    shape = random.choice(
        [
            *([], [1], [1] * random.randrange(6), [1, *array.shape], [1, 1, *array.shape], list(array.shape[1:])),
            *(along, along, along[axis:], [1, *along], beyond, beyond[axis:], [2, *beyond], partner, [3, *along]),
        ]
    )
    size = int(np.prod(shape))
    numbers = array.reshape(-1) if array.size == size else np.resize(array.reshape(-1)[: max(size, 1)], size)
    if array.size == 1 and size > 1 and random.random() < 0.7:
        numbers = numbers * np.linspace(1, 2, size)
    _set(op, position, numbers.reshape(shape).astype(array.dtype))
    return f"input {position} of {op.get_friendly_name()} is {list(array.shape)} -> {shape}"


def _change_integer(neighbour: Neighbour, random: Random) -> str:
    """Change an element of a constant of integers, such as an axis to a negative one."""
    op, position, array = _constant_operand(neighbour, random, False)
    if array.dtype not in (np.int64, np.int32):
        return ""
    rank, at = len(_partner(op, position)), random.randrange(array.size)
    changed = array.copy()
    changed.reshape(-1)[at] = random.choice([array.reshape(-1)[at] - rank, random.randrange(-3, 4)])
    shape = random.choice([array.shape, array.shape, [1], [], (*array.shape, 1)])
    _set(op, position, changed.reshape(shape))
    return f"input {position} of {op.get_friendly_name()} is {array.tolist()} -> {changed.reshape(shape).tolist()}"


def _set(op: Any, position: int, array: Array) -> None:
    op.input(position).replace_source_output(ops.constant(array).output(0))


def _swap(neighbour: Neighbour, random: Random) -> str:
    op = random.choice(_layers(neighbour, 2))
    first, second = op.input_value(0), op.input_value(1)
    op.input(0).replace_source_output(second)
    op.input(1).replace_source_output(first)
    return f"the operands of {op.get_friendly_name()} are swapped"


def _read_twice(neighbour: Neighbour, random: Random) -> str:
    op = random.choice(_layers(neighbour, 2))
    source, target = random.sample(range(op.get_input_size()), 2)
    op.input(target).replace_source_output(op.input_value(source))
    return f"inputs {source} and {target} of {op.get_friendly_name()} are one value"


def _read_another(neighbour: Neighbour, random: Random) -> str:
    """Let a layer read another value that is computed before it."""
    op = random.choice(_layers(neighbour))
    position = random.randrange(op.get_input_size())
    ordered = neighbour.model.get_ordered_ops()
    names = [item.get_friendly_name() for item in ordered]
    earlier = [item for item in ordered[: names.index(op.get_friendly_name())] if item.get_output_size()]
    source = random.choice(earlier)
    if source.output(0).element_type != op.input_value(position).element_type:
        return ""
    op.input(position).replace_source_output(source.output(0))
    return f"input {position} of {op.get_friendly_name()} is {source.get_friendly_name()}"


def _add_reader(neighbour: Neighbour, random: Random) -> str:
    """Make a value in the middle a result, or let another layer read it, too."""
    op = random.choice(_layers(neighbour))
    value = op.output(0)
    is_float = value.element_type.is_real()
    end = random.choice([value, ops.abs(value).output(0), ops.add(value, value).output(0)]) if is_float else value
    neighbour.model.add_results([ops.result(end)])
    return f"{op.get_friendly_name()} has another reader, {end.get_node().get_type_name()}"


def _change_length(neighbour: Neighbour, random: Random) -> str:
    """Change the lengths of inputs along all axes that have one length, or along one axis."""
    before = random.choice([length for shape in neighbour.shapes for length in shape])
    after, is_everywhere = random.choice([0, 1, 1, 2]), random.random() < 0.6
    places = [
        (number, axis)
        for number, shape in enumerate(neighbour.shapes)
        for axis, length in enumerate(shape)
        if length == before
    ]
    for number, axis in places if is_everywhere else [random.choice(places)]:
        neighbour.shapes[number][axis] = after
        _set_dimension(neighbour, number, axis, after)
    return f"{'each' if is_everywhere else 'one'} length {before} is {after}"


def _open_lengths(neighbour: Neighbour, random: Random) -> str:
    """Leave the lengths of inputs open, all or some of them."""
    share = random.choice([1.0, 0.5])
    opened = []
    for number, shape in enumerate(neighbour.shapes):
        for axis in range(len(shape)):
            if random.random() < share:
                opened.append((number, axis))
                _set_dimension(neighbour, number, axis, -1)
    return f"open lengths {opened}" if opened else ""


def _set_dimension(neighbour: Neighbour, number: int, axis: int, length: int) -> None:
    parameter = neighbour.model.get_parameters()[number]
    shape = parameter.get_partial_shape()
    if shape[axis].is_static or length == -1:
        shape[axis] = ov.Dimension(length)
        parameter.set_partial_shape(shape)


CHANGES: list[Callable[[Neighbour, Random], str]] = [
    *[_reshape_constant] * 4,
    _change_integer,
    _swap,
    _read_twice,
    _read_another,
    *[_add_reader] * 2,
    *[_change_length] * 2,
    *[_open_lengths] * 2,
]
"""How a model changes, the likely ways more than once."""
