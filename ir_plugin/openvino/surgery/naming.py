"""Lookup of tensors of a graph by tensor name, layer name, `name:port`, layer id, node or port."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import InputError, shown, wrong_type
from ir_plugin.model import Model, Node, Output
from ir_plugin.openvino.api.editing import is_layer_port
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.result import Result

_MAX_IDS = 8
_MAX_DIGITS = 18


@dataclass(frozen=True)
class Selection:
    """The outputs that a key stands for, and the Result if it names one."""

    key: str
    ports: tuple[Output, ...]
    result: Node | None = None


class TensorIndex:
    """The tensors of a model by their names; the outputs of Results and Assigns stand for what these read."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._members = set(model.nodes)
        self._by_tensor: dict[str, Output] = {}
        self._by_layer: dict[str, list[Node]] = {}
        self._by_id: dict[str, Node] = {}
        for node in model.nodes:
            self._by_layer.setdefault(node.name, []).append(node)
            self._by_id.setdefault(node.id, node)
            for port in node.outputs if not node.is_a(Result) else ():
                for name in port.names:
                    self._by_tensor.setdefault(name, port)

    def select(self, keys: Any, argument: str) -> list[Selection]:
        """Return the tensors of one key or of several."""
        items = keys if isinstance(keys, (list, tuple)) and not is_layer_port(keys) else [keys]
        return [self._selection(item, argument) for item in items]

    def _selection(self, item: Any, argument: str) -> Selection:
        if isinstance(item, str):
            return self._by_name(item)
        if is_layer_port(item):
            return _selection_of(f"{item[0]}:{shown(item[1])}", self._layer(item[0]).output(item[1]))
        if isinstance(item, Output):
            return _selection_of(item.node.name, self._own(item.node).output(item.index))
        if isinstance(item, Node):
            return _selection_of(item.name, self._own(item))
        raise wrong_type(argument, "a tensor name, a layer name, (layer name, port), a node or an output", item)

    def _own(self, node: Node) -> Node:
        """Return the node of the model that a node is, also for a node of its compiled copy."""
        if node in self._members:
            return node
        twin = self._by_id.get(node.id)
        if twin is None or (twin.name, twin.type) != (node.name, node.type):
            raise InputError(f'"{node.name}" is not a layer of the model')
        return twin

    def _by_name(self, name: str) -> Selection:
        if name in self._by_tensor:
            return _selection_of(name, self._by_tensor[name])
        if name in self._by_layer:
            return _selection_of(name, self._layer(name))
        head, separator, number = name.rpartition(":")
        if (
            separator
            and number.isdecimal()
            and len(number) <= _MAX_DIGITS
            and (head in self._by_layer or head in self._by_id)
        ):
            return _selection_of(name, self._layer(head).output(int(number)))
        return _selection_of(name, self._layer(name))

    def _layer(self, name: str) -> Node:
        nodes = self._by_layer.get(name, [])
        if len(nodes) > 1:
            ids = ", ".join(node.id for node in nodes[:_MAX_IDS])
            raise InputError(f"{len(nodes)} layers are named {name!r}; name one by its id: {ids}")
        node = nodes[0] if nodes else self._by_id.get(name)
        if node is None:
            raise InputError(f"the model has no tensor and no layer {name!r}{self._help(name)}")
        return node

    def _help(self, name: str) -> str:
        for owner, inner in _layers_of_bodies(self._model):
            if inner.name == name:
                return f'; it is inside the body of "{owner.name}", and a model can be cut outside of bodies only'
        help = did_you_mean(name, [*self._by_layer, *self._by_tensor])
        return f"; {help}" if help else ""


def _selection_of(key: str, selected: Node | Output) -> Selection:
    node = selected.node if isinstance(selected, Output) else selected
    if node.is_a(Result, Assign):
        return Selection(key, (node.input(0).get_source_output(),), node if node.is_a(Result) else None)
    ports = (selected,) if isinstance(selected, Output) else tuple(node.outputs)
    if not ports:
        raise InputError(f'"{node.name}" ({node.get_type_name()}) has no output')
    return Selection(key, ports)


def _layers_of_bodies(model: Model) -> Iterator[tuple[Node, Node]]:
    """Yield each layer that has bodies, and the layers of these."""
    waiting = [model]
    while waiting:
        for owner, _, subgraph in waiting.pop().bodies():
            waiting.append(subgraph.body)
            yield from ((owner, node) for node in subgraph.body.nodes)


def label(port: Output) -> str:
    """Return the layer's name, as `name:index` if the layer has several outputs."""
    return port.node.name if len(port.node.outputs) == 1 else f"{port.node.name}:{port.index}"
