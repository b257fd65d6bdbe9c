"""The modules of the wheels of OpenVINO and openvino_genai (`genai`), their names, and the table of absent ones."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import openvino

from ir_plugin.diagnostics.modules import own_name

TABLE = Path(__file__).parents[2] / "ir_plugin" / "diagnostics" / "absent_modules.tsv"
ROOT = Path(openvino.__file__).parent
GENAI = ROOT.with_name("openvino_genai") / "__init__.pyi"


def modules() -> dict[str, tuple[str, ...]]:
    """Return the public names of every module of the wheels, by the module's name without `openvino`."""
    named = {"": _names(openvino)}
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if name not in ("__init__", "utils.__main__") and not name.endswith("__main__"):
            named[name] = tuple(sorted(_defined(path, is_package=path.name == "__init__.py")))
    named["genai"] = tuple(sorted(_defined(GENAI, is_package=True)))
    parents = {name.rpartition(".")[0] for name in named} - set(named)
    named |= dict.fromkeys(sorted(parents), ()) | {name: _names(module) for name, module in _compiled()}
    return {module: tuple(name for name in names if f"{module}.{name}" not in named) for module, names in named.items()}


def _compiled() -> Iterator[tuple[str, ModuleType]]:
    """Yield the modules within the extension module."""
    for full_name, module in sorted(sys.modules.items()):
        if full_name == "openvino._pyopenvino" or full_name.startswith("openvino._pyopenvino."):
            yield full_name.removeprefix("openvino."), module


def _names(module: ModuleType) -> tuple[str, ...]:
    return tuple(sorted(name for name in vars(module) if not name.startswith("_")))


def _defined(path: Path, *, is_package: bool) -> set[str]:
    """Return the public functions and classes of a file, and for a package also what it imports from OpenVINO."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and is_package and (node.module or "").startswith("openvino"):
            names |= {alias.asname or alias.name for alias in node.names}
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
    return {name for name in names if not name.startswith("_")}


def ours(name: str) -> ModuleType:
    return importlib.import_module(f"ir_plugin.{name}".rstrip("."))


def offered(module: ModuleType, name: str) -> Any:
    """Return what a module has under a name, or None for what it does not have or only stands in for."""
    from ir_plugin.diagnostics.absent import is_placeholder

    try:
        value = getattr(module, name, None)
    except ImportError:
        return None
    return None if is_placeholder(value) else value


def absent() -> dict[str, tuple[str, ...]]:
    """Return the names that no module here has, by module."""
    rows: dict[str, tuple[str, ...]] = {}
    for name, names in modules().items():
        if not name:
            continue
        try:
            module: ModuleType | None = ours(name)
        except ImportError:
            module = None
        missing = tuple(item for item in names if module is None or offered(module, item) is None)
        is_stand_in = module is None or (getattr(module, "__file__", None) is None and module.__name__.endswith(name))
        if missing or is_stand_in:
            key = name if name.startswith("_pyopenvino") else own_name(name).removeprefix("openvino.")
            rows[key] = tuple(sorted({*rows.get(key, ()), *missing}))
    return rows


if __name__ == "__main__":
    TABLE.write_text("".join(f"{name}\t{' '.join(names)}\n" for name, names in absent().items()))
    sys.stdout.write(f"{TABLE}\n")
