"""Base classes of passes: those that get a whole model, and those that get each match of a pattern."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from ir_plugin.errors import ArgumentTypeError, Error, UnsupportedError, require
from ir_plugin.model import Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.model.rewiring import detach
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.passes.faults import raised_by
from ir_plugin.openvino.passes.matcher import Matcher

Callback = Callable[[Matcher], Any]


def require_model(model: object) -> None:
    """Raise unless an argument is a model."""
    if not isinstance(model, Model):
        raise ArgumentTypeError(f"Incompatible `model` argument: a Model is needed, not {type(model).__name__}")


class PassBase:
    """A pass: it has a name."""

    _default_name: ClassVar[str] = "PassBase"
    _name: str | None = None

    def get_name(self) -> str:
        """Return the name."""
        return self._default_name if self._name is None else self._name

    def set_name(self, name: str) -> None:
        """Change the name."""
        require(name, str, "a name", "name")
        self._name = name

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class ModelPass(PassBase):
    """A pass over a model: a subclass defines `run_on_model(model)`, which returns whether it changed the model."""

    _default_name = "PyModelPass"

    def run_on_model(self, model: Any) -> Any:
        """Change a model, and return whether it was changed."""
        del model
        raise UnsupportedError(f"{type(self).__name__} has no run_on_model; define run_on_model(self, model)")

    def transform(self, graph: Graph) -> bool:
        """Run on a model or a body, and return whether it was changed."""
        return bool(self.run_on_model(graph))


class BuiltInPass(ModelPass, ABC):
    """A pass of this library, which defines `transform`."""

    def __init_subclass__(cls, name: str = "", **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if name:
            cls._default_name = f"ov::pass::{name}"

    def run_on_model(self, model: Any) -> Any:
        """Change a model."""
        require_model(model)
        self.transform(model)

    @abstractmethod
    def transform(self, graph: Graph) -> bool:
        """Change a model or a body, and return whether it was changed."""


class MatcherPass(PassBase):
    """A pass that calls a function for each match of a pattern: `register_matcher(Matcher(pattern, name), callback)`.

    The callback gets the matcher, and returns whether it changed or replaced the root of the match.
    """

    _default_name = "PyMatcherPass"
    _matcher: Matcher | None = None
    _callback: Callback

    def __init__(self, matcher: Matcher | None = None, callback: Callback | None = None) -> None:
        self._new_nodes: list[Node] = []
        if matcher is not None or callback is not None:
            self.register_matcher(matcher, callback)

    def register_matcher(self, matcher: Matcher | None, callback: Callback | None) -> None:
        """Set the pattern and the function that is called with each match."""
        self._require_start()
        require(matcher, Matcher, "a Matcher", "matcher")
        if not callable(callback):
            raise ArgumentTypeError(f"argument 'callback': a function is needed, not {type(callback).__name__}")
        self._matcher, self._callback = matcher, callback

    def _require_start(self) -> None:
        if "_new_nodes" not in vars(self):
            raise ArgumentTypeError("MatcherPass.__init__() must be called when overriding __init__")

    def register_new_node(self, node: Node) -> Node:
        """Return a node after noting that it is to be matched next."""
        require(node, Node, "a node", "node")
        self._require_start()
        self._new_nodes.append(node)
        return node

    def take_new_nodes(self) -> list[Node]:
        """Return the nodes that were registered since the last call."""
        nodes, self._new_nodes = self._new_nodes, []
        return nodes

    def apply(self, node: Node) -> bool:
        """Match a node, call the callback if it matches, and return the callback's result."""
        require(node, Node, "a node", "node")
        if self._matcher is None or not node.outputs or not self._matcher.match(node.outputs[0]):
            return False
        matched = self._matcher.get_match_nodes()
        try:
            is_changed = bool(self._callback(self._matcher))
        except Error:
            raise
        except Exception as fault:
            raise raised_by(f'the callback of "{self._matcher.get_name()}" at {node!r}', fault) from fault
        finally:
            self._matcher.clear()
        for candidate in matched:
            detach(candidate)
        return is_changed
