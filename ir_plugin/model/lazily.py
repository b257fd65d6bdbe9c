"""Modules of the layers above that methods of nodes call, imported at the call."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def builders() -> Any:
    """Return the module whose functions build nodes and infer their outputs."""
    return import_module("ir_plugin.opsets.updating")


def evaluation() -> Any:
    """Return the module whose functions run single nodes."""
    return import_module("ir_plugin.api.evaluation")


def public_model() -> Any:
    """Return the class of models that users see."""
    return import_module("ir_plugin.api.model").Model
