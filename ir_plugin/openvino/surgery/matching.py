"""Matching of the vertices of two graphs by structure; names only decide between equal candidates."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable
from typing import Literal

from ir_plugin.openvino.surgery.signatures import FULL, TYPES, WITHOUT_VALUES, Signatures, content, signatures
from ir_plugin.openvino.surgery.vertices import VertexGraph

_UNMATCHED = -1
_MAX_READERS = 8
Order = Literal["upstream", "downstream", "names"]
Key = Callable[[Signatures, VertexGraph, int], Hashable]

_KEYS: tuple[Key, ...] = (
    lambda marks, graph, number: (marks.around(number), graph[number].type),
    lambda marks, graph, number: marks.around(number) if graph[number].inputs and graph[number].readers else None,
    lambda marks, _, number: marks.upstream(number),
    lambda marks, _, number: marks.downstream(number),
)
"""What vertices are matched by if it is unique in both graphs, the strictest first; None matches nothing."""


class Matching:
    """Pairs of vertices of two graphs.

    Equal signatures of growing tolerance give the first pairs: an edit leaves the signatures upstream and downstream of
    it as they were. Pairs spread along edges from there, last to vertices of another type in the same place.
    Each step takes time in proportion to the number of edges.
    """

    def __init__(self, first: VertexGraph, second: VertexGraph, order: Order = "upstream") -> None:
        self._keys = (*_KEYS[:2], *_KEYS[:1:-1]) if order == "downstream" else _KEYS
        self.first = first
        self.second = second
        self.to_second = [_UNMATCHED] * len(first)
        self.to_first = [_UNMATCHED] * len(second)
        self._new: deque[tuple[int, int]] = deque()
        if order == "names":
            self._match_names()
        for level in (FULL, WITHOUT_VALUES, TYPES):
            if _UNMATCHED in self.to_second and _UNMATCHED in self.to_first:
                self._match_signatures(level)
        self._spread_everywhere(self._is_of_type)
        self._match_names()
        self._spread_everywhere(self._is_of_type)
        self._match_alike()
        self._spread_everywhere(self._is_in_place)

    def partner(self, number: int) -> int | None:
        """Return the vertex of the second graph for one of the first, or None."""
        return None if self.to_second[number] == _UNMATCHED else self.to_second[number]

    def cost(self) -> int:
        """Return about how many changes the pairs imply; edges to added and removed layers are none."""
        return sum(map(self._cost, range(len(self.first)))) + self.to_first.count(_UNMATCHED)

    def _cost(self, i: int) -> int:
        j = self.to_second[i]
        if j == _UNMATCHED:
            return 1
        mine, theirs = self.first[i], self.second[j]
        moved = abs(len(mine.inputs) - len(theirs.inputs)) + sum(
            (self.to_second[source[0]], source[1]) != other
            for source, other in zip(mine.inputs, theirs.inputs, strict=False)
            if source is not None and other is not None and self._is_matched(source[0], other[0])
        )
        return moved + (content(mine, FULL) != content(theirs, FULL))

    def _is_matched(self, i: int, j: int) -> bool:
        return self.to_second[i] != _UNMATCHED and self.to_first[j] != _UNMATCHED

    def _pair(self, i: int, j: int) -> None:
        self.to_second[i], self.to_first[j] = j, i
        self._new.append((i, j))

    def _match_signatures(self, level: int) -> None:
        marks = signatures(self.first, level), signatures(self.second, level)

        def is_alike(i: int, j: int) -> bool:
            return marks[0].upstream(i) == marks[1].upstream(j) or marks[0].downstream(i) == marks[1].downstream(j)

        def is_equal(i: int, j: int) -> bool:
            return marks[0].whole(i) == marks[1].whole(j)

        self._match_unique(marks, lambda item, _, number: item.whole(number))
        self._spread(is_equal)
        self._match_unique(marks, lambda item, graph, number: (item.whole(number), graph[number].node.name))
        self._spread(is_equal)
        self._match_twins(marks, Signatures.whole, is_equal)
        self._spread_everywhere(is_alike)
        for key in self._keys:
            self._match_unique(marks, key)
            self._spread(is_alike)

    def _match_unique(self, marks: tuple[Signatures, Signatures], key: Key) -> None:
        """Pair the vertices whose key is unique in both graphs."""
        seconds = _unique((key(marks[1], self.second, j), j) for j in self._free(self.to_first))
        firsts = _unique((key(marks[0], self.first, i), i) for i in self._free(self.to_second))
        for value, i in firsts.items():
            j = seconds.get(value, _UNMATCHED)
            if _UNMATCHED not in (i, j):
                self._pair(i, j)

    @staticmethod
    def _free(partners: list[int]) -> list[int]:
        return [number for number, partner in enumerate(partners) if partner == _UNMATCHED]

    def _match_alike(self) -> None:
        """Pair what is left of equal signature upstream or downstream."""
        if _UNMATCHED in self.to_second and _UNMATCHED in self.to_first:
            marks = signatures(self.first, FULL), signatures(self.second, FULL)
            for key in (Signatures.downstream, Signatures.upstream):
                self._match_twins(marks, key, self._is_of_type)

    def _match_twins(
        self,
        marks: tuple[Signatures, Signatures],
        key: Callable[[Signatures, int], Hashable],
        accept: Callable[[int, int], bool],
    ) -> None:
        """Pair vertices with equal keys in the order of the graphs, each time with what follows from it."""
        candidates: dict[Hashable, deque[int]] = defaultdict(deque)
        for j in self._free(self.to_first):
            candidates[key(marks[1], j)].append(j)
        for i in self._free(self.to_second):
            queue = candidates.get(key(marks[0], i))
            while queue and self.to_first[queue[0]] != _UNMATCHED:
                queue.popleft()
            if queue and self.to_second[i] == _UNMATCHED:
                self._pair(i, queue.popleft())
                self._spread(accept)

    def _match_names(self) -> None:
        """Pair the vertices whose name and type are unique in both graphs."""
        seconds = _unique((_name(self.second, j), j) for j in self._free(self.to_first))
        firsts = _unique((_name(self.first, i), i) for i in self._free(self.to_second))
        for name, i in firsts.items():
            if i != _UNMATCHED and seconds.get(name, _UNMATCHED) != _UNMATCHED:
                self._pair(i, seconds[name])

    def _spread_everywhere(self, accept: Callable[[int, int], bool]) -> None:
        self._new = deque((i, j) for i, j in enumerate(self.to_second) if j != _UNMATCHED)
        self._spread(accept)

    def _spread(self, accept: Callable[[int, int], bool]) -> None:
        """Pair acceptable neighbours of new pairs, and theirs."""
        while self._new:
            i, j = self._new.popleft()
            for mine, theirs in zip(self.first[i].inputs, self.second[j].inputs, strict=False):
                if mine is not None and theirs is not None and mine[1] == theirs[1]:
                    self._pair_if(mine[0], theirs[0], accept)
            self._spread_to_readers(i, j, accept)

    def _spread_to_readers(self, i: int, j: int, accept: Callable[[int, int], bool]) -> None:
        """Pair readers at the same ports, unless there are several of which each may be meant."""
        firsts, seconds = _by_port(self.first, i, self.to_second), _by_port(self.second, j, self.to_first)
        for port, mine in firsts.items():
            theirs = seconds.get(port, [])
            if len(mine) == 1 and len(theirs) == 1:
                self._pair_if(mine[0], theirs[0], accept)
            elif theirs:
                self._pair_by_type(mine, theirs, accept)

    def _pair_by_type(self, mine: list[int], theirs: list[int], accept: Callable[[int, int], bool]) -> None:
        """Pair readers that are the only ones of their type that are acceptable."""
        seconds: dict[str, list[int]] = defaultdict(list)
        for j in theirs[:_MAX_READERS]:
            seconds[self.second[j].type].append(j)
        for i in mine[:_MAX_READERS]:
            candidates = [j for j in seconds[self.first[i].type] if self.to_first[j] == _UNMATCHED and accept(i, j)]
            if len(candidates) == 1:
                self._pair_if(i, candidates[0], accept)

    def _pair_if(self, i: int, j: int, accept: Callable[[int, int], bool]) -> None:
        if self.to_second[i] == self.to_first[j] == _UNMATCHED and accept(i, j):
            self._pair(i, j)

    def _is_of_type(self, i: int, j: int) -> bool:
        return self.first[i].type == self.second[j].type and self._is_consistent(i, j)

    def _is_in_place(self, i: int, j: int) -> bool:
        """Return whether vertices read the same, whatever their types; vertices without inputs do."""
        sources = {self.to_second[source[0]] for source in self.first[i].inputs if source is not None}
        others = {source[0] for source in self.second[j].inputs if source is not None}
        return bool(sources & others) or not (sources or others)

    def _is_consistent(self, i: int, j: int) -> bool:
        """Return whether no reader or source of one vertex is matched with one that has nothing to do with the other.

        Vertices of a type at one place may be an inserted and an old one; the one that reads the same is the old one.
        """
        mine, theirs = self.first[i], self.second[j]
        if not mine.inputs or not theirs.inputs or mine.inputs[0] is None or theirs.inputs[0] is None:
            return True
        source, other = self.to_second[mine.inputs[0][0]], self.to_first[theirs.inputs[0][0]]
        if source == theirs.inputs[0][0] or _UNMATCHED in (source, other):
            return True
        return any(
            self.to_second[reader] in {item[1] for item in theirs.readers[:_MAX_READERS]}
            for _, reader, _ in mine.readers[:_MAX_READERS]
        )


def matched(first: VertexGraph, second: VertexGraph) -> Matching:
    """Return the matching that implies the fewest changes: by what is upstream or downstream, or by names first.

    Names are right where a model was edited, and wrong where another export renumbered its layers.
    """
    best = Matching(first, second)
    orders: tuple[Order, ...] = ("downstream", "names")
    for order in orders:
        if best.cost():
            best = min(Matching(first, second, order), best, key=Matching.cost)
    return best


def _unique(items: Iterable[tuple[Hashable, int]]) -> dict[Hashable, int]:
    """Return the number of each key, `_UNMATCHED` for a key with several."""
    unique: dict[Hashable, int] = {}
    for key, number in items:
        if key is not None:
            unique[key] = _UNMATCHED if key in unique else number
    return unique


def _name(graph: VertexGraph, number: int) -> Hashable:
    return graph[number].node.name, graph[number].type


def _by_port(graph: VertexGraph, number: int, partners: list[int]) -> dict[tuple[int, int], list[int]]:
    """Return the readers of a vertex without a partner, by its output and their input."""
    readers: dict[tuple[int, int], list[int]] = defaultdict(list)
    for port, reader, index in graph[number].readers:
        if partners[reader] == _UNMATCHED:
            readers[port, index].append(reader)
    return readers
