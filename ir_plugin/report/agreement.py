"""Agreement of outputs with a reference, derived through bodies and layers that are not compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ir_plugin.executor import Frame, LayerRun
from ir_plugin.model import Model, Node, Output, SubGraph
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result

Frames: TypeAlias = "tuple[Frame, ...]"
_MAX_PATH = 16


class OutputInstance(NamedTuple):
    """An output of a layer in one iteration of the bodies around it."""

    frames: Frames
    port: Output


class OutputState(NamedTuple):
    """Whether an output agrees with the reference, and what it depends on."""

    agrees: bool = True
    through: tuple[str, ...] = ()
    """Layers upstream that were not compared."""
    is_constant: bool = False
    """Whether it depends on constants alone."""
    is_tied: bool = False
    """Whether all differences come from ties."""
    is_explained: bool = False
    """Whether all differences come from ties, and from layers that are right for the reference's inputs."""


def path_prefix(frames: Frames) -> str:
    """Return the prefix of the names of a body's layers: `loop[2]/`."""
    return "".join(f"{frame.layer}[{frame.iteration}]/" for frame in frames)


_CONSTANT = OutputState(is_constant=True)


class Agreement:
    """The states of the outputs that were compared, and of those derived from them."""

    def __init__(self, model: Model) -> None:
        self._owners = {node: entry for entry in _bodies(model) for node in entry[1].body.nodes}
        self._states: dict[OutputInstance, OutputState] = {}
        self._compared: set[OutputInstance] = set()
        self._executed: dict[tuple[Frames, Node], dict[Frame, SubGraph]] = {}

    def enter(self, run: LayerRun) -> None:
        """Record the body iteration in which a layer ran."""
        if run.frames:
            owner, subgraph = self._owners[run.layer]
            self._executed.setdefault((run.frames[:-1], owner), {})[run.frames[-1]] = subgraph

    def note(self, output: OutputInstance, state: OutputState) -> None:
        """Record the state of a compared output."""
        self._states[output] = state
        self._compared.add(output)

    def is_compared(self, output: OutputInstance) -> bool:
        """Return whether an output was compared."""
        return output in self._compared

    def upstream(self, output: OutputInstance) -> OutputState:
        """Return the combined state of all that an output was computed from."""
        return _combined([self.of(source) for source in self.origins(output)])

    def of(self, output: OutputInstance) -> OutputState:
        """Return the state of an output; one that was not compared agrees if all its origins agree."""
        stack = [output]
        while stack:
            origins = [] if stack[-1] in self._states else self.origins(stack[-1])
            missing = [origin for origin in origins if origin not in self._states]
            if missing:
                stack += missing
                continue
            last = stack.pop()
            if last not in self._states:
                self._states[last] = self._derived(last, [self._states[origin] for origin in origins])
        return self._states[output]

    def _derived(self, output: OutputInstance, origins: Sequence[OutputState]) -> OutputState:
        node = output.port.node
        if node.is_a(Const):
            return _CONSTANT
        state = _combined(origins)
        is_constant = bool(origins) and all(origin.is_constant for origin in origins) and not node.operation.stateful
        if is_constant or node.is_a(Parameter, Result):
            return state._replace(is_constant=is_constant)
        name = path_prefix(output.frames) + node.name
        through = (*(layer for layer in state.through if layer != name), name)[-_MAX_PATH:]
        return OutputState(state.agrees, through, is_tied=state.is_tied, is_explained=state.is_explained)

    def origins(self, output: OutputInstance) -> list[OutputInstance]:
        """Return the outputs from which an output was computed."""
        frames, port = output
        if port.node.is_a(Parameter):
            return self._outside(frames, port.node) if frames else []
        read = [OutputInstance(frames, source.source) for source in port.node.inputs if source.source is not None]
        return [*read, *self._inside(frames, port)]

    def _outside(self, frames: Frames, parameter: Node) -> list[OutputInstance]:
        """Return the outputs outside a body that its parameter takes its value from."""
        owner, subgraph = self._owners[parameter]
        position = subgraph.body.parameters.index(parameter)
        layer, iteration = frames[-1]
        back = [result for result, target in subgraph.back_edges if target == position]
        if back and iteration > 0:
            source = subgraph.body.results[back[0]].inputs[0].source
            return [] if source is None else [OutputInstance((*frames[:-1], Frame(layer, iteration - 1)), source)]
        entries = [entry.external for entry in subgraph.inputs if entry.parameter == position]
        sources = [owner.inputs[external].source for external in entries if external is not None]
        return [OutputInstance(frames[:-1], source) for source in sources if source is not None]

    def _inside(self, frames: Frames, port: Output) -> Iterator[OutputInstance]:
        """Yield the body results that an output consists of."""
        executed = list(self._executed.get((frames, port.node), {}).items())
        for number, (frame, subgraph) in enumerate(executed):
            for entry in subgraph.outputs:
                is_read = entry.external == port.index and (entry.axis is not None or number == len(executed) - 1)
                source = subgraph.body.results[entry.result].inputs[0].source if is_read else None
                if source is not None:
                    yield OutputInstance((*frames, frame), source)


def _bodies(model: Model) -> Iterator[tuple[Node, SubGraph]]:
    for owner, _, subgraph in model.bodies():
        yield owner, subgraph
        yield from _bodies(subgraph.body)


def _combined(states: Sequence[OutputState]) -> OutputState:
    """Return the combined state of several outputs."""
    through = dict.fromkeys(name for state in states for name in state.through)
    is_constant = bool(states) and all(state.is_constant for state in states)
    agrees = all(state.agrees for state in states)
    is_tied = not agrees and all(state.agrees or state.is_tied for state in states)
    is_explained = not agrees and all(state.agrees or state.is_tied or state.is_explained for state in states)
    return OutputState(agrees, tuple(through)[-_MAX_PATH:], is_constant, is_tied, is_explained)


def named_first(model: Model) -> set[Node]:
    """Return the layers, also of bodies, whose name no earlier layer of their graph has."""
    nodes: set[Node] = set()
    for graph in (model, *(subgraph.body for _, subgraph in _bodies(model))):
        names: dict[str, Node] = {}
        for node in graph.ordered():
            names.setdefault(node.name, node)
        nodes.update(names.values())
    return nodes
