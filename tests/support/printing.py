"""What scripts that run with OpenVINO and with ir_plugin print."""

from __future__ import annotations

import sys
from typing import Any


def show(*values: Any) -> None:
    sys.stdout.write(" ".join(map(str, values)) + "\n")


def refused(call: Any, *arguments: Any, **named: Any) -> None:
    """Print that a call is refused with a RuntimeError, as both libraries do."""
    try:
        call(*arguments, **named)
    except RuntimeError:
        show("refused")
    else:
        show("accepted")
