"""What is done once for a model: passes over its graph, prepared kernels, and memory."""

from ir_plugin.compiler.plan import PASSES, Plan, Step, make_plan

__all__ = ["PASSES", "Plan", "Step", "make_plan"]
