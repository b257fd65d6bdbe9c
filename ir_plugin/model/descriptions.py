"""Descriptions of the port maps of bodies, as `openvino.op.util` has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from ir_plugin.errors import ArgumentTypeError, require
from ir_plugin.model.graph import SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.model.type_info import DiscreteTypeInfo


@dataclass(frozen=True, repr=False, eq=False)
class Description:
    """One entry of a port map."""

    def __post_init__(self) -> None:
        for field in fields(self):
            require(getattr(self, field.name), int, "an integer", field.name)

    def get_type_info(self) -> DiscreteTypeInfo:
        """Return the name of the kind of entry."""
        return DiscreteTypeInfo(type(self).__name__, "util")

    def copy(self) -> Any:
        """Return a copy."""
        return replace(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


@dataclass(frozen=True, repr=False, eq=False)
class InputDescription(Description):
    """The input that a parameter of a body reads."""

    input_index: int = 0
    body_parameter_index: int = 0


@dataclass(frozen=True, repr=False, eq=False)
class InvariantInputDescription(InputDescription):
    """An input that a parameter reads whole in every iteration."""


@dataclass(frozen=True, repr=False, eq=False)
class MergedInputDescription(InputDescription):
    """An input that a parameter reads in the first iteration, and then a result of the iteration before."""

    body_value_index: int = 0


@dataclass(frozen=True, repr=False, eq=False)
class SliceInputDescription(InputDescription):
    """An input of which a parameter reads a slice in each iteration."""

    start: int = 0
    stride: int = 0
    part_size: int = 0
    end: int = 0
    axis: int = 0


@dataclass(frozen=True, repr=False, eq=False)
class OutputDescription(Description):
    """The result of a body that an output gives."""

    body_value_index: int = 0
    output_index: int = 0


@dataclass(frozen=True, repr=False, eq=False)
class BodyOutputDescription(OutputDescription):
    """An output with the value of a result after one iteration, -1 for the last."""

    iteration: int = -1


@dataclass(frozen=True, repr=False, eq=False)
class ConcatOutputDescription(OutputDescription):
    """An output that joins the values of a result after all iterations."""

    start: int = 0
    stride: int = 0
    part_size: int = 0
    end: int = 0
    axis: int = 0


def input_descriptions(subgraph: SubGraph) -> list[InputDescription]:
    """Return the descriptions of the inputs of a body, without the number of the iteration."""
    successors = {parameter: result for result, parameter in subgraph.back_edges}
    described: list[InputDescription] = []
    for entry in subgraph.inputs:
        if entry.external is None:
            continue
        head = (entry.external, entry.parameter)
        if entry.axis is not None:
            slice = (entry.start, entry.stride, entry.part_size, entry.end, entry.axis)
            described.append(SliceInputDescription(*head, *slice))
        elif entry.parameter in successors:
            described.append(MergedInputDescription(*head, successors[entry.parameter]))
        else:
            described.append(InvariantInputDescription(*head))
    return described


def output_descriptions(subgraph: SubGraph) -> list[OutputDescription]:
    """Return the descriptions of the outputs of a body, without its condition."""
    described: list[OutputDescription] = []
    for entry in subgraph.outputs:
        if entry.external is None:
            continue
        if entry.axis is None:
            described.append(BodyOutputDescription(entry.result, entry.external, entry.iteration))
        else:
            slice = (entry.start, entry.stride, entry.part_size, entry.end, entry.axis)
            described.append(ConcatOutputDescription(entry.result, entry.external, *slice))
    return described


def set_input_descriptions(subgraph: SubGraph, descriptions: Sequence[InputDescription]) -> None:
    """Replace the inputs and back edges of a body, except for the number of the iteration."""
    _require_all(descriptions, InputDescription, "inputs")
    entries = [entry for entry in subgraph.inputs if entry.external is None]
    subgraph.back_edges = []
    for description in descriptions:
        entry = SubGraphInput(description.input_index, description.body_parameter_index)
        if isinstance(description, SliceInputDescription):
            entry = replace(entry, **_slices(description))
        elif isinstance(description, MergedInputDescription):
            subgraph.back_edges.append((description.body_value_index, description.body_parameter_index))
        entries.append(entry)
    subgraph.inputs = entries


def set_output_descriptions(subgraph: SubGraph, descriptions: Sequence[OutputDescription]) -> None:
    """Replace the outputs of a body, except for its condition."""
    _require_all(descriptions, OutputDescription, "outputs")
    entries = [entry for entry in subgraph.outputs if entry.external is None]
    for description in descriptions:
        entry = SubGraphOutput(description.output_index, description.body_value_index)
        if isinstance(description, ConcatOutputDescription):
            entry = replace(entry, **_slices(description))
        elif isinstance(description, BodyOutputDescription):
            entry = replace(entry, iteration=description.iteration)
        entries.append(entry)
    subgraph.outputs = entries


def _slices(description: SliceInputDescription | ConcatOutputDescription) -> dict[str, Any]:
    return {name: getattr(description, name) for name in ("axis", "start", "end", "stride", "part_size")}


def _require_all(descriptions: Sequence[Description], kind: type, argument: str) -> None:
    require(descriptions, (list, tuple), "a list of descriptions", argument)
    for description in descriptions:
        if not isinstance(description, kind):
            raise ArgumentTypeError(f"{argument}: a list of descriptions is needed; {description!r} is none")
