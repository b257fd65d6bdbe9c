"""Conversions between layouts: permutations of dimensions, and dimensions that one layout lacks."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.errors import InputError
from ir_plugin.tensors import Dimension, Layout, PartialShape

_ANY = "?"
_REST = "..."


def axis_of(layout: Layout, name: str, shape: PartialShape) -> int:
    """Return the axis of `H`, `W` or `C` in a shape; raises where the layout has none."""
    word = {"H": "height", "W": "width", "C": "channels"}[name]
    if not layout.has_name(name):
        raise InputError(f"Layout {layout} doesn't have `{word}` dimension")
    if shape.ndim is None:
        raise InputError(f"Can't get shape {word} index for shape with dynamic rank")
    axis = layout.get_index_by_name(name)
    axis += shape.ndim if axis < 0 else 0
    if not 0 <= axis < shape.ndim:
        raise InputError(f"{word.capitalize()} dimension is out of bounds {axis}")
    return axis


def permuted(layout: Layout, order: Sequence[int]) -> Layout:
    """Return a layout with its dimensions in another order; raises where that is not a permutation."""
    for position, dim in enumerate(order):
        if not 0 <= dim < len(order):
            raise InputError(f"Convert layout: dimension {dim} is out of bounds")
        if dim in order[:position]:
            raise InputError(f"Convert layout: dimension {dim} is used more than once in convert arguments")
    if layout.empty:
        return layout
    if _REST in layout.names:
        raise InputError(f"Layout conversion by indexes is not supported for dynamic layout: {layout}")
    names = [layout.names[dim] if dim < len(layout.names) else _ANY for dim in order]
    return of_names((names + [_ANY] * len(layout.names))[: len(layout.names)])


def permutation(source: Layout, shape: PartialShape, target: Layout) -> list[int]:
    """Return the axes of a transpose from one layout to another, empty where none is needed."""
    if source == target or source.empty or target.empty:
        return []
    mine, theirs = _of_rank(source, shape), _of_rank(target, shape)
    if len(mine) != len(theirs):
        raise InputError(f"Conversion is not supported for layouts with different sizes, {source} <-> {target}")
    if shape.ndim not in (None, len(mine)):
        raise InputError(
            f"Conversion layout {source} <-> {target} failure. Layout is not consistent with input shape {shape}. "
            f"Layout length {len(mine)} shall match with input shape rank {shape.ndim}"
        )
    if mine == theirs:
        return []
    if _named(mine) > _named(theirs):
        inverse = _axes(theirs, mine, source)
        axes = [inverse.index(axis) for axis in range(len(inverse))]
    else:
        axes = _axes(mine, theirs, target)
    return [] if axes == sorted(axes) else axes


def _axes(source: list[str], target: list[str], layout: Layout) -> list[int]:
    """Return the source axis of each target dimension; unnamed dimensions keep their order."""
    axes = [-1] * len(source)
    for axis, name in enumerate(source):
        if name == _ANY:
            continue
        if name not in target:
            raise InputError(f"Dimension name '{name}' is not found in layout: {layout}")
        axes[target.index(name)] = axis
    free = iter([axis for axis in range(len(source)) if axis not in axes])
    return [next(free) if axis < 0 else axis for axis in axes]


def _named(names: Sequence[str]) -> int:
    return sum(name != _ANY for name in names)


def _of_rank(layout: Layout, shape: PartialShape) -> list[str]:
    """Return the names of the dimensions of a shape, with `?` for those that `...` stands for."""
    names = list(layout.names)
    if _REST not in names:
        return names
    if shape.ndim is None:
        raise InputError("Conversion is not supported for dynamic layouts with fully dynamic shapes")
    position = names.index(_REST)
    return names[:position] + [_ANY] * (shape.ndim - len(names) + 1) + names[position + 1 :]


def of_names(names: Sequence[str]) -> Layout:
    """Return the layout of these names."""
    return Layout(f"[{','.join(names)}]")


def squeezed(model: Layout, shape: PartialShape, tensor: Layout) -> tuple[PartialShape, Layout]:
    """Return the shape and layout of a model without the dimensions that a tensor's layout lacks."""
    if _REST in model.names or _REST in tensor.names or len(model.names) <= len(tensor.names):
        return shape, model
    for word, layout in (("model", model), ("tensor", tensor)):
        if _ANY in layout.names:
            raise InputError(
                f"Layout conversion {tensor} <-> {model} is not supported. "
                f"Please use fully specified {word} layout, current is {layout}"
            )
    if shape.ndim not in (None, len(model.names)):
        raise InputError(
            f"Model input layout {model} is inconsistent with input shape {shape}. Layout and shape shall have same "
            f"rank, got {len(model.names)} != {shape.ndim}"
        )
    axes = [axis for axis, name in enumerate(model.names) if name in tensor.names]
    if len(axes) != len(tensor.names):
        missing = " ".join(f"'{name}'" for name in tensor.names if name not in model.names)
        raise InputError(
            f"Layout conversion failed. Tensor layout {tensor} has dimensions missing in model layout {model}. "
            f"Missing dimensions are ( {missing} )"
        )
    rest = PartialShape(None) if shape.ndim is None else PartialShape([shape[axis] for axis in axes])
    return rest, of_names([model.names[axis] for axis in axes])


def unsqueezed(source: Layout, shape: PartialShape, target: Layout) -> tuple[PartialShape, Layout, int]:
    """Return shape and layout with the dimensions that only the target has in front, and their number."""
    count = len(target.names) - len(source.names)
    if _REST in source.names or _REST in target.names or count <= 0:
        return shape, source, 0
    if _ANY in target.names:
        raise InputError(f"the layout {source} has too few dimensions for {target}; name all of that layout")
    names = [name for name in target.names if name not in source.names]
    if len(names) != count:
        raise InputError(f"the layout {source} has dimensions that {target} lacks")
    added = PartialShape([Dimension(1)] * count)
    return added + shape if shape.ndim is not None else shape, of_names([*names, *source.names]), count
