"""Stubs for type checkers: `python -m ir_plugin.opsets.stubs` writes each opset's stub beside its module.

A wheel holds them too, and a stub for each further name of a module: `ir_plugin.opset13` is `ir_plugin.opsets.opset13`,
and `ir_plugin.runtime.passes` is `ir_plugin.openvino.passes`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import shorten
from typing import Any

from ir_plugin.opsets import functions, signatures_of
from ir_plugin.opsets.documentation import annotation
from ir_plugin.opsets.nodes import definition_of
from ir_plugin.opsets.signatures import NEWEST, REQUIRED, Parameter, Signature

FOLDER = Path(__file__).parent
OPSETS = [f"opset{number}" for number in range(1, NEWEST + 1)]
WIDTH = 120
TYPES = ("Attributes", "ElementTypeLike", "Floats", "Ints", "NodeInput", "Nodes", "ShapeLike", "Texts")


def write_opsets(folder: Path) -> None:
    """Write the stub of each opset."""
    for number, name in enumerate(OPSETS, 1):
        (folder / f"{name}.pyi").write_text(stub(number), "utf-8")


def write_aliases(folder: Path) -> None:
    """Write the stubs of modules with OpenVINO's names, which import all that the ones here have."""
    for name, target in _aliases().items():
        path = folder / f"{name.replace('.', '/')}.pyi"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"from {target} import *\n", "utf-8")


def _aliases() -> dict[str, str]:
    """Return the modules that others stand for, by the names of their files; all are in `runtime` too."""
    root = FOLDER.parent / "openvino"
    files = [path for path in root.rglob("*.py") if path.parent != root or path.name != "__init__.py"]
    names = [".".join(path.relative_to(root).with_suffix("").parts) for path in sorted(files)]
    own = {name: f"ir_plugin.openvino.{name}".removesuffix(".__init__") for name in names}
    own |= {name: f"ir_plugin.opsets.{name}" for name in OPSETS}
    return own | {f"runtime.{name}": target for name, target in own.items()} | {"runtime.__init__": "ir_plugin"}


def stub(opset: int) -> str:
    """Return the stub of an opset: its new functions, and imports of the previous opset's."""
    own = signatures_of(opset)
    before = signatures_of(opset - 1) if opset > 1 else {}
    new = {name: signature for name, signature in own.items() if before.get(name) != signature}
    basic = {name: function for name, function in functions(opset).items() if name not in own}
    inherited = sorted({*own} - {*new})
    body = "\n".join(_function(new[name]) for name in sorted(new))
    head = f'"""The functions of opset {opset}, which build nodes."""\n\n'
    imports = "from typing import Any\n\n" if "Any" in body else ""
    homes: dict[str, list[str]] = {"ir_plugin.model": ["Node"]} if new else {}
    for name, function in basic.items():
        homes.setdefault(function.__module__, []).append(name)
    if inherited:
        homes[f"ir_plugin.opsets.opset{opset - 1}"] = inherited
    used = [name for name in TYPES if name in _words(body)]
    if used:
        homes["ir_plugin.opsets.typing"] = used
    public = {*basic, *inherited}
    lines = [_import(home, names, public) for home, names in sorted(homes.items(), key=_order)]
    return head + imports + "".join(lines) + ("\n" + body if body else "")


def _order(item: tuple[str, list[str]]) -> str:
    return item[0]


def _words(text: str) -> set[str]:
    return set(text.replace(":", " ").replace(",", " ").replace(")", " ").split())


def _import(home: str, names: list[str], public: set[str]) -> str:
    shown = [f"{name} as {name}" if name in public else name for name in sorted(names)]
    line = f"from {home} import {', '.join(shown)}\n"
    if len(line) <= WIDTH + 1:
        return line
    return f"from {home} import (\n" + "".join(f"    {name},\n" for name in shown) + ")\n"


def _function(signature: Signature) -> str:
    """Return a function without its body."""
    definition = definition_of(signature.type, signature.version)
    parameters = [_parameter(annotation(definition, item), item) for item in signature.parameters]
    parameters.append("name: str | None = None")
    summary = (definition.cls.__doc__ or "").strip().splitlines()[0].partition(" Specification: ")[0]
    text = f'    """{shorten(summary, WIDTH - 10, placeholder=" …").replace(chr(92), chr(92) * 2)}"""'
    line = f"def {signature.name}({', '.join(parameters)}) -> Node:"
    if len(line) > WIDTH:
        line = f"def {signature.name}(\n    {', '.join(parameters)}\n) -> Node:"
        if any(len(part) > WIDTH for part in line.splitlines()):
            line = f"def {signature.name}(\n" + "".join(f"    {part},\n" for part in parameters) + ") -> Node:"
    return f"{line}\n{text}\n"


def _parameter(label: str, parameter: Parameter) -> str:
    return f"{parameter.name}: {label}" + ("" if parameter.default is REQUIRED else f" = {_default(parameter.default)}")


def _default(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    write_opsets(FOLDER)
    sys.stdout.write(f"{FOLDER}/opset1.pyi … opset{NEWEST}.pyi\n")
