"""The stubs of the opsets, which tools read: `python -m tests.opsets.stubs` writes them from the signatures."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import shorten
from typing import Any

import ir_plugin
from ir_plugin.opsets import functions, signatures_of
from ir_plugin.opsets.documentation import annotation
from ir_plugin.opsets.nodes import definition_of
from ir_plugin.opsets.signatures import NEWEST, REQUIRED, Parameter, Signature

FOLDER = Path(ir_plugin.__file__).parent
WIDTH = 120
TYPES = ("Attributes", "ElementTypeLike", "Floats", "Ints", "NodeInput", "Nodes", "ShapeLike", "Texts")


def stub(opset: int) -> str:
    """Return the stub of an opset: its new functions, and those of the opset before."""
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
        homes[f"ir_plugin.opset{opset - 1}"] = inherited
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
    parameters = [_parameter(annotation(definition, known), known) for known in signature.parameters]
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
    for opset in range(1, NEWEST + 1):
        (FOLDER / f"opset{opset}.pyi").write_text(stub(opset))
    sys.stdout.write(f"{FOLDER}/opset1.pyi … opset{NEWEST}.pyi\n")
