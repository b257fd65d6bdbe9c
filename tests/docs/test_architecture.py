"""Every module and name on the page on the architecture exists, and its layers are those that are checked."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "ir_plugin"
TEXT = (ROOT / "docs" / "architecture.md").read_text("utf-8")
DIAGRAM = TEXT.partition("```mermaid\n")[2].partition("```")[0]
FOLDERS = sorted(path.name for path in PACKAGE.iterdir() if path.name != "__pycache__" and not path.suffix)
DOTTED = rf"(?:{'|'.join(FOLDERS)})(?:\.(?!md\b|xml\b|bin\b)\w+)+"
NAMES = sorted({*re.findall(rf"`({DOTTED})`", TEXT), *re.findall(rf"\b{DOTTED}", DIAGRAM)})


@pytest.mark.parametrize("name", NAMES)
def test_a_name_on_the_page_exists(name: str) -> None:
    path, parts = PACKAGE, name.split(".")
    while parts and (path / parts[0]).is_dir():
        path /= parts.pop(0)
    is_module = bool(parts) and (path / f"{parts[0]}.py").is_file()
    module = path / (f"{parts.pop(0)}.py" if is_module else "__init__.py")
    tree: ast.AST = ast.parse(module.read_text("utf-8"))
    for part in parts:
        names = {name: node for node in ast.iter_child_nodes(tree) for name in bound_by(node)}
        assert part in names, f"{module} has no {part}"
        tree = names[part]


def bound_by(node: ast.AST) -> list[str]:
    """Return the names that a statement defines or imports."""
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    return [node.name] if isinstance(node, (ast.ClassDef, ast.FunctionDef)) else []


def test_the_page_names_many_modules_and_a_file_way_through_them() -> None:
    assert len(NAMES) > 40
    assert re.search(r"file\[.*\] --> document", DIAGRAM)
    assert "--> result" in DIAGRAM


def test_folders_on_the_page_exist() -> None:
    paths = re.findall(r"`((?:report|kernels|operations)/[\w./]+)`", TEXT)
    assert paths
    assert [path for path in paths if "__pycache__" not in path and not (PACKAGE / path).exists()] == []


def test_the_layers_are_those_that_are_checked() -> None:
    contract = (ROOT / "pyproject.toml").read_text("utf-8").partition("\nlayers = [\n")[2].partition("\n]")[0]
    rows = re.findall(r"^\| (`.*?`) \|", TEXT.partition("## Layers")[2].partition("\n## ")[0], re.MULTILINE)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == re.findall(r"\w+", contract)
