"""No pass expands compressed weights that it only looks at; NumPy's products of few rows do not either."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.kernels import policy
from ir_plugin.operations.base import Operation, compute
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor

WIDTH, GROUP = 256, 64
RNG = np.random.default_rng(0)


def integers(element_type: ov.Type, shape: list[int]) -> ov.Node:
    """Return a constant of random bytes."""
    size = int(np.prod(shape)) * element_type.bitwidth // 8
    return ops.constant(ov.Tensor(RNG.integers(0, 255, size).astype(np.uint8), ov.Shape(shape), element_type))


def decompressed(element_type: ov.Type, has_zero_point: bool, half: bool, grouped: bool) -> ov.Node:
    """Return the chain of layers that decompresses a square matrix, as NNCF writes it."""
    shape = [WIDTH, WIDTH // GROUP, GROUP] if grouped else [WIDTH, WIDTH]
    few = [*shape[:-1], 1]
    floats = np.float16 if half else np.float32
    numbers = ops.convert(integers(element_type, shape), floats)
    if has_zero_point:
        numbers = ops.subtract(numbers, ops.convert(integers(element_type, few), floats))
    numbers = ops.multiply(numbers, ops.constant(RNG.random(few).astype(floats)))
    if grouped:
        numbers = ops.reshape(numbers, ops.constant(np.array([WIDTH, WIDTH])), False)
    return ops.convert(numbers, np.float32) if half else numbers


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the bytes of each value that a pass computes; 0 for a Const layer, which is a view of the file."""
    sizes: list[int] = []

    def counted(operation: Operation, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        arrays = compute(operation, inputs)
        sizes.append(sum(array.nbytes for array in arrays if operation.type != "Const"))
        return arrays

    monkeypatch.setattr("ir_plugin.compiler.folding.compute", counted)
    return sizes


@pytest.mark.parametrize("rows", [-1, 3])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("has_zero_point", [False, True])
@pytest.mark.parametrize("type", ["u4", "i4", "u8", "i8"])
def test_passes_compute_scales_only(
    type: str, has_zero_point: bool, half: bool, grouped: bool, rows: int, computed: list[int], tmp_path: Path
) -> None:
    x = ops.parameter([1, rows, WIDTH], np.float32, name="x")
    weights = decompressed(getattr(ov.Type, type), has_zero_point, half, grouped)
    model = ov.Model([ops.matmul(x, weights, False, True)], [x], "m")
    ov.save_model(model, tmp_path / "model.xml", compress_to_fp16=False)
    compiled = Core().compile_model(tmp_path / "model.xml", "CPU")
    for count in (3, 3):
        compiled([np.ones((1, count, WIDTH), np.float32)])
    assert computed
    assert max(computed) < WIDTH * WIDTH


@pytest.mark.parametrize("is_open", [False, True])
def test_numpy_multiplies_few_rows_by_codes(is_open: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    expanded: list[int] = []
    expand = CompressedTensor.expand

    def counted(tensor: CompressedTensor, first: int, last: int, output: Array) -> None:
        expanded.append(output.size)
        expand(tensor, first, last, output)

    monkeypatch.setattr(CompressedTensor, "expand", counted)
    for rows in (3, policy.GROUPED_CODES_MAX_ROWS + 1):
        x = ops.parameter([1, -1 if is_open else rows, WIDTH], np.float32, name="x")
        weights = [decompressed(ov.Type.u4, True, True, True) for _ in range(2)]
        model = ov.Model([ops.matmul(ops.matmul(x, weights[0], False, True), weights[1], False, True)], [x], "m")
        ov.save_model(model, tmp_path / f"{rows}.xml", compress_to_fp16=False)
        compiled = Core().compile_model(tmp_path / f"{rows}.xml", "CPU", {"PROVIDER": "numpy"})
        data = np.ones((1, rows, WIDTH), np.float32)
        expanded.clear()
        result = [compiled([data])[0] for _ in range(3)][-1]
        assert sum(expanded) == (0 if rows == 3 else 3 * 2 * WIDTH * WIDTH)
        plain = Core().compile_model(tmp_path / f"{rows}.xml", "CPU", {"OPTIMIZE": False})([data])[0]
        np.testing.assert_allclose(result, plain, rtol=2e-3, atol=2e-3 * np.abs(plain).max())
