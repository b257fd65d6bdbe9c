"""A graph as text: one op a line, with the values it reads and writes, its fused epilogue and its layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from ir_plugin.compiler.op import EpilogueOp, Op, Value

_SMALL = 8
"""Elements up to which the elements of a constant are written out."""


def to_text(parameters: Sequence[Value], ops: Sequence[Op], results: Sequence[Value]) -> str:
    """Return the lines of a graph, its parameters first and its results last."""
    return "\n".join(_Text().lines(parameters, ops, results)) + "\n"


class _Text:
    """Formats ops, with values numbered in the order in which they appear."""

    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._numbers = count()

    def lines(self, parameters: Sequence[Value], ops: Sequence[Op], results: Sequence[Value]) -> Iterator[str]:
        """Yield the lines of a graph."""
        for value in parameters:
            yield f"{self._defined(value)} = Parameter"
        for op in ops:
            yield self._line(op)
        yield "return " + ", ".join(self._operand(value) for value in results)

    def _line(self, op: Op) -> str:
        operands = ", ".join("-" if value is None else self._operand(value) for value in op.inputs)
        epilogue = "".join(f" + {self._epilogue(fused)}" for fused in op.epilogue)
        layers = ", ".join(node.name for node in op.nodes)
        defined = ", ".join(map(self._defined, op.outputs))
        return f"{defined} = {op.operation.type or type(op.operation).__name__}({operands}){epilogue}  # {layers}"

    def _epilogue(self, fused: EpilogueOp) -> str:
        side = " first" if fused.operand_first else ""
        return f"{fused.operation.type}({'' if fused.operand is None else self._operand(fused.operand)}{side})"

    def _defined(self, value: Value) -> str:
        shape = "[...]" if value.shape is None else str(list(value.shape))
        return f"{self._operand(value)}: {value.element_type.name}{shape}"

    def _operand(self, value: Value) -> str:
        if value.constant is not None:
            if value.constant.size <= _SMALL and value.constant.dtype.kind in "fiub":
                return f"{value.element_type.name} {value.constant.tolist()}"
            return f"constant {value.element_type.name}{list(value.constant.shape)}"
        if value not in self._names:
            self._names[value] = f"%{next(self._numbers)}"
        return self._names[value]
