"""`ir-plugin map`: chunks appear whole, and a run that was killed goes on with identical bytes."""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.tensors import Array
from tests.invariants.test_one_answer import NETWORKS, WIDTH
from tests.support.memory import STATUS
from tests.support.verbs import call

zarr = pytest.importorskip("zarr")
DIGITS = Path(__file__).parents[2] / "samples" / "digits" / "digits.xml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with 400 images in x.zarr and x.npy, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    images: Array = np.tile(np.load(DIGITS.with_name("images.npy"))[:200], (2, 1, 1, 1))
    np.save(tmp_path / "x.npy", images)
    zarr.save_array(str(tmp_path / "x.zarr"), images)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "ir_plugin", "map", str(DIGITS), "--batch-size", "20", *arguments]


def run(*arguments: str) -> tuple[int, str]:
    """Map in this process, in the working directory."""
    done = call(*command(*arguments)[3:])
    return done.returncode, done.stdout + done.stderr


def run_process(folder: Path, *arguments: str, **options: object) -> tuple[int, str]:
    done = subprocess.run(
        command(*arguments),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    return done.returncode, done.stdout + done.stderr


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def same(first: Path, second: Path) -> bool:
    names = files(first)
    return names == files(second) and filecmp.cmpfiles(first, second, names, shallow=False)[0] == names


def test_in_this_process(folder: Path) -> None:
    status, text = run("-i", "images=x.zarr", "-o", "y.zarr")
    assert status == 0, text
    assert "y.zarr: 20 of 20 chunks stored, 20 computed" in text
    expected = ov.Core().compile_model(DIGITS)(np.load(folder / "x.npy"))[0]
    np.testing.assert_allclose(zarr.open_array(folder / "y.zarr")[:], expected, rtol=1e-4, atol=1e-5)
    assert files(folder / "y.zarr") == sorted(["zarr.json", *(f"c/{chunk}/0" for chunk in range(20))])
    status, text = run("-i", "x.npy", "-o", "y2.zarr", "--json")
    assert (status, json.loads(text)["missing"]) == (0, 0)
    assert same(folder / "y.zarr", folder / "y2.zarr")


def test_chunks_of_zeros_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = ops.parameter([-1, 2], "f32", name="x")
    ov.save_model(ov.Model([ops.relu(data)], [data]), tmp_path / "relu.xml")
    np.save(tmp_path / "x.npy", -np.ones((3, 2), np.float32))
    monkeypatch.chdir(tmp_path)
    result = json.loads(call("map", "relu.xml", "-i", "x.npy", "-o", "y.zarr", "--json").stdout)
    assert (result["chunks"], result["missing"], result["rows"]) == (1, 0, 3)


def test_an_existing_output_is_kept(folder: Path) -> None:
    run("-i", "x.npy", "-o", "y.zarr")
    status, text = run("-i", "x.npy", "-o", "y.zarr")
    assert (status, "exists; go on with --resume" in text) == (2, True)
    status, text = run("-i", "x.npy", "-o", "y.zarr", "--resume", "--batch-size", "40")
    assert (status, "was written by another model, from other inputs, or with another batch size" in text) == (2, True)
    (folder / "text").write_text("a")
    assert run("-i", "x.npy", "-o", "text")[0] == 2


_KILLED = """
import os, signal, sys
from ir_plugin.cli.app import app
stored = []
def kill_after_some_chunks(event, arguments):
    if event == "os.rename" and "/c/" in str(arguments[1]):
        stored.append(arguments[1])
        if len(stored) == 6:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(kill_after_some_chunks)
"""
"""The head of a process that kills itself while it renames a chunk."""


def test_a_killed_run_goes_on_with_identical_bytes(folder: Path) -> None:
    run("-i", "x.npy", "-o", "whole.zarr")
    arguments = command("-i", "x.npy", "-o", "y.zarr", "-q")[3:]
    killed = subprocess.run([sys.executable, "-c", f"{_KILLED}app({arguments})"], cwd=folder, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert 0 < len(files(folder / "y.zarr")) < len(files(folder / "whole.zarr"))
    stored = folder / "y.zarr" / "c"
    (stored / "0" / "0.partial").write_bytes(b"half")
    for chunk in (1, 7):
        (stored / str(chunk) / "0").unlink(missing_ok=True)
    status, text = run("-i", "x.npy", "-o", "y.zarr", "--resume")
    assert status == 0, text
    assert same(folder / "whole.zarr", folder / "y.zarr")


@pytest.mark.parametrize("length", [0, 1, -1])
def test_a_chunk_that_was_cut_is_computed_again(length: int, folder: Path) -> None:
    run("-i", "x.npy", "-o", "whole.zarr")
    run("-i", "x.npy", "-o", "y.zarr")
    chunk = folder / "y.zarr" / "c" / "3" / "0"
    chunk.write_bytes(chunk.read_bytes()[:length])
    assert run("-i", "x.npy", "-o", "y.zarr", "--resume")[0] == 0
    assert same(folder / "whole.zarr", folder / "y.zarr")


def test_a_resumed_run_keeps_the_number_of_threads(folder: Path) -> None:
    run("-i", "x.npy", "-o", "whole.zarr", "--config", "INFERENCE_NUM_THREADS=1")
    run("-i", "x.npy", "-o", "y.zarr", "--config", "INFERENCE_NUM_THREADS=1")
    for chunk in range(5, 20):
        (folder / "y.zarr" / "c" / str(chunk) / "0").unlink()
    assert run("-i", "x.npy", "-o", "y.zarr", "--resume")[0] == 0
    assert same(folder / "whole.zarr", folder / "y.zarr")


def test_chunks_have_the_same_bytes_whatever_is_left_and_however_many_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model has open lengths; a worker has one kernel thread."""
    pytest.importorskip("distributed")
    NETWORKS["attention"].write(tmp_path)
    data = np.random.default_rng(0).standard_normal((52, 53, WIDTH)).astype(np.float32)
    np.save(tmp_path / "x.npy", data)
    zarr.save_array(str(tmp_path / "x.zarr"), data)
    monkeypatch.chdir(tmp_path)
    arguments = ["map", "network.xml", "--batch-size", "5"]
    whole, resumed, spread = (tmp_path / name for name in ("whole.zarr", "y.zarr", "spread.zarr"))
    done = call(*arguments, "-i", "x.npy", "-o", whole.name, "--config", "INFERENCE_NUM_THREADS=1")
    assert done.returncode == 0, done.stderr
    shutil.copytree(whole, resumed)
    for path in [path for path in files(resumed) if path.startswith("c")][1::3]:
        (resumed / path).unlink()
    assert call(*arguments, "-i", "x.npy", "-o", resumed.name, "--resume").returncode == 0
    assert same(whole, resumed)
    words = [sys.executable, "-m", "ir_plugin", *arguments, "-i", "x.zarr", "-o", spread.name, "--workers", "2"]
    workers = subprocess.run(words, capture_output=True, text=True, check=False)
    assert workers.returncode == 0, workers.stderr
    assert "1 kernel thread a worker" in workers.stdout + workers.stderr
    assert same(whole, spread)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of processes are POSIX's")
def test_a_full_disk_loses_no_chunk(folder: Path) -> None:
    import resource

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    run("-i", "x.npy", "-o", "y.zarr")
    for chunk in range(3, 20):
        (folder / "y.zarr" / "c" / str(chunk) / "0").unlink()
    environ = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # Python would keep modules cut at the limit
    status, text = run_process(folder, "-i", "x.npy", "-o", "y.zarr", "--resume", preexec_fn=limit, env=environ)
    assert status == 1
    assert "chunk 3: File too large" in text
    assert files(folder / "y.zarr") == ["c/0/0", "c/1/0", "c/2/0", "zarr.json"]


def scattering(folder: Path) -> str:
    """Write a model that fails for an index out of range, and data with one in chunk 2; return the model's name."""
    data = ops.constant(np.zeros((1, 4), np.float32))
    x = ops.parameter([-1, 2], np.int64, name="x")
    rows = ops.broadcast(data, ops.concat([ops.gather(ops.shape_of(x), [0], 0), ops.constant([4])], 0))
    updates = ops.convert(x, np.float32)
    result = ops.scatter_elements_update(rows, x, updates, 1, name="scattered")
    ov.save_model(ov.Model([result], [x], "scattering"), folder / "scattering.xml")
    indices = np.tile(np.array([[0, 3]]), (50, 1))
    indices[25] = 9
    np.save(folder / "indices.npy", indices)
    return "scattering.xml"


@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_a_bad_chunk_is_reported_and_loses_no_other(folder: Path, workers: list[str]) -> None:
    model = scattering(folder)
    arguments = ["map", model, "-i", "indices.npy", "-o", "y.zarr", "--batch-size", "10", *workers]

    def execute(*more: str) -> subprocess.CompletedProcess[str]:
        if not workers:
            return call(*arguments, *more)
        words = [sys.executable, "-m", "ir_plugin", *arguments, *more]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    skip = execute("--on-error", "skip")
    assert skip.returncode == 1
    assert "chunk 2: " in skip.stderr
    assert '"scattered"' in skip.stderr
    assert "4 of 5 chunks stored" in skip.stdout
    assert [name for name in files(folder / "y.zarr") if name.startswith("c/")] == [f"c/{n}/0" for n in (0, 1, 3, 4)]
    assert execute("--resume").returncode == 1


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="workers are looked up in /proc")
def test_a_killed_worker_is_replaced(folder: Path) -> None:
    pytest.importorskip("distributed")
    run("-i", "x.npy", "-o", "one.zarr", "--config", "INFERENCE_NUM_THREADS=1", "--batch-size", "2")
    arguments = ["-i", "x.npy", "-o", "two.zarr", "--workers", "2", "--batch-size", "2"]
    with subprocess.Popen(command(*arguments), cwd=folder, stderr=subprocess.DEVNULL) as process:
        await_files(folder / "two.zarr", 5, process)
        workers = workers_of(process.pid)
        assert process.poll() is None, "the run ended before a worker was killed"
        os.kill(workers[0], signal.SIGKILL)
        assert process.wait(120) == 0
    assert same(folder / "one.zarr", folder / "two.zarr")


def await_files(folder: Path, count: int, process: subprocess.Popen[Any]) -> None:
    """Wait until a run has written so many files, and fail where it ends before or writes none."""
    deadline = time.monotonic() + 300
    while len(files(folder)) < count:
        assert process.poll() is None, f"the run ended with {len(files(folder))} files"
        assert time.monotonic() < deadline, f"there are {len(files(folder))} files after 300 seconds"
        time.sleep(0.002)


def workers_of(parent: int) -> list[int]:
    """Return the processes with most memory below a process: Dask's workers."""
    parents = {int(path.name): path for path in Path("/proc").iterdir() if path.name.isdigit()}
    below = [pid for pid, path in parents.items() if _is_child(path, parent)]
    return sorted(below, key=lambda pid: -int((Path("/proc") / str(pid) / "statm").read_text().split()[1]))


def _is_child(path: Path, parent: int) -> bool:
    try:
        return int((path / "stat").read_text().rpartition(")")[2].split()[1]) == parent
    except OSError:
        return False


def test_memory_does_not_grow_with_the_data(tmp_path: Path) -> None:
    x = ops.parameter([-1, 1024], np.float32, name="x")
    ov.save_model(ov.Model([ops.relu(x)], [x], "relu"), tmp_path / "relu.xml")
    few, many = (peak_memory(tmp_path, chunks) for chunks in (5, 100))
    assert many < few + 40_000, "a chunk has 4 MB; 400 MB more passed in and out"


def test_data_of_ten_times_the_memory_passes(tmp_path: Path) -> None:
    assert peak(tmp_path, *write_means(tmp_path)) < 600 << 10
    means = zarr.open_array(tmp_path / "y")[:]
    assert means.shape == (1536, 1)
    assert (means == 1).all()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("fault", [MemoryError(), OSError("no threads"), RuntimeError("Nanny failed to start.")])
def test_workers_that_cannot_start_are_an_error_of_ours(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "LocalCluster", Mock(side_effect=fault))
    status, text = run("-i", "x.npy", "-o", "y", "--workers", "2")
    assert status == 2, text
    assert f"error: 2 workers cannot start ({fault}); their limits, as of memory, may be too low" in " ".join(
        text.split()
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("workers", [[], ["--workers", "1"]], ids=["here", "worker"])
def test_a_chunk_without_memory_is_missing(workers: list[str]) -> None:
    """One layer has more elements than a processor can address."""
    x = ops.parameter([-1, 64], np.float32, name="x")
    wide = ops.tile(ops.exp(x), np.array([1, 1 << 46]))
    ov.save_model(ov.Model([ops.reduce_mean(wide, [1], True)], [x], "wide"), "wide.xml")
    np.save("rows.npy", np.ones((4, 64), np.float32))
    limit = ["--config", f"MEMORY_LIMIT={1 << 60}"]
    done = call("map", "wide.xml", "-i", "rows.npy", "-o", "y", "--batch-size", "2", *limit, *workers)
    text = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 1, text
    assert "chunk 0: layer " in text
    assert "there is not enough memory for it" in text
    assert "2 chunks missing; --resume computes what is missing" in text


def test_futures_that_the_scheduler_has_forgotten_are_an_error_of_ours(folder: Path) -> None:
    distributed = pytest.importorskip("distributed")
    from ir_plugin.batch_inference.jobs import MapJob, Stored, run_on

    predictor = ov.Predictor(DIGITS, {"INFERENCE_NUM_THREADS": 1})
    job = MapJob(predictor, {"images": Stored(str(folder / "x.npy"))}, str(folder / "y"), 20).start(False)
    quiet = {"processes": False, "dashboard_address": None, "n_workers": 1, "threads_per_worker": 1}
    with distributed.LocalCluster(**quiet) as cluster, distributed.Client(cluster) as client:
        outcomes = run_on(client, job, job.missing())
        assert next(outcomes).fault == ""
        client.restart(wait_for_workers=False)
        with pytest.raises(ov.Error, match=r"the workers are lost .*\. The stored chunks stay: resume to go on"):
            list(outcomes)


def write_means(folder: Path) -> list[str]:
    """Write a model and 6 GB of data, of which nothing is on the disk; return the arguments of a run."""
    x = ops.parameter([-1, 1 << 20], np.float32, name="x")
    ov.save_model(ov.Model([ops.reduce_mean(x, [1], True)], [x], "mean"), folder / "mean.xml")
    zarr.create_array(str(folder / "x"), shape=(1536, 1 << 20), chunks=(4, 1 << 20), dtype="f4", fill_value=1.0)
    return ["map", "mean.xml", "-i", "x=x", "-o", "y", "--batch-size", "4"]


def peak_memory(folder: Path, chunks: int) -> int:
    """Return the largest resident memory, in KB, of a run over some chunks of 1000 rows."""
    zarr.create_array(str(folder / f"x{chunks}"), shape=(chunks * 1000, 1024), chunks=(1000, 1024), dtype="f4")
    return peak(folder, "map", "relu.xml", "-i", f"x{chunks}", "-o", f"y{chunks}", "--batch-size", "1000")


def peak(folder: Path, *arguments: str) -> int:
    """Return the largest resident memory, in KB, of a process that runs a verb."""
    code = (
        f"{STATUS}\nfrom ir_plugin.cli.app import app\n"
        f"try: app({[*arguments, '-q']})\n"
        "except SystemExit as end: assert not end.code\n"
        "print(status('VmHWM') // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    return int(done.stdout)
