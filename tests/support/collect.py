"""Finding the sample modules: tests/operations/<family>/<stem>.py."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.support.sample import ErrorSample, Sample

ROOT = Path(__file__).parents[1] / "operations"


@cache
def modules() -> tuple[tuple[str, ModuleType], ...]:
    """Return every sample module with its name, `family/stem`."""
    paths = [path for path in sorted(ROOT.glob("*/*.py")) if not path.name.startswith(("test_", "_"))]
    names = [f"{path.parent.name}/{path.stem}" for path in paths]
    return tuple((name, importlib.import_module(f"tests.operations.{name.replace('/', '.')}")) for name in names)


def samples() -> Iterator[tuple[str, Sample]]:
    """Yield every sample with an id."""
    for name, module in modules():
        for number, sample in enumerate(getattr(module, "SAMPLES", ())):
            yield f"{name}-{sample.type}-{sample.version}-{sample.name or number}", sample


def errors() -> Iterator[tuple[str, ErrorSample]]:
    """Yield every error sample with an id."""
    for name, module in modules():
        for number, sample in enumerate(getattr(module, "ERRORS", ())):
            yield f"{name}-{sample.type}-{sample.version}-{sample.name or number}", sample


def covered_elsewhere() -> dict[tuple[str, int], str]:
    """Return the definitions that one-layer samples cannot cover, with the test that covers each."""
    tests: dict[tuple[str, int], str] = {}
    for _, module in modules():
        tests |= getattr(module, "COVERED_BY", {})
    return tests
