"""The start of a new process up to its first result, with compiled kernels in the cache or without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ir_plugin.errors import Error, InputError
from ir_plugin.kernels.numba.availability import numba_fault

KINDS = ("warm", "cold")
_PROGRAM = """
import json, sys, time
path, config, seed = json.loads(sys.argv[1])
marks = [time.perf_counter()]
import ir_plugin
core = ir_plugin.Core()
marks.append(time.perf_counter())
model = core.read_model(path)
marks.append(time.perf_counter())
compiled = core.compile_model(model, config=config)
marks.append(time.perf_counter())
from ir_plugin.report.inputs import complete
from ir_plugin.report.memory import peak_memory
arrays = complete(compiled, None, seed)
start = time.perf_counter()
compiled(arrays)
seconds = [after - before for before, after in zip(marks, marks[1:])] + [time.perf_counter() - start]
print(json.dumps([*(1e3 * part for part in seconds), peak_memory()]))
"""


@dataclass(frozen=True)
class Start:
    """The start of one process; times are in milliseconds and exclude the start of the interpreter."""

    kind: str
    """Whether compiled kernels were in the cache ("warm"), or none was ("cold")."""
    import_: float
    read: float
    compile: float
    first: float
    """The first inference."""
    memory: float | None
    """The peak of the process in MiB, or None where the system does not tell it."""

    @property
    def total(self) -> float:
        """From the import to the first result."""
        return self.import_ + self.read + self.compile + self.first

    def to_dict(self) -> dict[str, Any]:
        """Return the measurements as plain data."""
        values = asdict(self)
        return {"kind": self.kind, "import": values.pop("import_"), **values, "total": self.total}


def measure_start(model: Path, kind: str, config: Mapping[str, Any] | None = None, seed: int = 0) -> Start:
    """Return the times of a new process that reads, compiles and runs a model; a cold one finds no compiled kernels."""
    if kind not in KINDS:
        raise InputError(f"a start is one of {', '.join(KINDS)}; it is {kind!r}")
    with ExitStack() as stack:
        environment = dict(os.environ)
        if kind == "cold":
            environment["NUMBA_CACHE_DIR"] = stack.enter_context(tempfile.TemporaryDirectory())
        else:
            compiles = (config or {}).get("PROVIDER", "auto") == "auto" and numba_fault() is None
            _run(model, {**(config or {}), "PROVIDER": "numba"} if compiles else config, seed, environment)
        values = _run(model, config, seed, environment)
    return Start(kind, *values)


def _run(model: Path, config: Mapping[str, Any] | None, seed: int, environment: dict[str, str]) -> list[Any]:
    arguments = json.dumps([str(model), dict(config or {}), seed])
    command = [sys.executable, "-c", _PROGRAM, arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(f"a new process cannot run {model}: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}")
    values: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return values
