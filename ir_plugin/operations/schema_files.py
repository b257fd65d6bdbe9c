"""The files of the operations' schemas, whose names say which definitions there are."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from ir_plugin.errors import Error


@cache
def schema_root() -> Path:
    """Return the folder of the schemas: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "schemas", package.parent / "schemas"):
        if (folder / "layer.xsd").is_file():
            return folder
    raise Error(f"the schemas of ir_plugin are missing; they belong in {package / 'schemas'}")


@cache
def schema_files() -> dict[str, str]:
    """Return the schemas of all built-in definitions by their names, such as `Gather-8`."""
    root = str(schema_root() / "operations")
    return {
        name.removesuffix(".xsd"): f"{root}/{family}/{name}"
        for family in os.listdir(root)
        if "." not in family
        for name in os.listdir(f"{root}/{family}")
        if name.endswith(".xsd")
    }
