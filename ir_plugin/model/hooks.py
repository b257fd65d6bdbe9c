"""Modules of upper layers that lower ones call; the package says how each is imported when it is needed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Hooks:
    """Functions that import modules above `model`, for methods of nodes and properties."""

    api: Callable[[], Any]
    """Imports the module with the public classes of models and tensors."""
    builders: Callable[[], Any]
    """Imports the module whose functions build nodes and infer their outputs."""
    evaluation: Callable[[], Any]
    """Imports the module whose functions run single nodes."""
    operators: Callable[[], Any]
    """Imports the module whose functions build the nodes of `a + b` and other operators."""


HOOKS = Hooks(**vars(sys.modules["ir_plugin"])["UPPER_LAYERS"])
"""The hooks of this package."""
