"""A row in the table of elementwise functions is all that a function needs: every loop has it then."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ir_plugin.kernels.elementwise_functions import FUNCTIONS, Domain, ElementwiseFunction
from tests.support.skips import needs_numba

ROOT = Path(__file__).parents[2]
TABLE = Path("ir_plugin/kernels/elementwise_functions.py")
ROWS = """
    _Row(SoftSign, lambda x: np.divide(x, 1 + np.abs(x), out=x), "x / (f32(1) + abs(x))"),
    _binary(SquaredDifference, lambda x, y, out: np.square(np.subtract(x, y, out=out), out=out),
            "(x - y) * (x - y)", _ANY_NUMBERS, commutes=True),
"""
IMPORTS = """
from ir_plugin.operations.activation.unary import SoftSign
from ir_plugin.operations.arithmetic.binary import SquaredDifference
"""
IN_PLACE = """
import numpy as np
from ir_plugin.tensors import TensorInfo
from ir_plugin import Core, Model, opset13 as ops
from ir_plugin.kernels.numpy.elementwise import can_follow, unary
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, by_rows
from ir_plugin.operations.activation.unary import SoftSign
from ir_plugin.operations.arithmetic.binary import SquaredDifference

difference = SquaredDifference(auto_broadcast="numpy")
data = np.linspace(-3, 3, 60, dtype=np.float32).reshape(6, 10)
vector = np.arange(10, dtype=np.float32)
stages = [EpilogueStage(SoftSign()), EpilogueStage(difference, vector), EpilogueStage(difference, 0, True)]
first = data / (1 + np.abs(data))
expected = np.square(np.square(first - vector) - data)

def check(output, target=expected):
    np.testing.assert_allclose(output, target, rtol=2e-6, atol=1e-6)

def fused(provider):
    # Return the types of the ops of a model's plan, which computes the right numbers.
    x = ops.parameter([6, 10], np.float32)
    chain = ops.squared_difference(ops.softsign(x), ops.constant(vector[None]))
    plain = ops.squared_difference(x, ops.constant(np.float32(2)))
    model = Model([ops.result(chain), ops.result(plain)], [x])
    compiled = Core().compile_model(model, "CPU", {"PROVIDER": provider})
    outputs = compiled([data])
    check(outputs[0], np.square(first - vector))
    check(outputs[1], np.square(data - 2))
    engine = compiled.engine
    plan = engine.plan(engine.model, [TensorInfo(port.element_type, port.partial_shape) for port in compiled.inputs])
    return [step.op.type for step in plan.steps]
"""
NUMPY = """
assert can_follow(SoftSign(), 1, data.dtype) and can_follow(difference, 2, np.dtype(np.float64))
single = data.copy()
unary(SoftSign())(single)
check(single, first)
block = data.copy()
by_rows(stages, 10)(block, 0, [data])
check(block)
assert sorted(fused("numpy")) == ["SoftSign", "SquaredDifference"]
"""
NUMBA = """
from ir_plugin.kernels.numba.broadcast import broadcast
from ir_plugin.kernels.numba.epilogue import compiled_rows, encode_epilogue
from ir_plugin.kernels.numba.epilogue_chain import Chain
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.small_operations import small_operation

encoded, pool = encode_epilogue(stages, 10), SpinPool(1)
block = data.copy()
compiled_rows(stages, 10)(block, 0, [data])
check(block)
Chain(6, 10, encoded, pool)(data, block, [data])
check(block)
broadcast(difference, False, data, vector, block, pool)()
check(block, np.square(data - vector))
whole = np.empty(4, np.int64)
small_operation(difference, [np.arange(4), np.int64(6)[None]], whole, pool)()
assert whole.tolist() == [36, 25, 16, 9]
assert sorted(fused("numba")) == ["SoftSign", "SquaredDifference"]
"""


def extended(root: Path) -> Path:
    """Copy the package, and add two rows to its table and nothing else."""
    shutil.copytree(ROOT / "ir_plugin", root / "ir_plugin", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "schemas", root / "schemas")
    table = root / TABLE
    text = table.read_text("utf-8")
    opening = "FUNCTIONS: tuple[ElementwiseFunction, ...] = (\n"
    assert text.count(opening) == 1
    text = text.replace(opening, opening + ROWS[1:])
    table.write_text(text.replace("\n\n\nclass Domain", f"\n{IMPORTS}\n\nclass Domain", 1), "utf-8")
    return root


def run(root: Path, code: str) -> None:
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["NUMBA_CACHE_DIR"] = str(root / "compiled")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_new_row_reaches_every_loop_of_numpy(tmp_path: Path) -> None:
    run(extended(tmp_path), IN_PLACE + NUMPY)


@needs_numba
def test_a_new_row_reaches_every_compiled_loop(tmp_path: Path) -> None:
    run(extended(tmp_path), IN_PLACE + NUMBA)


def test_the_added_functions_are_not_in_the_table() -> None:
    assert {"SoftSign", "SquaredDifference"}.isdisjoint(row.definition.type for row in FUNCTIONS)


@pytest.mark.parametrize("row", [row for row in FUNCTIONS if row.scalar], ids=lambda row: row.definition.type)
def test_a_scalar_expression_names_its_operands_and_numbers(row: ElementwiseFunction) -> None:
    names = {node.id for node in ast.walk(ast.parse(row.scalar or "")) if isinstance(node, ast.Name)}
    assert {"x", *("y" for _ in range(row.operands - 1)), *row.names} <= names
    assert row.numpy is not None or not row.domain & Domain.FLOATS
