"""The Gather family by flat positions; an index that is not in [0, length) is left to the plain evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from ir_plugin.kernels import gather as kernels
from ir_plugin.kernels.team import Team
from ir_plugin.plan.prepare.prepared import Declined, Execute, Options, Prepared
from ir_plugin.plan.program import Call, Value
from ir_plugin.tensors import Array

FEW_ELEMENTS = 64
"""Elements below which the plain evaluation is as fast."""


def prepare_gather(call: Call, _options: Options) -> Prepared | None:
    """Return GatherElements, Gather, GatherND without batch dimensions, or ScatterElementsUpdate without reduction."""
    if call.type not in _MAKERS or call.post or any(value is None for value in call.inputs):
        return None
    values = [value for value in call.inputs if value is not None]
    output = call.outputs[0]
    sizes = [prod(value.shape or ()) for value in (*values, output)]
    if min(sizes) == 0 or sizes[-1] < FEW_ELEMENTS or not output.shape or output.dtype.kind not in "biuf":
        return None
    maker = _MAKERS[call.type](call, values)
    if maker is None:
        return None

    def make(team: Team) -> Execute:
        kernel = maker(team)

        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            if not kernel(*inputs[: 3 if call.type == "ScatterElementsUpdate" else 2], outputs[0]):
                raise Declined

        return execute

    return Prepared(values, make, form="flat")


_Maker = Callable[[Team], Callable[..., bool]]


def _gather_elements(call: Call, values: list[Value]) -> _Maker | None:
    data, indices = (value.shape or () for value in values[:2])
    axis = call.operation.__dict__["axis"] % len(data)
    if data[:axis] != indices[:axis] or data[axis + 1 :] != indices[axis + 1 :]:
        return None
    return lambda team: kernels.gather_elements(data, indices, axis, team)


def _scatter_elements(call: Call, values: list[Value]) -> _Maker | None:
    data, indices = (value.shape or () for value in values[:2])
    given = values[3].constant
    if getattr(call.operation, "reduction", "none") != "none" or given is None or values[2].dtype != values[0].dtype:
        return None
    if call.outputs[0].element_type.is_low_bit:
        return None
    axis = int(given.reshape(-1)[0]) % len(data)
    if data[:axis] != indices[:axis] or data[axis + 1 :] != indices[axis + 1 :]:
        return None
    return lambda team: kernels.scatter_elements(data, indices[axis], axis, team)


def _gather(call: Call, values: list[Value]) -> _Maker | None:
    data, indices, given = values[0].shape or (), values[1].shape or (), values[2].constant
    if given is None or getattr(call.operation, "batch_dims", 0) != 0:
        return None
    axis = int(given.reshape(-1)[0]) % len(data)
    return lambda team: kernels.gather(data, prod(indices), axis, team)


def _gather_nd(call: Call, values: list[Value]) -> _Maker | None:
    data, indices = (value.shape or () for value in values[:2])
    if call.operation.__dict__["batch_dims"] != 0:
        return None
    return lambda team: kernels.gather_tuples(data, prod(indices[:-1]), indices[-1], team)


_MAKERS: dict[str, Callable[[Call, list[Value]], _Maker | None]] = {
    "GatherElements": _gather_elements,
    "ScatterElementsUpdate": _scatter_elements,
    "Gather": _gather,
    "GatherND": _gather_nd,
}
