"""The state of a model before a change, to return to where the change fails."""

from __future__ import annotations

import copy

from ir_plugin.model import Input, Model, Output
from ir_plugin.model.rewiring import rewire


class Guard:
    """The nodes of a model with their names, sources and outputs."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._nodes = list(model.nodes)
        self._names = [(node, node.name) for node in self._nodes]
        self._sources: list[tuple[Input, Output]] = []
        self._ports: list[tuple[Output, Output]] = []
        for node in self._nodes:
            self._sources += [(port, port.source) for port in node.inputs if port.source is not None]
            self._ports += [(port, _copied(port)) for port in node.outputs]

    def restore(self) -> None:
        """Undo all changes since."""
        rewire([(port, source) for port, source in self._sources if port.source is not source])
        for node, name in self._names:
            node.name = name
        for port, before in self._ports:
            port.take_names(before)
            port.rt_info, port.tensor_info = before.rt_info, before.tensor_info
        self._model.nodes = self._nodes


def _copied(port: Output) -> Output:
    twin = Output(port.node, port.index, port.port_id, port.declared)
    twin.take_names(port)
    twin.rt_info, twin.tensor_info = copy.deepcopy(port.rt_info), port.tensor_info
    return twin
