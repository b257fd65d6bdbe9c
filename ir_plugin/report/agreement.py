"""Whether all that a layer was computed from agrees with a reference, through bodies and layers not compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ir_plugin.model import Model, Node, Output, SubGraph
from ir_plugin.runtime import Frame, LayerRun

Frames: TypeAlias = "tuple[Frame, ...]"
_MOST_BEHIND = 16


class Place(NamedTuple):
    """An output of a layer in one iteration of the bodies that it is inside."""

    frames: Frames
    port: Output


class State(NamedTuple):
    """What is known of an output."""

    agrees: bool = True
    through: tuple[str, ...] = ()
    """The layers behind it that were not compared."""
    is_constant: bool = False
    """Whether it follows from constants alone."""


def inside_of(frames: Frames) -> str:
    """Return what stands before the name of a layer of a body: `loop[2]/`."""
    return "".join(f"{frame.layer}[{frame.iteration}]/" for frame in frames)


_CONSTANT = State(is_constant=True)


class Agreement:
    """What is known of the outputs that were compared, and what follows for those that were not."""

    def __init__(self, model: Model) -> None:
        self._homes = {node: home for home in _bodies(model) for node in home[1].body.nodes}
        self._known: dict[Place, State] = {}
        self._compared: set[Place] = set()
        self._executed: dict[tuple[Frames, Node], dict[Frame, SubGraph]] = {}

    def enter(self, run: LayerRun) -> None:
        """Take notice of a layer that was run, and so of the iteration of the body that it is in."""
        if run.frames:
            owner, subgraph = self._homes[run.layer]
            self._executed.setdefault((run.frames[:-1], owner), {})[run.frames[-1]] = subgraph

    def note(self, place: Place, state: State) -> None:
        """Say what is known of an output."""
        self._known[place] = state
        self._compared.add(place)

    def is_compared(self, place: Place) -> bool:
        """Return whether an output was compared."""
        return place in self._compared

    def behind(self, place: Place) -> State:
        """Return what is known of all that an output was computed from."""
        return _together([self.of(source) for source in self.origins(place)])

    def of(self, place: Place) -> State:
        """Return what is known of an output; one that was not compared agrees if all it was computed from does."""
        stack = [place]
        while stack:
            origins = [] if stack[-1] in self._known else self.origins(stack[-1])
            missing = [origin for origin in origins if origin not in self._known]
            if missing:
                stack += missing
                continue
            last = stack.pop()
            if last not in self._known:
                self._known[last] = self._following(last, [self._known[origin] for origin in origins])
        return self._known[place]

    def _following(self, place: Place, origins: Sequence[State]) -> State:
        node = place.port.node
        if node.get_type_name() == "Constant":
            return _CONSTANT
        state = _together(origins)
        is_constant = bool(origins) and all(origin.is_constant for origin in origins) and not node.operation.stateful
        if is_constant or node.get_type_name() in ("Parameter", "Result"):
            return state._replace(is_constant=is_constant)
        name = inside_of(place.frames) + node.name
        return State(state.agrees, (*(known for known in state.through if known != name), name)[-_MOST_BEHIND:])

    def origins(self, place: Place) -> list[Place]:
        """Return what an output was computed from."""
        frames, port = place
        if port.node.get_type_name() == "Parameter":
            return self._outside(frames, port.node) if frames else []
        read = [Place(frames, source.source) for source in port.node.inputs if source.source is not None]
        return [*read, *self._inside(frames, port)]

    def _outside(self, frames: Frames, parameter: Node) -> list[Place]:
        """Return what the parameter of a body got its value from."""
        owner, subgraph = self._homes[parameter]
        position = subgraph.body.parameters.index(parameter)
        layer, iteration = frames[-1]
        back = [result for result, target in subgraph.back_edges if target == position]
        if back and iteration > 0:
            source = subgraph.body.results[back[0]].inputs[0].source
            return [] if source is None else [Place((*frames[:-1], Frame(layer, iteration - 1)), source)]
        entries = [entry.external for entry in subgraph.inputs if entry.parameter == position]
        sources = [owner.inputs[external].source for external in entries if external is not None]
        return [Place(frames[:-1], source) for source in sources if source is not None]

    def _inside(self, frames: Frames, port: Output) -> Iterator[Place]:
        """Yield the results of bodies that an output was made of."""
        executed = list(self._executed.get((frames, port.node), {}).items())
        for number, (frame, subgraph) in enumerate(executed):
            for entry in subgraph.outputs:
                is_read = entry.external == port.index and (entry.axis is not None or number == len(executed) - 1)
                source = subgraph.body.results[entry.result].inputs[0].source if is_read else None
                if source is not None:
                    yield Place((*frames, frame), source)


def _bodies(model: Model) -> Iterator[tuple[Node, SubGraph]]:
    for owner, _, subgraph in model.bodies():
        yield owner, subgraph
        yield from _bodies(subgraph.body)


def _together(states: Sequence[State]) -> State:
    """Return what is known of several outputs together."""
    through = dict.fromkeys(name for state in states for name in state.through)
    is_constant = bool(states) and all(state.is_constant for state in states)
    return State(all(state.agrees for state in states), tuple(through)[-_MOST_BEHIND:], is_constant)


def firsts(model: Model) -> set[Node]:
    """Return the layers, those of bodies included, whose name no layer before them in their graph has."""
    found: set[Node] = set()
    for graph in (model, *(subgraph.body for _, subgraph in _bodies(model))):
        names: dict[str, Node] = {}
        for node in graph.ordered():
            names.setdefault(node.name, node)
        found.update(names.values())
    return found
