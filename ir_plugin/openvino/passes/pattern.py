"""Nodes of patterns: any value, a node of one of several types, alternatives, and nodes that may be missing."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ir_plugin.errors import ArgumentTypeError, InputError
from ir_plugin.model import DiscreteTypeInfo, Input, Node, Output
from ir_plugin.model.graph import connect
from ir_plugin.model.node import new_id
from ir_plugin.model.rewiring import unlist
from ir_plugin.openvino.passes.matcher import Matcher
from ir_plugin.openvino.passes.predicates import Predicate
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.registry import Registry
from ir_plugin.opsets.signatures import NEWEST
from ir_plugin.tensors import ElementType, TensorInfo

_TYPE_NAME = re.compile(r"(?P<opset>[^.:]*)(?:\.|::)(?P<type>.*)")


class Pattern(Node, ABC):
    """A node of a pattern, which fits some values of a graph."""

    __slots__ = ("_predicate",)

    _type = ""

    def __init__(self, inputs: Sequence[Output], predicate: Predicate) -> None:
        id = new_id()
        super().__init__(id, f"{self._type}_{id}", self._type, "util")
        self._predicate = predicate
        for index, source in enumerate(inputs):
            self.inputs.append(Input(self, index, index))
            connect(source, self.inputs[index])
        self.outputs.append(Output(self, 0, len(inputs)))
        self.outputs[0].tensor_info = TensorInfo(ElementType.dynamic, None)

    @abstractmethod
    def match_value(self, matcher: Matcher, pattern: Output, value: Output) -> bool:
        """Return whether the node fits a value, and note what it and its inputs match."""

    def _fits(self, matcher: Matcher, value: Output) -> bool:
        """Note a value if the predicate holds for it, and return whether it does."""
        if not self._predicate.holds(matcher.symbols, value):
            return False
        matcher.values[self] = value
        matcher.matched.append(value)
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class AnyInput(Pattern):
    """Fits any value for which a predicate holds; where it stands twice in a pattern, both values are the same."""

    __slots__ = ()
    _type = "patternLabel"

    def __init__(self, predicate: Predicate | Callable[[Output], bool] | None = None) -> None:
        super().__init__([], _predicate(self, predicate))

    def match_value(self, matcher: Matcher, pattern: Output, value: Output) -> bool:
        """Return whether the predicate holds for a value, which has to be the one that it matched before, if any."""
        del pattern
        matched = matcher.values.get(self)
        if matched is not None and matched != value:
            return False
        return self._fits(matcher, value)


class WrapType(Pattern):
    """Fits the outputs of nodes of one of several types, such as `"opset13.Relu"`, with matching inputs, if any.

    The forms are `WrapType(types)`, with inputs, with a predicate, and with both.
    """

    __slots__ = ("_types",)
    _type = "WrapType"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        types, inputs, predicate = _arguments(self, arguments, named, ("type_name", "type_names"))
        self._types = _types(self, types)
        super().__init__(inputs, predicate)

    def match_value(self, matcher: Matcher, pattern: Output, value: Output) -> bool:
        """Return whether type, predicate and inputs fit."""
        del pattern
        if value.node.get_type_info() not in self._types or not self._fits(matcher, value):
            return False
        return not self.inputs or matcher.match_arguments(self.input_values(), value.node)


class Or(Pattern):
    """Fits what one of several patterns fits, tried in order."""

    __slots__ = ()
    _type = "patternOr"

    def __init__(self, inputs: Sequence[Node | Output]) -> None:
        if not isinstance(inputs, (list, tuple)):
            _refuse(self, "a list of patterns")
        super().__init__(_outputs(self, inputs), Predicate())

    def match_value(self, matcher: Matcher, pattern: Output, value: Output) -> bool:
        """Return whether one of the patterns fits."""
        del pattern
        for alternative in self.input_values():
            with matcher.attempt() as keep:
                if matcher.match_value(alternative, value):
                    matcher.values[self] = value
                    return keep()
        return False


class Optional(Pattern):
    """Fits a node of one of several types, or, without it, what its first input fits."""

    __slots__ = ("_types",)
    _type = "patternOptional"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        types, inputs, predicate = _arguments(self, arguments, named, ("type_names",))
        if not isinstance(types, (list, tuple)):
            _refuse(self, "a list of types")
        self._types = list(types)
        super().__init__(inputs, predicate)
        WrapType(self._types)

    def match_value(self, matcher: Matcher, pattern: Output, value: Output) -> bool:
        """Return whether the node or its first input fits."""
        del pattern
        sources = self.input_values()
        present = WrapType(self._types, sources, self._predicate)
        alternatives = Or([present, sources[0]]) if sources else present
        is_match = matcher.match_value(alternatives.outputs[0], value)
        for node in (alternatives, present):
            _disconnect(node)
        if present in matcher.values:
            matcher.values[self] = value
        return is_match


def _disconnect(node: Node) -> None:
    for port in node.inputs:
        unlist(port)


def _arguments(
    pattern: Pattern, arguments: Sequence[Any], named: dict[str, Any], types_names: Sequence[str]
) -> tuple[Any, list[Output], Predicate]:
    """Return types, inputs and predicate from the arguments of one of the forms."""
    values = list(arguments)
    types = values.pop(0) if values else next((named.pop(name) for name in types_names if name in named), None)
    inputs = named.pop("inputs", named.pop("input", None))
    predicate = named.pop("predicate", named.pop("pred", None))
    if values and inputs is None and isinstance(values[0], (Node, Output, list, tuple)):
        inputs = values.pop(0)
    if values and predicate is None:
        predicate = values.pop(0)
    if values or named or types is None:
        _refuse(pattern, "types, inputs and a predicate")
    listed = [] if inputs is None else list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return types, _outputs(pattern, listed), _predicate(pattern, predicate)


def _outputs(pattern: Pattern, items: Sequence[Any]) -> list[Output]:
    outputs = []
    for item in items:
        if not isinstance(item, (Node, Output)) or (isinstance(item, Node) and not item.outputs):
            _refuse(pattern, f"nodes or outputs as inputs, not {type(item).__name__}")
        outputs.append(item.outputs[0] if isinstance(item, Node) else item)
    return outputs


def _predicate(pattern: Pattern, predicate: Any) -> Predicate:
    if predicate is None or isinstance(predicate, Predicate):
        return predicate or Predicate()
    if not callable(predicate):
        _refuse(pattern, f"a function as predicate, not {type(predicate).__name__}")
    return Predicate(predicate)


def _refuse(pattern: Pattern, expected: str) -> NoReturn:
    raise ArgumentTypeError(f"{type(pattern).__name__} takes {expected}")


def _types(pattern: Pattern, names: Any) -> frozenset[DiscreteTypeInfo]:
    """Return the definitions that names such as `opset13.Relu` stand for."""
    listed = [names] if isinstance(names, str) else names
    if not isinstance(listed, (list, tuple)) or not all(isinstance(name, str) for name in listed):
        _refuse(pattern, 'a type such as "opset13.Relu", or a list of types')
    return frozenset(map(type_info, listed))


def type_info(name: str) -> DiscreteTypeInfo:
    """Return the definition that a name such as `opset13.Relu` or `opset13::Relu` stands for."""
    parts = _TYPE_NAME.fullmatch(name)
    opset, type = (parts["opset"], parts["type"]) if parts else (name, "")
    if opset not in _OPSETS:
        raise InputError(f"Unsupported opset type: {opset}; write a type such as opset13.Relu, not {name!r}")
    written = Const.type if type == "Constant" else type
    definition = Registry().resolve(written, opset)
    if definition is None or definition.type != written:
        raise InputError(f"Unrecognized operation type: {type!r} is not in {opset}")
    return DiscreteTypeInfo(type, definition.version)


_OPSETS = frozenset(f"opset{number}" for number in range(1, NEWEST + 1))
