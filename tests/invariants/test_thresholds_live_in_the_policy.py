"""Invariant 6: constants that choose a kernel live in one policy module, each with the command that measures it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.thresholds import CASES
from ir_plugin.kernels import policy

ROOT = Path(__file__).parents[2] / "ir_plugin"
POLICY = ROOT / "kernels" / "policy.py"
FOLDERS = ("compiler", "kernels", "executor")
THRESHOLD = re.compile(
    r"(^|_)(FEW|MANY|SMALL|LARGE|TINY|SHORT|LONG|WORTH|MIN|MAX|MOST|LEAST|CROWDED|WORK|DENSE|KEPT|KEY|ROUNDS|ONCE)(_|$)"
    r"|^(?!BLOCK_|STAGE_|COLUMN_).*_BYTES$"
)
"""Names of thresholds. Those of blocks that fit into a cache, and of the like, are sizes."""
SIZES = {
    "compiler/graph_text.py": {"_SMALL"},  # what is printed
    "compiler/passes/constant_folding.py": {"FOLDED_BYTES", "SMALL_BYTES"},  # limits on memory
    "compiler/passes/low_precision.py": {"MAX_DEPTH"},  # exact sums
    "compiler/selection/kernel.py": {"COPIED_BYTES", "_SMALL"},  # limits on memory, not on time
    "compiler/sharing.py": {"_HASHED_BYTES"},  # what a hash reads
    "compiler/shapes/specializer.py": {"MAX_PATTERNS"},  # a cache of judgements, not kernels
    "kernels/numba/gemm/tile_micro_kernel.py": {"TILE_BYTES"},  # a tile of AMX
    "kernels/numba/means.py": {"ROWS_AT_ONCE"},  # compiled into its loop
    "kernels/numba/non_max_suppression.py": {"FEW_SCORES"},  # compiled into a sort
    "kernels/numba/runtime/kernel_cache.py": {"_CHECKSUM_BYTES", "_MOST_FOLDERS"},
    "kernels/numba/runtime/tickets.py": {"MOST_PARTS"},
    "kernels/numba/windows.py": {"REGISTER_BYTES"},  # a register
    "kernels/numpy/transposed_convolution.py": {"DEPTHWISE_BYTES"},  # a block that fits into a cache
    "kernels/numpy/winograd.py": {"_TRANSFORMED_AT_ONCE"},  # a limit on memory
    "executor/buffer_pool.py": {"LARGE_BYTES"},  # memory that is given back
    "executor/engine.py": {"MAX_PLANS"},  # caches of plans
    "executor/executable.py": {"MAX_INSTANCES", "MAX_KEYS"},  # caches of plans and memory
    "executor/interpreter.py": {"MAX_INFERRED"},  # a cache of operations
    "executor/fixed_memory.py": {"SMALL_BYTES"},  # what a step copies
}
"""Constants with such names that choose no kernel."""


def is_number(node: ast.expr | None) -> bool:
    """Return whether an expression is a number, arithmetic of numbers, or a table of such."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)] if node is not None else []
    known = isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Dict, ast.Tuple, ast.List))
    return known and bool(parts) and all(map(is_number, parts))


def constants(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of each number, or table of numbers, that a module assigns at any level."""
    bodies = [getattr(node, "body", None) for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    for body in (body for body in bodies if isinstance(body, list)):
        for node, behind in zip(body, [*body[1:], None], strict=True):
            if not isinstance(node, (ast.Assign, ast.AnnAssign)) or not is_number(node.value):
                continue
            text = ast.unparse(behind) if isinstance(behind, ast.Expr) else ""
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from ((name.id, text) for name in ast.walk(target) if isinstance(name, ast.Name))


def test_no_threshold_lives_elsewhere() -> None:
    thresholds = {}
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        module = path.relative_to(ROOT).as_posix()
        names = {name for name, _ in constants(path) if THRESHOLD.search(name)} - SIZES.get(module, set())
        if names and path != POLICY:
            thresholds[module] = names
    assert thresholds == {}


def is_measured(name: str, text: str) -> bool:
    """Return whether a constant's docstring names a command, and its case measures the constant."""
    command = re.search(r"`python -m benchmarks\.thresholds (\w+)`", text)
    cases = CASES[command.group(1)] if command is not None else ()
    by_configuration = (any(case.winograd for case in cases) and "JOB" in name) or name.startswith("WINOGRAD")
    return bool(cases) and (by_configuration or any(name in case.constants for case in cases))


def test_each_names_the_command_that_measures_it() -> None:
    assert {name for name, text in constants(POLICY) if not is_measured(name, text)} == set()


def test_a_name_says_kernel_and_quantity() -> None:
    names = [name for name, _ in constants(POLICY)]
    assert len(names) == len(set(names)) > 40
    assert [name for name in names if name.count("_") < 2 or not hasattr(policy, name)] == []
