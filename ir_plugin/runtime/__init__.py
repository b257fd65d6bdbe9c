"""Executing plans."""

from ir_plugin.runtime.bound import State
from ir_plugin.runtime.engine import Engine, Observer

__all__ = ["Engine", "Observer", "State"]
