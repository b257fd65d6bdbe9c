"""Execution of plans, and of models layer by layer."""

from ir_plugin.runtime.engine import Engine, Observer
from ir_plugin.runtime.executable import State
from ir_plugin.runtime.faults import CancelledError
from ir_plugin.runtime.interpreter import Frame, Interpreter, LayerRun, outermost
from ir_plugin.runtime.planned import Planned

__all__ = ["CancelledError", "Engine", "Frame", "Interpreter", "LayerRun", "Observer", "Planned", "State", "outermost"]
