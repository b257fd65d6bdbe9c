"""Invariant 7: importing any module changes nothing in the process, and writes or deletes no file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.skips import needs_numba

ROOT = Path(__file__).parents[2]
PROGRAM = """
import gc, importlib, json, locale, logging, os, pkgutil, signal, sys, threading, warnings
with_numba = "numba" in sys.argv
import click, lxml.etree, ml_dtypes, numpy, rich.console, rich.progress, threadpoolctl
if with_numba:
    import numba.core.caching, numba.core.ccallback, numba.extending, llvmlite.binding

CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chdir",
           "os.putenv", "os.unsetenv", "shutil.rmtree", "shutil.move", "shutil.copyfile", "tempfile.mkstemp",
           "tempfile.mkdtemp", "subprocess.Popen", "os.system", "socket.connect"}
events = []

def listen(event, arguments):
    if event in CHANGES:
        events.append(f"{event} {arguments}")
    elif event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        events.append(f"{event} {arguments}")

def state():
    return {
        "collector": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug(), len(gc.callbacks)),
        "BLAS threads": [(pool["filepath"], pool["num_threads"]) for pool in threadpoolctl.threadpool_info()],
        "signals": {int(number): str(signal.getsignal(number)) for number in signal.valid_signals()},
        "warnings": [str(one) for one in warnings.filters] + [str(warnings.showwarning)],
        "environment": dict(os.environ),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "hooks": [str(hook) for hook in (sys.excepthook, threading.excepthook, sys.displayhook, sys.gettrace())],
        "interpreter": (sys.getrecursionlimit(), sys.getswitchinterval(), locale.setlocale(locale.LC_ALL), os.getcwd()),
        "NumPy": (numpy.geterr(), numpy.get_printoptions(), str(numpy.random.get_state()[1][:4])),
        "log": (logging.root.level, [str(handler) for handler in logging.root.handlers]),
        "streams": [id(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)],
        "path": list(sys.path),
    }

sys.addaudithook(listen)
before = state()
import ir_plugin

names = ["ir_plugin", *(module.name for module in pkgutil.walk_packages(ir_plugin.__path__, "ir_plugin."))]
compiled = [name for name in names if name.startswith("ir_plugin.kernels.numba.")]
free = [f"ir_plugin.kernels.numba.{name}" for name in ("availability", "provider")]
names = compiled if with_numba else [name for name in names if name not in compiled or name in free]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
after = state()
print(json.dumps({
    "modules": len(names), "events": events, "numba": "numba" in sys.modules,
    "changed": {key: [before[key], after[key]] for key in before if before[key] != after[key]},
}))
"""


def imported(*arguments: str) -> dict[str, object]:
    """Return what importing the modules changes in a process of its own."""
    import json

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=ROOT, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_importing_every_module_changes_nothing() -> None:
    result = imported()
    modules = result.pop("modules")
    assert isinstance(modules, int)
    assert modules > 400
    assert result == {"events": [], "changed": {}, "numba": False}


@needs_numba
def test_importing_compiled_kernels_changes_nothing_once_they_are_on_disk() -> None:
    imported("numba")
    result = imported("numba")
    modules = result.pop("modules")
    assert isinstance(modules, int)
    assert modules > 20
    assert result == {"events": [], "changed": {}, "numba": True}
