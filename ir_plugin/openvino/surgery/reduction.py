"""Reduction: search for the smallest part of a model for which a predicate still holds, by delta debugging."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ir_plugin.compiler.model_rewriter import drop_unused
from ir_plugin.errors import Error
from ir_plugin.model import Model as Graph
from ir_plugin.model.graph import clone
from ir_plugin.openvino.api import Model
from ir_plugin.openvino.api.editing import infer
from ir_plugin.openvino.surgery.edits import STRUCTURE, Edit, Target

Predicate = Callable[[Model], bool]
Listener = Callable[[Model, int], None]

MAX_RUNS = 1000
"""The number of candidates that are tried by default."""


class Reduction:
    """A search from a model for which a predicate holds; `model` is the smallest such model so far.

    Each edit is tried on all of its targets at once, then on halves, quarters and so on, down to single targets;
    candidates whose types and shapes do not fit together are passed over. An exception of the predicate ends the
    search, and `model` remains valid.
    """

    def __init__(
        self,
        model: Model,
        holds: Predicate,
        edits: Sequence[Edit] = STRUCTURE,
        max_runs: int = MAX_RUNS,
        progress: Listener | None = None,
    ) -> None:
        self.model = model
        self.runs = 0
        self._holds = holds
        self._edits = edits
        self._max_runs = max_runs
        self._progress = progress

    @property
    def is_exhausted(self) -> bool:
        """Whether the search may try no further candidate."""
        return self.runs >= self._max_runs

    def run(self) -> None:
        """Apply the edits until none makes the model smaller, or the runs are used up."""
        is_changed = True
        while is_changed and not self.is_exhausted:
            is_changed = sum(self._sweep(edit) for edit in self._edits) > 0

    def accept(self, candidate: Model) -> bool:
        """Try a candidate, which becomes the model if the predicate holds for it; return whether it does."""
        self.runs += 1
        if not self._holds(candidate):
            return False
        self.model = candidate
        if self._progress is not None:
            self._progress(candidate, self.runs)
        return True

    def _sweep(self, edit: Edit) -> bool:
        """Apply an edit to ever smaller groups of its targets, and return whether the model became smaller."""
        size = len(edit.targets(self.model))
        is_changed = False
        while size and not self.is_exhausted:
            is_changed |= self._pass(edit, size)
            size = min(size // 2, len(edit.targets(self.model)))
        return is_changed

    def _pass(self, edit: Edit, size: int) -> bool:
        """Apply an edit to one group of `size` targets after the other."""
        is_changed = False
        start = 0
        targets = edit.targets(self.model)
        while start < len(targets) and not self.is_exhausted:
            count = len(targets)
            candidate = _edited(self.model, edit, targets[start : start + size])
            if candidate is not None and self.accept(candidate):
                is_changed = True
                targets = edit.targets(self.model)
            if len(targets) >= count:
                start += size
        return is_changed


def _edited(model: Model, edit: Edit, chosen: Sequence[Target]) -> Model | None:
    """Return an edited copy of a model, or None if the edit does not apply or leaves no sound model."""
    copy = clone(model)
    twins = dict(zip(model.nodes, copy.nodes, strict=True))
    try:
        graph = edit.apply(copy, [(twins[node], index) for node, index in chosen])
        if graph is None:
            return None
        candidate = Model(_pruned(graph))
        infer(candidate, "the part does not fit together")
    except Error:
        return None
    return candidate


def _pruned(graph: Graph) -> Graph:
    """Return a graph without the nodes that contribute to no result."""
    drop_unused(graph)
    used = set(graph.ordered())
    graph.nodes = [node for node in graph.nodes if node in used]
    return graph
