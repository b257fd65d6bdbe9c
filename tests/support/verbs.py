"""Verbs of the command line that are called in this process, which spares the start of one of their own."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from subprocess import CompletedProcess
from unittest.mock import patch

from ir_plugin.cli.app import run


def call(*arguments: object) -> CompletedProcess[str]:
    """Return the status and the texts of a verb, as a process would give them to pipes."""
    words = ["ir-plugin", *map(str, arguments)]
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    environ = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    status = 0
    with (
        patch.object(sys, "argv", words),
        patch.dict(os.environ, environ, clear=True),
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
    ):
        try:
            run()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else bool(end.code)
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8") if isinstance(stream.buffer, io.BytesIO) else "")
    return CompletedProcess(words, status, *texts)
