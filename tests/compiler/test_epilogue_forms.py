"""Every form in which epilogues are applied gives what the operations give one after the other, for special numbers.

The forms are NumPy's functions in place, numba's chain by threads and as a job, the start and the limits of a product's
tiles, the lines of a depthwise convolution, and the rows of a quantized chain.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from ir_plugin.kernels.numpy.convolution import Geometry
from ir_plugin.kernels.numpy.elementwise import can_follow, unary
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, by_rows
from ir_plugin.kernels.numpy.quantization import QuantizedEpilogue
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.unary import Relu
from ir_plugin.operations.arithmetic.binary import Maximum, Minimum
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.arithmetic.unary import Square
from ir_plugin.operations.base import Operation
from ir_plugin.operations.elementwise import Binary
from ir_plugin.operations.quantization.levels import QuantizeDequantize
from ir_plugin.operations.registry import built_in
from ir_plugin.tensors import Array
from tests.support.skips import COMPILED

pytest.importorskip("numba", reason=COMPILED)

from ir_plugin.kernels.numba import direct_convolution
from ir_plugin.kernels.numba.depthwise import Depthwise
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, compiled_rows, encode_epilogue
from ir_plugin.kernels.numba.epilogue_chain import Chain
from ir_plugin.kernels.numba.quantized_rows import QuantizedChain
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SPECIAL = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1.2e-38, 3e38, -3e38, 1, -1, 0.5, -2.5, 7, -90, 90, 0.7],
    np.float32,
)
ROWS, WIDTH = len(SPECIAL), len(SPECIAL) + 3
DATA = np.repeat(SPECIAL[:, None], WIDTH, axis=1)
COLUMNS = np.resize(SPECIAL[::-1], WIDTH)
FINITE = np.where(np.isfinite(COLUMNS) & (np.abs(COLUMNS) > 1e-30), COLUMNS, np.float32(1.5))
OPERAND = np.ascontiguousarray(np.resize(COLUMNS, (WIDTH, ROWS)).T)
TINY = 4e-38
"""Denormals may count as zero, and a result below the smallest normal number may be one or none."""

ATTRIBUTES: dict[str, list[dict[str, object]]] = {
    "Clamp": [{"min": -1.5, "max": 2.0}],
    "Elu": [{"alpha": 0.7}],
    "Gelu": [{"approximation_mode": "erf"}, {"approximation_mode": "tanh"}],
}
NOT_ENCODED = {"Cos", "Elu 0.7", "Log", "Sin"}
"""Operations that only NumPy's form applies."""


def _operations(inputs: int) -> dict[str, Operation]:
    """Return the operations that an epilogue may have, of one or two operands."""
    operations: dict[str, Operation] = {}
    for definition in built_in().values():
        for attributes in ATTRIBUTES.get(definition.type, [{}]):
            broadcast = {"auto_broadcast": "numpy"} if issubclass(definition.cls, Binary) else {}
            operation = definition.cls(**attributes, **broadcast)
            if can_follow(operation, inputs, np.dtype(np.float32)):
                operations[" ".join([definition.type, *map(str, attributes.values())])] = operation
    if inputs == 1:
        operations["QuantizeDequantize"] = QuantizeDequantize(
            inverse=2.0, shift=3.0, low=0.0, high=15.0, scale=0.5, offset=-1.5
        )
        operations["Square"] = Square()
    return operations


UNARY, BINARY = _operations(1), _operations(2)
CONSTANTS = {"columns": COLUMNS, "finite": FINITE, "scalar": np.array(2.5, np.float32)}
STAGES: dict[str, EpilogueStage] = {
    **{name: EpilogueStage(operation) for name, operation in UNARY.items()},
    **{
        f"{name} {kind}{' first' * first}": EpilogueStage(operation, operand, first)
        for (name, operation), (kind, operand), first in itertools.product(
            BINARY.items(), [*CONSTANTS.items(), ("rows", 0)], (False, True)
        )
        if name != "PRelu" or not first
    },
}

Form = Callable[[Sequence[EpilogueStage], EncodedEpilogue], Array]
"""Returns the data with stages, which it may also take encoded, applied to it."""


def _by_rows(rows: Callable[..., object]) -> Form:
    def apply(stages: Sequence[EpilogueStage], _encoded: EncodedEpilogue) -> Array:
        block: Array = DATA.copy()
        function = rows(stages, WIDTH)
        assert callable(function)
        function(block, 0, [OPERAND])
        return block

    return apply


def _chain(_stages: Sequence[EpilogueStage], encoded: EncodedEpilogue) -> Array:
    output = np.empty_like(DATA)
    Chain(ROWS, WIDTH, encoded, SpinPool(1))(DATA.copy(), output, [OPERAND])
    return output


def _product(_stages: Sequence[EpilogueStage], encoded: EncodedEpilogue) -> Array:
    output = np.empty_like(DATA)
    run = direct_convolution.product(ROWS, np.ones((1, WIDTH), np.float32), encoded)(SpinPool(1))
    run(np.ascontiguousarray(DATA[:, :1]), output, [OPERAND])
    return output


def _depthwise(_stages: Sequence[EpilogueStage], encoded: EncodedEpilogue) -> Array:
    output = np.empty((1, ROWS, 1, WIDTH), np.float32)
    sizes = Geometry((1, ROWS, 1, WIDTH), (1, 1), (1, 1), (1, 1), (0, 0), (0, 0), (ROWS, 1), WIDTH, WIDTH)
    weights = np.ones((1, 1, WIDTH), np.float32)
    Depthwise(sizes, weights, encoded, SpinPool(1))(DATA.reshape(output.shape).copy(), output, [OPERAND])
    return output.reshape(DATA.shape)


def _quantized(stages: Sequence[EpilogueStage], encoded: EncodedEpilogue) -> Array:
    output = np.empty_like(DATA)
    QuantizedChain(DATA.shape, None, QuantizedEpilogue(stages), encoded, SpinPool(1))(DATA.copy(), output, [OPERAND])
    return output


FORMS: dict[str, Form] = {
    "NumPy": _by_rows(by_rows), "threads": _by_rows(compiled_rows), "chain": _chain, "product": _product,
    "depthwise": _depthwise, "quantized": _quantized,
}  # fmt: skip
SUMS = ("product", "depthwise")
"""Forms whose data is a sum, which has no negative zero."""


def _plain(stages: Sequence[EpilogueStage], data: Array) -> Array:
    """Return what the operations give one after the other."""
    for stage in stages:
        operand = OPERAND if isinstance(stage.operand, int) else stage.operand
        operands = [data] if operand is None else [operand, data] if stage.operand_first else [data, operand]
        data = np.asarray(stage.operation.evaluate(*operands))
    return data


def _results(stages: Sequence[EpilogueStage]) -> Iterator[tuple[str, Array]]:
    """Yield the name of each form that has all stages, and its result."""
    encoded = encode_epilogue(stages, WIDTH)
    for name, form in FORMS.items():
        if encoded is not None or name in ("NumPy", "threads"):
            yield name, form(stages, encoded or EncodedEpilogue(np.zeros(0), np.zeros((0, 1)), None))


def _first(differs: Array, actual: Array, expected: Array) -> str:
    index = tuple(np.argwhere(differs)[0])
    return f"{DATA[index]:g} gives {actual[index]:g}, not {expected[index]:g}"


def _differences(stages: Sequence[EpilogueStage]) -> dict[str, str]:
    """Return the first difference of each form from the operations one after the other."""
    differences = {}
    has_either_zero = any(stage.operation.is_a(Maximum, Minimum) for stage in stages)
    expected = _plain(stages, DATA).astype(np.float64)
    for name, actual in _results(stages):
        same = (np.isnan(actual) & np.isnan(expected)) | (actual == expected)
        same |= np.abs(actual - expected) <= 2e-5 * np.abs(expected) + TINY
        same &= (np.signbit(actual) == np.signbit(expected)) | np.isnan(expected) | ((expected == 0) & has_either_zero)
        if name in SUMS:
            same |= ((DATA == 0) | (COLUMNS == 0)) & (np.abs(actual) == np.abs(expected))
        if not same.all():
            differences[name] = _first(~same, actual, expected)
    return differences


@pytest.mark.parametrize("name", STAGES)
def test_a_stage(name: str) -> None:
    assert _differences([STAGES[name]]) == {}


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_behind_bias_and_limits(name: str) -> None:
    bias = EpilogueStage(BINARY["Add"], COLUMNS)
    for limits in (Relu(), Clamp(min=-1.5, max=2.0)):
        assert _differences([bias, EpilogueStage(limits), STAGES[name]]) == {}


EXACT: dict[str, Callable[[Array, Array], Array]] = {
    "Add": np.add, "Subtract": np.subtract, "Multiply": np.multiply, "Divide": np.divide,
}  # fmt: skip


@pytest.mark.parametrize("types", list(itertools.product(EXACT, repeat=3)))
def test_constants_that_are_merged(types: Sequence[str]) -> None:
    """Rounding differs by as much as the largest numbers on the way account for."""
    for operands in itertools.product([FINITE, np.array(1e-30, np.float32), np.array(1e30, np.float32)], repeat=3):
        stages = [EpilogueStage(BINARY[type], operand) for type, operand in zip(types, operands, strict=True)]
        exact, size = DATA.astype(np.float64), np.abs(DATA.astype(np.float64)) + TINY / 2e-5
        for type, operand in zip(types, operands, strict=True):
            exact = EXACT[type](exact, operand.astype(np.float64))
            size = EXACT[type.replace("Subtract", "Add")](size, np.abs(operand.astype(np.float64)))
        plain = _plain(stages, DATA)
        for name, actual in _results(stages):
            same = (np.isnan(actual) & np.isnan(plain)) | (actual == plain) | (np.abs(actual - exact) <= 2e-5 * size)
            same |= np.isinf(actual) & (2e-5 * size > np.finfo(np.float32).max)
            assert same.all(), (name, operands, _first(~same, actual, plain))


def test_what_is_not_encoded_is_listed() -> None:
    plain = {name for name, operation in UNARY.items() if encode_epilogue([EpilogueStage(operation)], WIDTH) is None}
    assert plain == NOT_ENCODED
    assert all(unary(operation) is not None for operation in UNARY.values())


@pytest.mark.parametrize("divisor", [np.float32(0.1), np.linspace(0.03, 7, WIDTH, dtype=np.float32)])
def test_quotients_by_constants_are_numpys(divisor: Array) -> None:
    """A product with an inverse rounds twice, which moves a tie that a quantized operation rounds by a level."""
    numbers = np.random.default_rng(0).normal(size=(4 * ROWS, WIDTH)).astype(np.float32)
    block = numbers.copy()
    rows = compiled_rows([EpilogueStage(Divide(auto_broadcast="numpy"), divisor)], WIDTH)
    assert rows is not None
    rows(block, 0, ())
    np.testing.assert_array_equal(block, numbers / divisor)
