"""Invariant 3: uses are kept by the rewriter alone, and a pass that breaks the graph fails by name."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import ir_plugin
from ir_plugin import Core
from ir_plugin.compiler.graph import Graph, GraphError
from ir_plugin.compiler.passes import PASSES, pass_observer
from ir_plugin.compiler.passes.dead_code import dead_code
from tests.support.ir import build
from tests.support.sample import param
from tests.support.verified import verified

PACKAGE = Path(ir_plugin.__file__).parent
COMPILER = PACKAGE / "compiler"
FOLDERS = (COMPILER, PACKAGE / "openvino" / "passes", PACKAGE / "openvino" / "preprocess")
PATHS = [path for folder in FOLDERS for path in sorted(folder.rglob("*.py"))]
ALLOWED = {"rewriter.py", "graph.py", "op.py"}
USES = {"users", "producer", "inputs", "operand", "source", "readers"}
CHANGES = {"append", "remove", "extend", "insert", "pop", "clear"}


def changes(path: Path) -> list[int]:
    """Return the lines that write an attribute that says who reads what, or change it in place."""
    lines = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = list(node.targets)
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            targets = [node.func.value]
        for target in targets:
            lines += [
                part.lineno
                for part in ast.walk(target)
                if isinstance(part, ast.Attribute) and part.attr in USES and not is_self(part.value)
            ]
    return lines


def is_self(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id == "self"


def test_only_the_rewriter_changes_uses() -> None:
    assert len(PATHS) > 100
    wrong = [f"{path}:{line}" for path in PATHS if path.name not in ALLOWED for line in changes(path)]
    assert not wrong, "\n".join(wrong)


def asks_for_epilogues(name: str) -> bool:
    """Return whether the module of a pass reads the attribute `epilogue`."""
    tree = ast.parse((COMPILER / "passes" / f"{name}.py").read_text("utf-8"))
    return any(isinstance(node, ast.Attribute) and node.attr == "epilogue" for node in ast.walk(tree))


def test_only_passes_after_epilogue_fusion_ask_for_epilogues() -> None:
    before = list(PASSES)[: list(PASSES).index("epilogue_fusion")]
    assert len(before) > 10
    assert {name for name in before if asks_for_epilogues(name)} == set()


WHOLE = {"known_value_folding", "constant_folding", "dead_code"}
"""Passes that look at the whole graph at once."""


def test_every_other_pass_is_a_list_of_patterns() -> None:
    assert {name for name, function in PASSES.items() if not hasattr(function, "pattern_types")} == WHOLE


def graphs() -> list[Graph]:
    ir = build("ReLU", 1, [param(np.zeros((2, 3), np.float32))], {}, 1)
    seen: list[Graph] = []
    with pass_observer(lambda _, graph: seen.append(graph)):
        compiled = Core().compile_model(ir.xml, weights=ir.weights)
        compiled([np.zeros((2, 3), np.float32)])
    return seen


def test_every_pass_is_verified_in_these_tests() -> None:
    assert all(hasattr(function, "__wrapped__") for function in PASSES.values())


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda graph: graph.ops[0].inputs[0].users.clear(), "has the users none"),
        (lambda graph: setattr(graph.ops[0].outputs[0], "producer", None), "has another producer"),
        (lambda graph: graph.ops.clear(), "a result is produced by no op"),
        (lambda graph: graph.parameters.clear(), "reads a value that no op before it produces"),
        (lambda graph: setattr(graph.results[0], "is_result", False), "not marked"),
        (
            lambda graph: setattr(graph.results[0], "element_type", graph.results[0].element_type.f16),
            "its output is f16",
        ),
    ],
)
def test_verify_says_what_is_inconsistent(spoil: object, message: str) -> None:
    graph = graphs()[0]
    graph.verify()
    assert callable(spoil)
    spoil(graph)
    with pytest.raises(GraphError, match=message):
        graph.verify()


def test_a_pass_that_breaks_the_graph_fails_by_name() -> None:
    def forgets_its_users(graph: Graph) -> None:
        dead_code(graph)
        graph.ops[0].inputs[0].users.clear()  # type: ignore[union-attr]

    with pytest.raises(AssertionError, match="the pass forgets_its_users: the graph is inconsistent"):
        verified("forgets_its_users", forgets_its_users)(graphs()[0])
