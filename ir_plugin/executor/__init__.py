"""Execution of plans, and of models layer by layer."""

from ir_plugin.executor.engine import Engine, Observer
from ir_plugin.executor.executable import State
from ir_plugin.executor.faults import CancelledError
from ir_plugin.executor.interpreter import Frame, Interpreter, LayerRun, outermost
from ir_plugin.executor.planned import Planned

__all__ = ["CancelledError", "Engine", "Frame", "Interpreter", "LayerRun", "Observer", "Planned", "State", "outermost"]
