"""Write docs/passes.md: `python -m tests.docs.passes`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import openvino as ov

from ir_plugin.compiler.passes import PASSES, summary
from tests.support.passes import rewrite

PAGE = Path(__file__).parents[2] / "docs" / "passes.md"

_HEAD = """# Passes

Written by `python -m tests.docs.passes` from the docstrings of the passes and from small models. The compiler runs the
{count} passes in this order. Each has one name: `DISABLED_PASSES` switches it off by that name, `--dump-passes` writes
the graph that it leaves to a file of that name:

```python
import ir_plugin as ov

ov.compile_model("samples/digits/digits.xml", config={{"DISABLED_PASSES": ["epilogue_fusion", "scale_folding"]}})
```

```sh
ir-plugin profile samples/digits/digits.xml --dump-passes passes
```

| pass | what it does |
|---|---|
{rows}

A line of a graph is one op: the values it produces with their types and shapes, its type, the values it reads, after
`+` the ops of its epilogue, and after `#` the layers it computes. Small constants are written out.
"""


_TESTS: dict[str, Any] = {name: import_module(f"tests.compiler.passes.test_{name}") for name in PASSES}

EXAMPLES: dict[str, Callable[[], ov.Model]] = {name: test.example for name, test in _TESTS.items()}
"""A model in the test of each pass, of which the pass changes the graph."""

CONFIGURATIONS: dict[str, dict[str, object]] = {
    name: test.CONFIGURATION for name, test in _TESTS.items() if hasattr(test, "CONFIGURATION")
}
"""The properties without which a pass does not run."""


def text() -> str:
    """Return the page of all passes: a table, then the graph of an example before and after each of them."""
    rows = "\n".join(f"| [`{name}`](#{name}) | {summary(name)} |" for name in PASSES)
    return "\n".join([_HEAD.format(count=len(PASSES), rows=rows), *map(_section, PASSES)])


def _section(name: str) -> str:
    change = rewrite(name, EXAMPLES[name](), (), **CONFIGURATIONS.get(name, {}))
    return (
        f"## `{name}` {{#{name}}}\n\n{summary(name)}\n\n"
        f"```text\n{change.before}```\n\nbecomes\n\n```text\n{change.after}```\n"
    )


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
