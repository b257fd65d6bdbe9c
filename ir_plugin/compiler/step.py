"""One step of a plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection import BoundOperation, Kernel, StaticKernel
from ir_plugin.compiler.shapes.trusted_ops import is_trusted
from ir_plugin.model import Node


@dataclass(eq=False)
class Step:
    """One op with the slots of its inputs and outputs, and the kernel that executes it, if it has one."""

    op: Op
    inputs: list[int]
    outputs: list[int]
    kernel: Kernel | None
    released: list[int] = field(default_factory=list)
    """Slots whose arrays are not needed any more."""
    bound: BoundOperation | None = None
    """The bound operation that a step without a kernel evaluates; None for the op's own operation."""

    @property
    def variant(self) -> str:
        """The kernel variant that a profile shows; empty for a plain evaluation."""
        if self.kernel is not None:
            return self.kernel.variant
        return "" if self.bound is None else self.bound.variant

    @property
    def node(self) -> Node:
        """The layer that names the step."""
        return self.op.nodes[0]

    @cached_property
    def needs_inference(self) -> bool:
        """Whether what an evaluation would do has to be inferred from the values before."""
        operation, inputs = self.op.operation, self.op.inputs
        unknown = any(value is not None and value.shape is None for value in inputs)
        misses = self.op.misses_values or unknown or (self.op.is_dynamic and bool(operation.subgraphs))
        return misses and not is_trusted(self.op)

    @property
    def static_kernel(self) -> StaticKernel | None:
        """The kernel, if it fills memory that is planned for it."""
        return self.kernel if isinstance(self.kernel, StaticKernel) else None

    @property
    def writes(self) -> bool:
        """Whether the step fills memory that is planned for it."""
        return self.static_kernel is not None
