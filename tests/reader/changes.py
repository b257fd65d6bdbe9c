"""Changes the weights of a model while it is in use, calls every entry that reads constants, and prints what each does.

Every entry runs in a process of its own, as reading behind the end of a mapped file would end it with a signal.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin import Core, Error, save_model, serialize, set_batch
from ir_plugin.report.compare import compare
from ir_plugin.report.dump import dump
from ir_plugin.report.graph_data import views
from ir_plugin.report.graph_run import run_facts
from ir_plugin.report.profile import profile

X = np.ones((2, 4096), np.float32)


class Used:
    """A model that was read, compiled and run before its weights change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model = Core().read_model(path)
        self.compiled = Core().compile_model(self.model)
        self.plain = Core().compile_model(self.model, config={"OPTIMIZE": False})
        self.compiled([X])
        self.constant = next(node for node in self.model.get_ordered_ops() if node.name == "weights")

    def recompiled(self, **config: Any) -> object:
        """Return what a compiled copy of the model gives."""
        return Core().compile_model(self.model.clone(), config=config)([X])

    def batched(self) -> None:
        """Give the model another batch."""
        self.model.inputs[0].node.set_layout("N...")
        set_batch(self.model, 3)


ENTRIES: dict[str, Callable[[Used], object]] = {
    "infer": lambda used: used.compiled([X]),
    "infer another shape": lambda used: used.compiled([X[:1]]),
    "infer plainly": lambda used: used.plain([X]),
    "infer in a queue": lambda used: used.compiled.create_infer_request().infer([X]),
    "compile": lambda used: used.recompiled(),
    "compile plainly": lambda used: used.recompiled(OPTIMIZE=False),
    "compile without folding": lambda used: used.recompiled(DISABLED_PASSES="constant_folding"),
    "reshape": lambda used: used.model.reshape([3, 4096]),
    "set_batch": lambda used: used.batched(),
    "validate_nodes_and_infer_types": lambda used: used.model.validate_nodes_and_infer_types(),
    "serialize": lambda used: serialize(used.model, used.path.with_name("copy.xml")),
    "serialize over itself": lambda used: serialize(used.model, used.path),
    "save_model": lambda used: save_model(used.model, used.path.with_name("copy.xml")),
    "save_model uncompressed": lambda used: save_model(used.model, used.path.with_name("copy.xml"), False),
    "export_model": lambda used: used.compiled.export_model(),
    "data": lambda used: used.constant.data.sum(),
    "get_data": lambda used: used.constant.get_data().sum(),
    "get_vector": lambda used: used.constant.get_vector().sum(),
    "get_value_strings": lambda used: used.constant.get_value_strings(),
    "intermediates": lambda used: used.compiled.intermediates([X]),
    "dump": lambda used: dump(used.compiled, [X]),
    "profile": lambda used: profile(used.compiled, [X], 1, 0),
    "compare": lambda used: compare(used.model, used.model.clone(), [X]),
    "graph": lambda used: run_facts(used.compiled, [X], 0),
}
SAFE: dict[str, Callable[[Used], object]] = {
    "clone": lambda used: used.model.clone(),
    "repr": lambda used: repr(used.model),
    "views": lambda used: views(used.model),
    "shape": lambda used: [str(port.partial_shape) for node in used.model.get_ordered_ops() for port in node.outputs],
    "get_byte_size": lambda used: used.constant.get_byte_size(),
    "table": lambda used: used.compiled._repr_html_(),
}
"""Entries that read no constants, which therefore go on."""


def change(weights: Path, how: str) -> None:
    """Change a weights file as another program would."""
    size = weights.stat().st_size
    if how == "cut":
        os.truncate(weights, 0)
    elif how == "grown":
        with weights.open("ab") as file:
            file.write(bytes(4096))
    elif how == "overwritten":
        with weights.open("r+b") as file:
            file.write(bytes(size))
        os.utime(weights, (1e9, 1e9))
    elif how == "replaced":
        beside = weights.with_name("beside")
        beside.write_bytes(bytes(size))
        beside.replace(weights)


def outcome(entry: Callable[[Used], object], used: Used) -> str:
    """Return what an entry does: `done`, or the error of ours that it raises; any other ends the process silently."""
    try:
        entry(used)
    except Error as fault:
        return f"error {fault}"
    return "done"


def main(path: Path, how: str) -> None:
    """Print the outcomes by entry as JSON."""
    used = Used(path)
    content = path.with_suffix(".bin").read_bytes()
    outcomes: dict[str, str] = {}
    for name, entry in (ENTRIES | SAFE).items():
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                change(path.with_suffix(".bin"), how)
                os.write(write, outcome(entry, used).encode()[:60000])
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            text = stream.read().decode()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        outcomes[name] = text if status == 0 else f"signal {-status}"
        restore(path.with_suffix(".bin"), content, how)
    sys.stdout.write(json.dumps(outcomes))


def restore(weights: Path, content: bytes, how: str) -> None:
    """Give the file its content and time again, in the same inode where it is still the mapped one."""
    if how != "replaced":
        weights.write_bytes(content)
    os.utime(weights, ns=(NOTED, NOTED))


NOTED = 11 * 10**17
"""The modification time of the weights when they are read."""

if __name__ == "__main__":
    os.utime(Path(sys.argv[1]).with_suffix(".bin"), ns=(NOTED, NOTED))
    main(Path(sys.argv[1]), sys.argv[2])
