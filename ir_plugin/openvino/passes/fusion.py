"""Matcher passes that replace the root of a match."""

from __future__ import annotations

from collections.abc import Callable

from ir_plugin.compiler.model_rewriter import bypass
from ir_plugin.model import Node, Output
from ir_plugin.openvino.passes.base import MatcherPass
from ir_plugin.openvino.passes.matcher import Matcher

Fuse = Callable[[dict[Node, Output]], "Node | Output | None"]


class Fusion(MatcherPass):
    """Replaces the root of a match by what a function returns for it: a new node, an output, or None to keep it."""

    def __init__(self, name: str, root: Node, fuse: Fuse) -> None:
        super().__init__()

        def replace(matcher: Matcher) -> bool:
            old = matcher.get_match_value()
            fused = fuse(matcher.get_pattern_value_map())
            if fused is None:
                return False
            if isinstance(fused, Output):
                return bypass(old, fused)
            return replace_root(self, old, fused)

        self.register_matcher(Matcher(root, name), replace)
        self.set_name(name)


def replace_root(matcher_pass: MatcherPass, old: Output, fused: Node) -> bool:
    """Replace `old` by the output of `fused`, which takes the node's name and is matched next."""
    fused.name = old.node.name
    return bypass(old, matcher_pass.register_new_node(fused).outputs[0])
