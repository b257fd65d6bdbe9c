"""Pages of mapped files leave the memory once their arrays are copied."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.compiler import weight_cache
from ir_plugin.reader.weights import open_weights
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.mapped import release_pages

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(mmap, "MADV_DONTNEED"), reason="/proc/self/smaps and madvise"
)
MEGABYTES = 16


def resident(path: Path) -> int:
    """Return the kilobytes of a mapped file that are in this process's memory."""
    total, is_of_file = 0, False
    for line in Path("/proc/self/smaps").read_text("utf-8").splitlines():
        if "-" in line.split(maxsplit=1)[0] and ":" not in line.split(maxsplit=1)[0]:
            is_of_file = line.endswith(str(path))
        elif is_of_file and line.startswith("Rss:"):
            total += int(line.split()[1])
    return total


def test_released_pages_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    numbers = np.arange(MEGABYTES << 18, dtype=np.float32)
    numbers.tofile(path)
    array = open_weights(path, "").load(0, numbers.nbytes, ElementType.f32, numbers.shape)
    assert array.sum() == numbers.sum()
    assert resident(path) > MEGABYTES << 9
    release_pages(array[1000:])
    assert resident(path) < MEGABYTES << 7
    np.testing.assert_array_equal(array, numbers)
    release_pages(array.copy())


@pytest.mark.parametrize("rows", [32, -1])
def test_weights_of_products_are_in_memory_once(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[int] = []

    class Counted(weight_cache._Entry):
        def __init__(self, derived: Sequence[Array], sources: Sequence[Array]) -> None:
            copied.extend(array.nbytes for array in derived)
            super().__init__(derived, sources)

    monkeypatch.setattr(weight_cache, "_Entry", Counted)
    rng, size = np.random.default_rng(2), 1024
    weights = [rng.random((size, size), np.float32) for _ in range(4)]
    data = x = ops.parameter([rows, size], np.float32, name="x")
    for matrix in weights:
        data = ops.matmul(data, ops.constant(matrix), False, False)
    ov.save_model(ov.Model([data], [x]), tmp_path / "m.xml", compress_to_fp16=False)
    compiled = ov.Core().compile_model(tmp_path / "m.xml")
    batch = rng.random((32, size), np.float32)
    expected = batch
    for matrix in weights:
        expected = expected @ matrix
    for _ in range(2):
        np.testing.assert_allclose(compiled(batch)[0], expected, rtol=1e-4)
    kilobytes = resident(tmp_path / "m.bin") + sum(copied) // 1024
    assert MEGABYTES << 9 < kilobytes < MEGABYTES * 3 << 9
