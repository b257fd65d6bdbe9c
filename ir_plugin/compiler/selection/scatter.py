"""ScatterElementsUpdate, ScatterUpdate and ScatterNDUpdate by flat positions, in the memory of their data if it ends.

What an index out of range means is left to the plain evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from ir_plugin.compiler.graph import Call, Value
from ir_plugin.compiler.selection.gather import FEW_ELEMENTS, MANY_ELEMENTS
from ir_plugin.compiler.selection.kernel import Declined, Execute, Options, Prepared
from ir_plugin.compiler.selection.provider import compiled_kernels
from ir_plugin.kernels.numpy import scatter as kernels
from ir_plugin.kernels.numpy.scatter import Writing
from ir_plugin.kernels.thread_pool import Team
from ir_plugin.tensors import Array

Maker: TypeAlias = "Callable[[Team], Writing]"


def prepare_scatter(call: Call, options: Options) -> Prepared | None:
    """Return a scatter operation of arrays that hold no objects, of indices that agree with data in all other axes."""
    find = _MAKERS.get(call.type)
    if find is None or call.post or None in call.inputs:
        return None
    values = [value for value in call.inputs if value is not None]
    data, updates = values[0], values[2]
    if min(prod(value.shape or ()) for value in values) == 0 or prod(data.shape or ()) < FEW_ELEMENTS:
        return None
    if data.dtype.hasobject or updates.dtype != data.dtype:
        return None
    found = find(call, values, options)
    if found is None:
        return None
    maker, form = found

    def make(team: Team) -> Execute:
        kernel = maker(team)

        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            if not kernel(inputs[0], inputs[1], inputs[2], outputs[0]):
                raise Declined

        return execute

    return Prepared(values, make, in_place=0, form=form)


def _axis(values: list[Value]) -> int | None:
    """Return the axis, counted from the front, where it is constant."""
    given = values[3].constant
    return None if given is None else int(given.reshape(-1)[0]) % len(values[0].shape or ())


def _elements(call: Call, values: list[Value], options: Options) -> tuple[Maker, str] | None:
    data, indices, axis = values[0].shape or (), values[1].shape or (), _axis(values)
    if axis is None or data[:axis] != indices[:axis] or data[axis + 1 :] != indices[axis + 1 :]:
        return None
    wrap = getattr(call.operation, "lowest", 0) < 0
    maker = _compiled(call, values, (data, indices, axis, wrap), options)
    if maker is not None:
        return maker, "flat, numba"
    if getattr(call.operation, "reduction", "none") != "none":
        return None
    return lambda team: kernels.scatter_elements(data, indices, axis, wrap, team), "flat"


def _compiled(call: Call, values: list[Value], arguments: tuple[object, ...], options: Options) -> Maker | None:
    """Return what makes the compiled form of ScatterElementsUpdate, or None where there is none or it does not pay."""
    reduction = getattr(call.operation, "reduction", "none")
    index, element = values[1].dtype.str, values[0].dtype.str[1:]
    if index not in ("<i4", "<i8") or prod(values[1].shape or ()) < MANY_ELEMENTS or reduction == "mean":
        return None
    if reduction == "none":
        element = f"u{values[0].dtype.itemsize}"
    elif element not in ("f4", "f8", "i4", "i8") or not getattr(call.operation, "use_init_val", True):
        return None
    module = compiled_kernels("scatter", options)
    if module is None:
        return None
    code = module.CODES.get(reduction)
    try:
        kernel = module.kernel(code is not None, element, index[1:])
    except ImportError:
        return None
    return lambda team: module.scatter_elements(kernel, code, *arguments, team)


def _slices(_call: Call, values: list[Value], _options: Options) -> tuple[Maker, str] | None:
    data, indices, axis = values[0].shape or (), values[1].shape or (), _axis(values)
    if axis is None:
        return None
    return lambda team: kernels.scatter_slices(data, indices, axis, False, team), "flat"


def _tuples(call: Call, values: list[Value], options: Options) -> tuple[Maker, str] | None:
    data, indices = values[0].shape or (), values[1].shape or ()
    wrap = getattr(call.operation, "wrap", False)
    maker = _compiled_tuples(call, values, wrap, options)
    if maker is not None:
        return maker, "flat, numba"
    if getattr(call.operation, "reduction", "none") != "none":
        return None
    return lambda team: kernels.scatter_tuples(data, indices, wrap, team), "flat"


def _compiled_tuples(call: Call, values: list[Value], wrap: bool, options: Options) -> Maker | None:
    """Return what makes the compiled form of ScatterNDUpdate; slices that replace others are put by NumPy as memory."""
    reduction = getattr(call.operation, "reduction", "none")
    data, indices = values[0].shape or (), values[1].shape or ()
    index, element, single = values[1].dtype.str, values[0].dtype.str[1:], prod(data[indices[-1] :]) == 1
    if index not in ("<i4", "<i8") or prod(values[2].shape or ()) < MANY_ELEMENTS:
        return None
    if not single if reduction == "none" else element not in ("f4", "f8", "i4", "i8"):
        return None
    if reduction == "none":
        element = f"u{values[0].dtype.itemsize}"
    module = compiled_kernels("scatter", options)
    if module is None:
        return None
    try:
        found = module.tuple_kernels(single, element, index[1:])
    except ImportError:
        return None
    return lambda team: module.scatter_tuples(found, module.TUPLE_CODES[reduction], data, indices, wrap, team)


_MAKERS: dict[str, Callable[[Call, list[Value], Options], tuple[Maker, str] | None]] = {
    "ScatterElementsUpdate": _elements,
    "ScatterUpdate": _slices,
    "ScatterNDUpdate": _tuples,
}
