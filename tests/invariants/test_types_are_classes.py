"""Invariant 1: code asks for operations by their class, not by the text of their type."""

from __future__ import annotations

import ast
from pathlib import Path

import ir_plugin
from ir_plugin.operations.registry import built_in

PACKAGE = Path(ir_plugin.__file__).parent
KNOWING = {"operations", "schema", "reader", "writer", "frontends", "opsets", "op"}
"""Folders that are about names: formats, catalogues, translations."""
STRUCTURAL = {"Parameter", "Result", "Constant"}
"""What a graph is made of."""
TYPES = {definition.type for definition in built_in().values()} - STRUCTURAL
PRESENT = {
    "model/bodies.py": ["If", "Loop", "TensorIterator"],
    "model/graph.py": ["Assign"],
    "model/kinds.py": ["Assign", "Const", "ReadValue"],
    "model/node_base.py": ["Const"],
    "model/rewiring.py": ["Assign"],
    "openvino/passes/__init__.py": ["Optional"],
    "openvino/passes/linear_fusions.py": ["Convert"],
    "openvino/preprocess/steps.py": ["Pad"],
    "openvino/preprocess/torchvision/conversions.py": ["Pad", "Resize", "Resize"],
    "report/openvino_reference.py": ["Assign"],
}
"""Types of layers as files write them, where no operation may be known yet, and words that are no types of ours.

These are the types of OpenVINO's nodes, names of fusions and of patterns, of transforms of torchvision, and a message.
"""


def type_names(path: Path) -> list[str]:
    """Return the types that a file has as strings, docstrings aside."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    texts = {node.value for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    return sorted(
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and node not in texts and isinstance(node.value, str) and node.value in TYPES
    )


FILES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}


def test_no_type_is_a_string() -> None:
    asking = {name: path for name, path in FILES.items() if name.split("/", maxsplit=1)[0] not in KNOWING}
    assert len(asking) > 400
    assert {name: types for name, path in asking.items() if (types := type_names(path))} == PRESENT
