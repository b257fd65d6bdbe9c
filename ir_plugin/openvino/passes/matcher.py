"""The matcher, which compares a pattern with a part of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import permutations
from typing import Any

from ir_plugin.errors import InputError, require, wrong_type
from ir_plugin.model import Node, Output
from ir_plugin.openvino.passes.symbols import Symbols, plain_symbols
from ir_plugin.operations.arithmetic.binary import Add, Maximum, Minimum, Multiply
from ir_plugin.operations.bitwise.binary import BitwiseAnd, BitwiseOr, BitwiseXor
from ir_plugin.operations.comparison.binary import Equal, NotEqual
from ir_plugin.operations.logical.binary import LogicalAnd, LogicalOr, LogicalXor, Xor

_COMMUTATIVE = (
    Add, Multiply, Maximum, Minimum, Equal, NotEqual, LogicalAnd, LogicalOr, LogicalXor, Xor, BitwiseAnd, BitwiseOr,
    BitwiseXor,
)  # fmt: skip


class Matcher:
    """Matches a pattern, which ends at its root, against nodes: `Matcher(WrapType("opset13.Relu"), "name")`."""

    def __init__(self, node: Node | Output, name: str) -> None:
        require(name, str, "a name", "name")
        self._name = name
        self._pattern = _root(node)
        self.clear()

    def clear(self) -> None:
        """Forget the last match."""
        self._root: Output | None = None
        self.values: dict[Node, Output] = {}
        """The value that each pattern node matched."""
        self.symbols: Symbols = {}
        self.matched: list[Output] = []

    def match(self, value: Node | Output) -> bool:
        """Match the pattern against a node, or an output, and return whether it fits."""
        require(value, (Node, Output), "a node, or an output,", "value")
        self.clear()
        root = _root(value) if isinstance(value, Output) or value.outputs else None
        if root is None:
            return False
        with self.attempt() as keep:
            if self.match_value(self._pattern, root):
                self._root = root
                return keep()
        return False

    @contextmanager
    def attempt(self) -> Iterator[Callable[[], bool]]:
        """Restore what was matched before, unless the yielded function is called, which returns True."""
        before = dict(self.values), dict(self.symbols), len(self.matched)
        is_kept = False

        def keep() -> bool:
            nonlocal is_kept
            is_kept = True
            return True

        yield keep
        if not is_kept:
            self.values, self.symbols = before[:2]
            del self.matched[before[2] :]

    def match_value(self, pattern: Output, value: Output) -> bool:
        """Return whether a pattern fits a value, and note what its nodes match."""
        match: Callable[[Matcher, Output, Output], bool] | None = getattr(pattern.node, "match_value", None)
        if match is not None:
            return match(self, pattern, value)
        self.matched.append(value)
        is_same = pattern.index == value.index and pattern.node.get_type_info() == value.node.get_type_info()
        if is_same and self.match_arguments(pattern.node.input_values(), value.node):
            self.values[pattern.node] = value
            return True
        return False

    def match_arguments(self, expected: Sequence[Output], node: Node) -> bool:
        """Return whether expected outputs fit the inputs of a node, in any order if the operation is commutative."""
        inputs = [port.source for port in node.inputs]
        if len(inputs) != len(expected):
            return False
        if not node.is_a(*_COMMUTATIVE):
            return self._match_in_order(expected, inputs)
        tried: set[tuple[Output, ...]] = set()
        for order in permutations(sorted(expected, key=_age)):
            if order in tried:
                continue
            tried.add(order)
            with self.attempt() as keep:
                if self._match_in_order(order, inputs):
                    return keep()
        return False

    def _match_in_order(self, expected: Sequence[Output], inputs: Sequence[Output | None]) -> bool:
        pairs = zip(expected, inputs, strict=True)
        return all(value is not None and self.match_value(pattern, value) for pattern, value in pairs)

    def get_name(self) -> str:
        """Return the name."""
        return self._name

    def get_match_root(self) -> Node | None:
        """Return the node that the root of the pattern matched."""
        return None if self._root is None else self._root.node

    def get_match_value(self) -> Output:
        """Return the output that the root of the pattern matched."""
        if self._root is None:
            raise InputError(f'the matcher "{self._name}" has matched nothing')
        return self._root

    def get_match_nodes(self) -> list[Node]:
        """Return the nodes that were matched, from the root on."""
        return [value.node for value in self.matched]

    def get_match_values(self) -> list[Output]:
        """Return the outputs that were matched, from the root on."""
        return list(self.matched)

    def get_pattern_value_map(self) -> dict[Node, Output]:
        """Return the output that each pattern node matched."""
        return dict(self.values)

    def get_symbols(self) -> dict[str, Any]:
        """Return the lengths, groups of lengths and symbols that `shape_matches` named."""
        return plain_symbols(self.symbols)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: '{self._name}'>"


def _root(node: Node | Output) -> Output:
    """Return an output of a pattern or graph: the first one of a node."""
    if isinstance(node, Output):
        return node
    if not isinstance(node, Node) or not node.outputs:
        raise wrong_type("node", "a node, or an output,", node)
    return node.outputs[0]


def _age(pattern: Output) -> tuple[int, int]:
    """Return a key that sorts outputs in the order in which they were built."""
    return (int(pattern.node.id) if pattern.node.id.isdigit() else 0, pattern.index)
