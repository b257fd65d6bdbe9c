"""One step of a plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection import BoundOperation, Kernel
from ir_plugin.compiler.shapes.runtime_checks import is_trusted
from ir_plugin.model import Node
from ir_plugin.tensors import Array


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
    """What is evaluated where the step has no kernel, if it is not the op's operation as it is."""

    @property
    def variant(self) -> str:
        """The kernel variant that a profile shows; empty for a plain evaluation."""
        if self.kernel is not None:
            return self.kernel.variant or "kernel"
        return "" if self.bound is None else self.bound.variant

    @property
    def node(self) -> Node:
        """The layer that names the step."""
        return self.op.nodes[0]

    @property
    def view(self) -> Callable[[Array], tuple[Array, ...]] | None:
        """The function that returns the outputs as views of the only input, where nothing is to be computed."""
        return None if self.kernel is None else self.kernel.view

    @cached_property
    def needs_inference(self) -> bool:
        """Whether what an evaluation would do has to be inferred from the values before."""
        operation, inputs = self.op.operation, self.op.inputs
        unknown = any(value is not None and value.shape is None for value in inputs)
        misses = self.op.misses_values or unknown or (self.op.is_dynamic and bool(operation.subgraphs))
        return misses and not is_trusted(self.op)

    @property
    def writes(self) -> bool:
        """Whether the step fills memory that was planned for it."""
        return self.kernel is not None and self.kernel.view is None and self.kernel.make_open is None
