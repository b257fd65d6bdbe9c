"""Selects a kernel of static shapes for each combination of shapes that the runs of an op bring, and keeps it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from ir_plugin.compiler.graph import EpilogueOp, Op, Value
from ir_plugin.compiler.selection.kernel import (
    Allocate,
    Execute,
    FallbackRequired,
    Kernel,
    OpenExecute,
    OpenKernel,
    Options,
    StaticKernel,
    as_channels_last,
    as_channels_second,
)
from ir_plugin.compiler.selection.open_convolution import ForData, open_convolution
from ir_plugin.compiler.selection.open_shapes import known_outputs
from ir_plugin.compiler.selection.open_transposed import open_transposed_convolution
from ir_plugin.compiler.shapes.symbolic import rank_of
from ir_plugin.kernels import policy
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.base import compute, trait_of
from ir_plugin.operations.convolution.family import CONVOLUTIONS
from ir_plugin.operations.normalization.group_normalization import GroupNormalization
from ir_plugin.operations.traits import DataInputs
from ir_plugin.tensors import Array, TensorInfo

Select: TypeAlias = "Callable[[Op, Options], Kernel | None]"

_LARGE = (Softmax,)
"""Operations that NumPy evaluates as fast where the data is small."""


def select_by_shape(op: Op, options: Options, select: Select) -> Kernel | None:
    """Return a kernel that makes one of static shapes, by `select`, for each combination of shapes that it meets."""
    data_inputs = trait_of(op.operation, DataInputs)
    if data_inputs is None or any(value.users or value.is_result for value in op.outputs[1:]):
        return None
    count, values = data_inputs.count, [value for value in op.inputs if value is not None]
    if len(values) != len(op.inputs) or any(not rank_of(value) for value in values[:count]):
        return None
    if op.is_a(*CONVOLUTIONS) and values[1].constant is None:
        return None
    operands = [item.operand for item in op.epilogue if item.operand is not None and item.operand.constant is None]
    is_spinning = op.is_a(*CONVOLUTIONS, GroupNormalization) and options.has_spin_pool

    def make_open(pool: ThreadPool) -> OpenExecute:
        prepared = open_convolution(op, options, pool) or open_transposed_convolution(op, options, pool)
        return _ByShape(op, [*values, *operands], count, (select, options), prepared, pool)

    return OpenKernel([*values, *operands], make_open, variant="by shape", uses_spin_pool=is_spinning)


@dataclass
class _Specialized:
    """A kernel of static shapes: what it reads, inputs by position and constants; and the shape of its output."""

    execute: Execute
    reads: list[int | Array]
    shape: tuple[int, ...]
    channels_last: bool
    is_resized: bool = False
    """Whether it serves only until the op meets another shape."""


class _ByShape:
    """Executes an op whose shapes differ from run to run."""

    def __init__(
        self,
        op: Op,
        values: list[Value],
        count: int,
        selection: tuple[Select, Options],
        prepared: ForData | None,
        pool: ThreadPool,
    ) -> None:
        self._op, self._values, self._prepared, self._pool = op, values, prepared, pool
        self._select, self._options = selection
        data = set(op.inputs[:count])
        data |= {item.operand for item in op.epilogue}
        self._variable = [(position, value in data) for position, value in enumerate(values) if value.constant is None]
        self._kernels: OrderedDict[Hashable, _Specialized | None] = OrderedDict()
        self._elements = 0
        self._last: tuple[Hashable, _Specialized | None] = (None, None)

    def __call__(self, inputs: Sequence[Array], allocate: Allocate) -> Array:
        """Return the output; raises `FallbackRequired` where shapes have no kernel."""
        kernel = self._kernel(inputs, allocate)
        if kernel is None:
            if self._op.epilogue:
                return self._evaluated(inputs)
            raise FallbackRequired
        if kernel.channels_last:
            output = as_channels_second(allocate((kernel.shape[0], *kernel.shape[2:], kernel.shape[1])))
        else:
            output = allocate(kernel.shape)
        kernel.execute([inputs[item] if isinstance(item, int) else item for item in kernel.reads], [output])
        return output

    def _kernel(self, inputs: Sequence[Array], allocate: Allocate) -> _Specialized | None:
        """Return the kernel for inputs of such shapes, which is selected when they first occur."""
        key = self._key(inputs)
        if key is None or (self._op.is_a(*_LARGE) and inputs[0].size <= policy.ELEMENTWISE_WHOLE_MAX_ELEMENTS):
            return None
        if key == self._last[0]:
            return self._last[1]
        self._last = (None, None)
        if key in self._kernels:
            self._kernels.move_to_end(key)
            kernel = self._kernels[key]
        else:
            kernel = self._of_data(inputs, allocate) or self._specialized(inputs, allocate)
            if kernel is None or not kernel.is_resized:
                self._kernels[key] = kernel
                self._drop_oldest()
        self._last = (key, kernel)
        return kernel

    def _drop_oldest(self) -> None:
        """Drop the kernels used least recently, of which one that is large leaves none but itself."""
        self._elements += _elements(next(reversed(self._kernels.values())))
        most = policy.OPEN_SHAPES_KEPT_MAX_KERNELS
        while len(self._kernels) > (1 if self._elements > policy.OPEN_SHAPES_KEPT_MAX_ELEMENTS else most):
            self._elements -= _elements(self._kernels.popitem(last=False)[1])

    def _key(self, inputs: Sequence[Array]) -> Hashable:
        """Return the shapes of the data and the values of other inputs; None where those are many."""
        key: list[Hashable] = []
        for position, is_data in self._variable:
            array = inputs[position]
            if not is_data and array.size > policy.OPEN_SHAPES_KEY_MAX_ELEMENTS:
                return None
            key.append((array.shape, is_channels_last(array) if is_data else array.tobytes()))
        return tuple(key)

    def _of_data(self, inputs: Sequence[Array], allocate: Allocate) -> _Specialized | None:
        """Return the kernel for data of a shape, of an op that is prepared for any shape."""
        selected = None if self._prepared is None else self._prepared(inputs[0].shape, allocate)
        operands = range(len(self._op.inputs), len(inputs))
        if selected is None or any(inputs[position].shape != selected.shape for position in operands):
            return None
        return _Specialized(selected.execute, [0, *operands], selected.shape, True, selected.is_resized)

    def _specialized(self, inputs: Sequence[Array], allocate: Allocate) -> _Specialized | None:
        """Return the kernel of an op whose values have the shapes of arrays."""
        static: dict[Value, Value] = {}
        for position, is_data in self._variable:
            value, array = self._values[position], inputs[position]
            static[value] = Value(
                value.element_type, array.shape, None if is_data else array.copy(),
                channels_last=is_channels_last(array), strides=array.strides,
            )  # fmt: skip
        op = self._static_op(static)
        shape = op.outputs[0].shape or ()
        allocate(shape)
        fits = all(item.operand is None or _broadcasts(item.operand.shape or (), shape) for item in op.epilogue)
        kernel = self._select(op, self._options) if fits and 0 not in shape else None
        if not isinstance(kernel, StaticKernel):
            return None
        op.outputs[0].channels_last = kernel.channels_last
        positions = {static.get(value, value): number for number, value in enumerate(self._values)}
        reads = [positions[value] if value.constant is None else value.constant for value in kernel.inputs]
        return _Specialized(kernel.make(self._pool), reads, op.outputs[0].shape or (), kernel.channels_last)

    def _evaluated(self, inputs: Sequence[Array]) -> Array:
        """Evaluate the op, then each operation of its epilogue, without a kernel."""
        arrays = dict(zip(self._values, inputs, strict=True))

        def array_of(value: Value | None) -> Array | None:
            return None if value is None else arrays.get(value, value.constant)

        (output, *_) = compute(self._op.operation, [array_of(value) for value in self._op.inputs])
        for item in self._op.epilogue:
            operands = [output] if item.operand is None else [output, array_of(item.operand)]
            (output,) = compute(item.operation, operands[::-1] if item.operand_first else operands)
        return output

    def _static_op(self, static: dict[Value, Value]) -> Op:
        """Return the op on static values, with inferred outputs."""
        inputs = [None if value is None else static.get(value, value) for value in self._op.inputs]
        outputs = known_outputs(self._op, inputs)
        if outputs is None:
            inferred = self._op.operation.infer(*[None if value is None else _info(value) for value in inputs])
            infos = inferred if isinstance(inferred, tuple) else (inferred,)
            outputs = [Value(info.element_type, info.shape.lengths()) for info in infos]
        epilogue = [
            EpilogueOp(
                item.operation,
                None if item.operand is None else static.get(item.operand, item.operand),
                item.operand_first,
            )
            for item in self._op.epilogue
        ]
        return Op(self._op.operation, inputs, outputs, self._op.nodes, epilogue)


def _broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Return whether arrays of a shape broadcast to another, and do not enlarge it."""
    pairs = zip(shape[::-1], target[::-1], strict=False)
    return len(shape) <= len(target) and all(length in (1, most) for length, most in pairs)


def _elements(kernel: _Specialized | None) -> int:
    return 0 if kernel is None else prod(kernel.shape)


def _info(value: Value) -> TensorInfo:
    if value.constant is not None:
        return TensorInfo.of(value.constant, value.element_type)
    return TensorInfo(value.element_type, value.shape)


def is_channels_last(array: Array) -> bool:
    """Return whether the memory of an array of three or more dimensions has the second one last."""
    return array.ndim > 2 and not array.flags.c_contiguous and bool(as_channels_last(array).flags.c_contiguous)
