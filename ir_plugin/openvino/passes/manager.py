"""The manager, which runs passes one after the other."""

from __future__ import annotations

from typing import Any

from ir_plugin.compiler.model_rewriter import drop_unused
from ir_plugin.errors import ArgumentTypeError
from ir_plugin.model.edge_changes import EDGE_CHANGES
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.passes.base import MatcherPass, ModelPass, PassBase, require_model
from ir_plugin.openvino.passes.graph_rewrite import GraphRewrite


class Manager:
    """Runs registered passes in order, and infers types and shapes again after each one that changes the model."""

    def __init__(self) -> None:
        self.passes_list: list[PassBase] = []
        self._validated: set[int] = set()
        self._validates = True

    def register_pass(self, *arguments: Any, **named: Any) -> Any:
        """Append a pass, the argument `transformation`, and return it."""
        transformation = arguments[0] if arguments else named.get("transformation")
        if isinstance(transformation, str):
            raise ArgumentTypeError(f"a pass is registered by an instance, not by name; write {transformation}(…)")
        if len(arguments) + len(named) != 1 or not isinstance(transformation, PassBase):
            values = ", ".join(map(repr, [*arguments, *named.values()]))
            raise ArgumentTypeError(f"register_pass takes one pass. Invoked with: {values}")
        if self._validates:
            self._validated.add(len(self.passes_list))
        self.passes_list.append(transformation)
        return transformation

    def set_per_pass_validation(self, new_state: bool) -> None:
        """Set whether shapes are inferred again after each pass that is registered from now on."""
        self._validates = bool(new_state)

    def run_passes(self, model: Model) -> None:
        """Run the passes on a model."""
        require_model(model)
        is_stale = False
        for position, registered in enumerate(self.passes_list):
            before = EDGE_CHANGES.token
            is_stale |= _run(registered, model)
            if EDGE_CHANGES.token is not before:
                drop_unused(model)
            if is_stale and position in self._validated:
                model.validate_nodes_and_infer_types()
                is_stale = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def _run(registered: PassBase, model: Model) -> bool:
    if isinstance(registered, MatcherPass):
        rewrite = GraphRewrite()
        rewrite.add_matcher(registered)
        return rewrite.transform(model)
    return isinstance(registered, ModelPass) and registered.transform(model)
