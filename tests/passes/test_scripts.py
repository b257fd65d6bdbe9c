"""Scripts with passes print the same under openvino and under ir_plugin in its place."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("openvino")

_TEXT = Path(__file__).with_name("scripts.txt").read_text("utf-8")
SCRIPTS = dict(re.findall(r"^#### (.*)\n((?:(?!#### ).*\n)*)", _TEXT, re.MULTILINE))


def printed(source: str, name: str) -> str:
    """Return what a script prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), warnings.catch_warnings(), np.printoptions(precision=4, suppress=True):
        warnings.simplefilter("ignore")
        exec(compile(source, name, "exec"), {"__name__": "script"})
    return output.getvalue()


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_print_the_same(name: str) -> None:
    theirs = printed(SCRIPTS[name], name)
    assert theirs.strip()
    assert printed(re.sub(r"\bopenvino\b", "ir_plugin", SCRIPTS[name]), name) == theirs
