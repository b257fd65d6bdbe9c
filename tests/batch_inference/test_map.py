"""`map`: the same kind of container comes back, lazily where it went in lazily."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.errors import InputError
from ir_plugin.tensors import Array

CONFIG = {"INFERENCE_NUM_THREADS": 1}


def two_outputs() -> ov.Model:
    x, y = ops.parameter([-1, 3], np.float32, name="x"), ops.parameter([-1, 3], np.float32, name="y")
    total, product = ops.add(x, y), ops.reduce_max(ops.multiply(x, y), np.array([1]))
    total.output(0).set_names({"sum"})
    product.output(0).set_names({"product"})
    return ov.Model([total, product], [x, y], "two_outputs")


def close(actual: Array, expected: Array) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


def test_arrays(digits: Path, images: Array, scores: Array, tmp_path: Path) -> None:
    close(ov.map(digits, images), scores)
    close(ov.map(ov.Core().compile_model(digits), {"images": images}, batch_size=3), scores)
    np.save(tmp_path / "images.npy", images)
    result = ov.map(digits, np.load(tmp_path / "images.npy", mmap_mode="r"), out=tmp_path / "scores.npy")
    assert isinstance(result, np.memmap)
    close(result, scores)
    close(np.load(tmp_path / "scores.npy"), scores)


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_an_npy_that_is_replaced_keeps_its_permissions(digits: Path, images: Array, tmp_path: Path) -> None:
    path = tmp_path / "scores.npy"
    path.touch()
    path.chmod(0o640)
    ov.map(digits, images, out=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_iterables(digits: Path, images: Array, scores: Array) -> None:
    rows = ov.map(digits, list(images))
    assert isinstance(rows, list)
    close(np.stack(rows), scores)
    batches = ov.map(digits, (images[start : start + 30] for start in range(0, 200, 30)))
    assert iter(batches) is batches
    close(np.concatenate(list(batches)), scores)


def test_an_iterator_is_read_lazily(digits: Path, images: Array) -> None:
    taken: list[int] = []

    def rows() -> object:
        for number in range(100):
            taken.append(number)
            yield images[number]

    results = ov.map(digits, rows(), batch_size=10)
    next(results)
    assert len(taken) == 10


def test_folders(digits: Path, images: Array, scores: Array, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for part in range(4):
        np.save(tmp_path / "in" / f"{part}.npy", images[part * 50 : part * 50 + 50])
    assert ov.map(digits, tmp_path / "in", out=tmp_path / "out") == tmp_path / "out"
    close(np.concatenate([np.load(tmp_path / "out" / f"{part}.npy") for part in range(4)]), scores)
    with pytest.raises(ov.InputError, match=r"there are no \.npy files"):
        ov.map(digits, tmp_path / "nowhere", out=tmp_path / "out")


def test_another_axis() -> None:
    x = ops.parameter([4, -1, 3], np.float32, name="x")
    model = ov.Model([ops.relu(x)], [x], "time")
    data = np.linspace(-1, 1, 4 * 50 * 3, dtype=np.float32).reshape(4, 50, 3)
    np.testing.assert_array_equal(ov.map(model, data, batch_size=8, axis=1), np.maximum(data, 0))


def test_zarr(digits: Path, images: Array, scores: Array, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    result = ov.map(digits, zarr.array(images), batch_size=32, config=CONFIG)
    assert isinstance(result, zarr.Array)
    close(result[:], scores)
    ov.map(digits, zarr.array(images), out=tmp_path / "scores.zarr")
    close(zarr.open_array(tmp_path / "scores.zarr")[:], scores)


def test_dask(digits: Path, images: Array, scores: Array) -> None:
    da = pytest.importorskip("dask.array")
    lazy = ov.map(digits, da.from_array(images, chunks=(64, -1, -1, -1)))
    assert (lazy.shape, lazy.dtype, lazy.chunks) == (scores.shape, scores.dtype, ((64, 64, 64, 8), (10,)))
    assert isinstance(lazy._meta, np.ndarray)
    for scheduler in ("synchronous", "threads"):
        close(lazy.compute(scheduler=scheduler), scores)
    close(lazy[3:5].compute(), scores[3:5])
    close(lazy.sum(axis=0).compute(), scores.sum(axis=0))


def test_dask_computes_nothing_to_learn_types(digits: Path) -> None:
    da = pytest.importorskip("dask.array")

    def fail(_block: Array) -> Array:
        raise AssertionError("computed")

    lazy = da.zeros((64, 1, 8, 8), np.float32, chunks=(16, 1, 8, 8)).map_blocks(
        fail, dtype=np.float32, meta=np.empty((0, 0, 0, 0), np.float32)
    )
    assert ov.map(digits, lazy).shape == (64, 10)


def test_dask_with_two_inputs_and_outputs() -> None:
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((2, 40, 3), np.float32)
    data = {"x": da.from_array(x, chunks=(16, 3)), "y": da.from_array(y, chunks=(16, 3))}
    results = ov.map(two_outputs(), data)
    import dask

    total, product = dask.compute(results["sum"], results["product"])
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(product, (x * y).max(1))


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (((16, 3), (20, 3)), "the inputs differ in chunks along axis 0"),
        (((16, 2), (16, 3)), r"input x has 2 chunks along axis 1, and the model needs it whole: rechunk\(\{1: -1\}\)"),
    ],
)
def test_dask_with_wrong_chunks(chunks: tuple[tuple[int, int], ...], message: str) -> None:
    da = pytest.importorskip("dask.array")
    data = {name: da.zeros((40, 3), np.float32, chunks=part) for name, part in zip("xy", chunks, strict=True)}
    with pytest.raises(ov.InputError, match=message):
        ov.map(two_outputs(), data)


def test_dask_with_unknown_chunks() -> None:
    da = pytest.importorskip("dask.array")
    x = da.zeros((40, 3), np.float32, chunks=(16, 3))
    with pytest.raises(ov.InputError, match="compute_chunk_sizes"):
        ov.map(two_outputs(), {"x": x[x[:, 0] > 1], "y": x})


def test_a_worker_has_one_kernel_thread_unless_told(digits: Path, caplog: pytest.LogCaptureFixture) -> None:
    da = pytest.importorskip("dask.array")
    data = da.zeros((64, 1, 8, 8), np.float32, chunks=(16, 1, 8, 8))
    with caplog.at_level(logging.INFO, "ir_plugin"):
        ov.map(digits, data)
        assert caplog.messages == []
        ov.map(digits, data, config={"INFERENCE_NUM_THREADS": 2})
    assert caplog.messages == ["2 kernel threads a worker, as INFERENCE_NUM_THREADS says"]


def test_other_data_is_refused(digits: Path) -> None:
    with pytest.raises(ov.ArgumentTypeError, match="data is an array, an iterable of arrays or a folder"):
        ov.map(digits, 3)


def strings() -> ov.Model:
    """Return a model that gives the strings that it takes."""
    x = ops.parameter([-1, 2], ov.Type.string, name="x")
    return ov.Model([ops.result(x)], [x], "strings")


STRINGS = np.array([["a", "bb"], ["cccccc", "d"], ["", "eee"]])


def test_strings_of_every_length_are_whole_in_all_batches() -> None:
    assert ov.map(strings(), STRINGS, batch_size=1).tolist() == STRINGS.tolist()


def test_strings_of_every_length_are_whole_in_zarr(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    rows = zarr.create_array({}, data=STRINGS.astype(np.dtypes.StringDType()))
    assert ov.map(strings(), rows, batch_size=1)[:].tolist() == STRINGS.tolist()
    assert ov.map(strings(), rows, batch_size=2, out=tmp_path / "x.zarr")[:].tolist() == STRINGS.tolist()


def test_strings_are_not_written_to_an_npy_row_by_row(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has strings of one width"):
        ov.map(strings(), STRINGS, out=tmp_path / "x.npy")
    assert not list(tmp_path.iterdir())


def test_strings_of_a_folder_are_files(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", STRINGS)
    out = ov.map(strings(), tmp_path, out=tmp_path / "out")
    assert np.load(out / "rows.npy").tolist() == STRINGS.tolist()


def test_arrays_are_written_to_zarr_as_the_error_of_an_npy_says(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    x, y = (np.random.default_rng(seed).random((5, 3), np.float32) for seed in (0, 1))
    with pytest.raises(InputError, match=r"write to a \.zarr"):
        ov.map(two_outputs(), {"x": x, "y": y}, out=tmp_path / "both.npy")
    results = ov.map(two_outputs(), {"x": x, "y": y}, batch_size=2, out=tmp_path / "both.zarr")
    assert isinstance(results["sum"], zarr.Array)
    close(results["sum"][:], x + y)
    assert ov.map(strings(), STRINGS, out=tmp_path / "strings.zarr")[:].tolist() == STRINGS.tolist()
