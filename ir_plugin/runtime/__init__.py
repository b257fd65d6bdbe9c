"""Executing plans."""

from ir_plugin.runtime.engine import Engine, Observer, State

__all__ = ["Engine", "Observer", "State"]
