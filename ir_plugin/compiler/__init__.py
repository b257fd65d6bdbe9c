"""From a model and concrete shapes to an executable plan: passes, kernel selection, memory."""

from ir_plugin.compiler.passes import PASSES
from ir_plugin.compiler.plan import Plan, Step, make_plan

__all__ = ["PASSES", "Plan", "Step", "make_plan"]
