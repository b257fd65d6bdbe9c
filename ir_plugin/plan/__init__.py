"""What is done once for a model: the order of its steps, folded constants, and when a value is needed last."""

from ir_plugin.plan.plan import Plan, Step, make_plan

__all__ = ["Plan", "Step", "make_plan"]
