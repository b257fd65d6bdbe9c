"""The compiler's graph after every pass as text files, which show why a fusion does not match."""

from __future__ import annotations

import re
from pathlib import Path

from ir_plugin.compiler.graph import Graph

_UNSAFE = re.compile(r"[^\w.-]+")


class PassDump:
    """Writes each graph before and after its passes to `FOLDER/<number>-<model>/<number>-<pass>.txt`.

    Every plan of a model and of a body has a separate graph. An instance is an observer for
    `compiler.passes.pass_observer`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._graphs = 0
        self._passes = 0

    def __call__(self, name: str, graph: Graph) -> None:
        """Write the graph after the pass `name`, or before the first pass if the name is empty."""
        if not name:
            self._graphs += 1
            self._passes = 0
        model = _UNSAFE.sub("_", graph.model.name)[:60] or "model"
        target = self._folder / f"{self._graphs:02}-{model}" / f"{self._passes:02}-{name or 'input'}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(graph.to_text(), "utf-8")
        self._passes += 1
