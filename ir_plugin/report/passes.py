"""The compiler's graph after every pass, as text files: to see why a fusion does not match."""

from __future__ import annotations

import re
from pathlib import Path

from ir_plugin.compiler.graph import Graph

_UNSAFE = re.compile(r"[^\w.-]+")


class PassDump:
    """Writes each graph that passes get and leave to `FOLDER/<number>-<model>/<number>-<pass>.txt`.

    A model has a graph of its own for every plan, and one for every body that is planned. An instance is an observer
    for `compiler.passes.pass_observer`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._graphs = 0
        self._passes = 0

    def __call__(self, name: str, graph: Graph) -> None:
        """Write the graph that a pass leaves; without a name, the one that the first pass gets."""
        if not name:
            self._graphs += 1
            self._passes = 0
        model = _UNSAFE.sub("_", graph.model.name)[:60] or "model"
        target = self._folder / f"{self._graphs:02}-{model}" / f"{self._passes:02}-{name or 'input'}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(graph.to_text(), "utf-8")
        self._passes += 1
