"""Invariant 4: compiler, kernels and runtime read attributes as fields of the operation's class, which mypy checks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ir_plugin
from ir_plugin.compiler.graph import GraphError, Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.operations.activation.softmax import Softmax, Softmax1
from ir_plugin.operations.base import Operation
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.tensors import ElementType

PACKAGE = Path(ir_plugin.__file__).parent
FILES = sorted(path for folder in ("compiler", "kernels", "executor") for path in (PACKAGE / folder).rglob("*.py"))


def untyped_reads(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that name `__dict__`, or read an attribute of an operation by `vars` or a literal name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            yield node.lineno
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
            continue
        if node.func.id in ("vars", "getattr") and ast.unparse(node.args[0]).endswith("operation"):
            yield node.lineno


def test_no_attribute_is_read_by_its_name_as_text() -> None:
    assert len(FILES) > 200
    lines = [f"{path}:{line}" for path in FILES for line in untyped_reads(ast.parse(path.read_text("utf-8")))]
    assert not lines, f"read the field of the operation's class (compiler.rewriter.attributes): {', '.join(lines)}"


@pytest.mark.parametrize(
    "line", ["op.operation.__dict__['axis']", "vars(op.operation)", "getattr(operation, 'axis', 0)"]
)
def test_an_untyped_read_is_reported(line: str) -> None:
    assert [*untyped_reads(ast.parse(line))] == [1]


def op_of(operation: Operation) -> Op:
    """Return an op without operands."""
    element_type = ElementType.from_dtype(np.dtype(np.float32))
    return Op(operation, [], [Value(element_type, (2, 3))], [])


def test_attributes_are_those_of_the_class_and_of_older_versions() -> None:
    assert attributes(op_of(Softmax(axis=-1)), Softmax).axis == -1
    older = op_of(Softmax(axis=1))
    older.operation = Softmax1(axis=1)
    assert attributes(older, Softmax).axis == 1


def test_an_op_of_another_class_is_refused() -> None:
    with pytest.raises(GraphError, match="the op Softmax has no attributes of MatMul"):
        attributes(op_of(Softmax(axis=-1)), MatMul)
