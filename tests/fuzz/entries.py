"""Every public entry that takes a file, fed with one; nothing but our errors may leave it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ir_plugin import Core, Error
from ir_plugin.diagnostics.render import FORMATS, render
from ir_plugin.tensors import ElementType

LIMITS = {"MEMORY_LIMIT": 1 << 24, "TRIP_LIMIT": 1000}
SECONDS = 20
"""Of this process, so that a busy machine is no fault."""
LARGEST = 1 << 16


@contextmanager
def ours_only() -> Iterator[None]:
    """Let our errors pass, which must say something."""
    try:
        yield
    except Error as fault:
        if not str(fault):
            raise AssertionError("an error without a message") from fault


def feed(xml: bytes, weights: bytes | None) -> str:
    """Validate, read, compile and run; return how far it got."""
    begin = time.process_time()
    core = Core()
    report = core.validate(xml, weights)
    for format in FORMATS:
        render(report.findings, format)
    reached = "validated"
    for validate in (True, False):
        with ours_only():
            model = core.read_model(xml, weights, validate=validate)
            reached = "read"
            compiled = core.compile_model(model, "NUMPY", LIMITS)
            reached = "compiled"
            values = [_value(port) for port in model.inputs]
            if all(value is not None for value in values):
                compiled(values)
                reached = "run"
    if time.process_time() - begin > SECONDS:
        raise AssertionError(f"more than {SECONDS} s")
    return reached


def _value(port: Any) -> Any:
    shape = port.partial_shape
    if shape.dims is None:
        return None
    lengths = [dim.lower if dim.lower or not dim.is_dynamic else 2 for dim in shape]
    if int(np.prod([max(length, 1) for length in lengths], dtype=object)) > LARGEST:
        return None
    type = port.element_type
    if type is ElementType.string:
        return np.full(lengths, "a", object)
    return np.ones(lengths, np.float32 if type.is_dynamic else type.dtype)
