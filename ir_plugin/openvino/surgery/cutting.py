"""Cutting: extract the part of a model between tensors as a separate model."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ir_plugin.errors import InputError, require
from ir_plugin.model import Model as Graph
from ir_plugin.model import Node, Output
from ir_plugin.model.graph import clone
from ir_plugin.openvino.api import Core, Model
from ir_plugin.openvino.api.editing import infer
from ir_plugin.openvino.surgery.assembly import assemble
from ir_plugin.openvino.surgery.extent import Extent, downstream, outside, upstream
from ir_plugin.openvino.surgery.naming import Selection, TensorIndex, label
from ir_plugin.openvino.surgery.variables import Variables, require_outside_of_bodies
from ir_plugin.operations.infrastructure.read_value import ReadValue

ModelLike: TypeAlias = "Model | str | os.PathLike[str]"

_LOG = logging.getLogger("ir_plugin")


@dataclass(frozen=True)
class Part:
    """A part of a model, and what differs in it from what its names say."""

    model: Model
    notes: tuple[str, ...]


def cut(model: ModelLike, inputs: Any = None, outputs: Any = None) -> Model:
    """Return a new model: the part of `model` that computes `outputs` from `inputs`.

    `model` is a `Model`, or the path of one. `inputs` and `outputs` are tensor names, layer names, `"name:port"`,
    `(name, port)`, layer ids, nodes or outputs, alone or in a list; a layer stands for all of its outputs. The inputs
    become Parameters of the inferred types and shapes, in this order; the outputs become Results. Tensor names stay; an
    unnamed tensor is named after its layer.

    Without `inputs` the part begins at the model's inputs; without `outputs` it has the model's outputs that depend on
    `inputs`. Other inputs of the model that the part needs follow the named ones. Values from outside that are
    known without running, such as shapes, become constants. A ReadValue stays with its Assign where the part computes
    what is assigned; otherwise it becomes an input. The logger `ir_plugin` notes both.

    The given model is not changed. Raises `InputError` for a name that the model does not have, and for an input that
    no output depends on.
    """
    part = extract(model, inputs, outputs)
    for note in part.notes:
        _LOG.info(note)
    return part.model


def extract(model: ModelLike, inputs: Any = None, outputs: Any = None) -> Part:
    """Return the part that `cut` returns, with notes on what it has besides the names."""
    require(model, (Model, str, os.PathLike), "a model of ir_plugin or a path", "model")
    inputs, outputs = (None if isinstance(keys, (list, tuple)) and not keys else keys for keys in (inputs, outputs))
    if inputs is None and outputs is None:
        raise InputError("name the inputs or the outputs of the part")
    model = model if isinstance(model, Model) else Core().read_model(Path(model))
    copy = clone(model)
    infer(copy, "the model cannot be cut")
    index = TensorIndex(model)
    twins = dict(zip(model.nodes, copy.nodes, strict=True))
    starts = None if inputs is None else [_twin(item, twins) for item in index.select(inputs, "inputs")]
    ends = None if outputs is None else [_twin(item, twins) for item in index.select(outputs, "outputs")]
    return _Cut(copy, starts, ends).part()


def _twin(selection: Selection, twins: dict[Node, Node]) -> Selection:
    """Return a selection of the copy's outputs."""
    ports = tuple(twins[port.node].outputs[port.index] for port in selection.ports)
    return Selection(selection.key, ports, None if selection.result is None else twins[selection.result])


class _Cut:
    """The cut of a copy of a model, which becomes the part."""

    def __init__(self, graph: Graph, starts: list[Selection] | None, ends: list[Selection] | None) -> None:
        self._graph = graph
        self._order = graph.ordered()
        self._starts = starts
        self._variables = Variables(graph)
        self._cuts: dict[Output, None] = {}
        self._listed: set[Node] = set() if starts is not None else set(graph.parameters)
        for selection in starts or ():
            self._cuts |= dict.fromkeys(selection.ports)
        self._ends = self._results() if ends is None else ends
        self._notes: list[str] = []

    def part(self) -> Part:
        """Return the part."""
        extent, assigns = self._extent()
        self._require_use(extent)
        inputs = [port for port in self._cuts if port in extent.inputs]
        graph = assemble(self._graph, extent, inputs, self._ends, assigns)
        named = {port.node for port in inputs} | self._listed
        self._note_parameters(extent.parameters - named)
        model = Model(graph)
        infer(model, "the part does not fit together")
        return Part(model, tuple(self._notes))

    def _extent(self) -> tuple[Extent, list[Node]]:
        """Return the extent of the part, and its Assigns."""
        roots = [port for selection in self._ends for port in selection.ports]
        while True:
            cuts = self._cuts.keys()
            parameters = self._listed
            extent = upstream(roots, cuts, outside(self._order, cuts, parameters))
            if extent.parameters - parameters:
                parameters = parameters | extent.parameters
                extent = upstream(roots, cuts, outside(self._order, cuts, parameters))
            foreign = outside(self._order, cuts, parameters)
            assigns, halves = self._variables.complete(extent, cuts, foreign)
            if not halves:
                return extent, assigns
            self._cut_variables(halves)

    def _cut_variables(self, halves: dict[str, Node]) -> None:
        """Make inputs of the variables that are assigned outside of the part."""
        for id, reader in halves.items():
            require_outside_of_bodies(id, reader)
            readers = [node for node in self._order if _reads(node, id)]
            self._cuts |= dict.fromkeys(node.outputs[0] for node in readers)
            name = label(reader.outputs[0])
            self._notes.append(
                f'the variable {id!r} is read in the part and assigned outside of it: it is the input "{name}"'
            )

    def _results(self) -> list[Selection]:
        """Return the model's results that are computed from the inputs of the part."""
        reached = downstream(self._order, self._cuts.keys()) if self._starts is not None else set(self._order)
        results = [node for node in self._graph.results if node in reached and node.inputs[0].source not in self._cuts]
        if not results:
            names = ", ".join(repr(selection.key) for selection in self._starts or ())
            raise InputError(f"no output of the model is computed from {names}")
        return [Selection(node.name, (node.input(0).get_source_output(),), node) for node in results]

    def _require_use(self, extent: Extent) -> None:
        """Raise if an input is not needed."""
        unused = [item.key for item in self._starts or () if not extent.inputs.intersection(item.ports)]
        if unused:
            names, ends = (", ".join(map(repr, keys)) for keys in (unused, [item.key for item in self._ends]))
            without = " without the other inputs" if self._starts is not None and len(self._starts) > 1 else ""
            raise InputError(f"{ends} cannot be computed from {names}{without}: no path leads there")

    def _note_parameters(self, parameters: set[Node]) -> None:
        for node in self._graph.parameters:
            if node in parameters:
                self._notes.append(f'the part also needs the input "{node.name}" of the model')


def _reads(node: Node, id: str) -> bool:
    return node.is_a(ReadValue) and node.get_variable_id() == id
