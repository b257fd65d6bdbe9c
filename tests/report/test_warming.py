"""All kernels are declared, and compiled ahead by processes that share the work and lose nothing when they end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.skips import needs_numba

ROOT = Path(__file__).parents[2]
FEW = """
import sys
from ir_plugin.report import warming

declared = warming._declared
names = ("select.kernel", "select._choose", "transposed_convolution")
warming._declared = lambda: {key: kernel for key, kernel in declared().items() if kernel.cache.name.startswith(names)}
"""
"""Declares a few kernels that take about a second each."""
WARM = (
    FEW
    + """
warming._WORKER = sys.argv[1]
from ir_plugin.cli import main
sys.argv = ["ir-plugin", "warm", *sys.argv[2:]]
main()
"""
)
WORKER = FEW + "warming.compile_named()\n"
LIMITED = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n" + WARM
"""Finds a full disk, as no file may have more bytes; some kernels have fewer."""
SCALED_TWICE = """
import sys
import numpy as np
import ir_plugin as ov
from ir_plugin import opset13 as ops

weights = np.random.default_rng(1).standard_normal((16, 1, 1, 4, 4)).astype(np.float32)
image = np.random.default_rng(2).standard_normal((1, 16, 32, 32)).astype(np.float32)
data = ops.parameter([1, 16, 32, 32], np.float32)
scaled = ops.group_convolution_backprop_data(data, weights, [2, 2], pads_begin=[1, 1], pads_end=[1, 1])
model = ov.Model([ops.result(scaled)], [data], "scaled")
ov.save_model(model, sys.argv[1], compress_to_fp16=False)
for _ in sys.stdin:
    print(hash(ov.compile_model(model)(image)[0].tobytes()), flush=True)
"""
"""Runs a model for each line, and prints the hash of the result, which compiled kernels round otherwise."""


def command(*arguments: str, code: str = WARM) -> list[str]:
    """Return the command that runs `ir-plugin warm` for a few kernels."""
    return [sys.executable, "-c", code, WORKER, *arguments]


def environment(folder: Path) -> Mapping[str, str]:
    """Return the variables of a process with the kernels of a folder; a full disk would cut the bytecode of modules."""
    return os.environ | {"NUMBA_CACHE_DIR": str(folder), "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def warm(folder: Path, *arguments: str, code: str = WARM) -> subprocess.CompletedProcess[str]:
    """Return what the command has done with the kernels of a folder."""
    return subprocess.run(
        command(*arguments, code=code), cwd=ROOT, env=environment(folder), capture_output=True, text=True, check=False
    )


def listed(folder: Path) -> list[dict[str, object]]:
    done = warm(folder, "--list", "--json")
    assert done.returncode == 0, done.stderr
    kernels: list[dict[str, object]] = json.loads(done.stdout)
    return kernels


@needs_numba
def test_two_commands_share_what_one_that_was_killed_has_left(tmp_path: Path) -> None:
    first = listed(tmp_path)
    assert len(first) == 6
    assert not any(kernel["is_compiled"] for kernel in first)
    with subprocess.Popen(command("--all"), cwd=ROOT, env=environment(tmp_path), stderr=subprocess.DEVNULL) as process:
        while not list(tmp_path.glob("*/*.kernel")) and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    with subprocess.Popen(command("--all"), cwd=ROOT, env=environment(tmp_path), stdout=subprocess.DEVNULL) as process:
        done = warm(tmp_path, "--all")
        assert done.returncode == 0, done.stderr
    assert process.returncode == 0
    kernels = listed(tmp_path)
    assert all(kernel["is_compiled"] and kernel["bytes"] for kernel in kernels)
    assert [kernel["name"] for kernel in kernels] == [kernel["name"] for kernel in first]
    assert "all were there" in warm(tmp_path, "--all").stdout
    assert "6 of 6 kernels are compiled" in warm(tmp_path, "--list").stdout


@contextmanager
def answers(folder: Path, model: Path) -> Iterator[Callable[[], str]]:
    """Yield a function that returns what a process with the kernels of a folder prints next."""
    command = [sys.executable, "-c", SCALED_TWICE, str(model)]
    with subprocess.Popen(
        command, cwd=ROOT, env={**environment(folder), "PYTHONHASHSEED": "0"}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip

        def answer() -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            return process.stdout.readline()

        yield answer


@needs_numba
def test_a_process_gives_the_same_numbers_whatever_another_compiles(tmp_path: Path) -> None:
    model = tmp_path / "scaled.xml"
    with answers(tmp_path, model) as answer:
        before = answer()
        with subprocess.Popen(
            [sys.executable, "-m", "ir_plugin", "warm", str(model), "--quiet"], cwd=ROOT, env=environment(tmp_path)
        ) as process:
            while not list(tmp_path.glob("*/*.kernel")) and process.poll() is None:
                time.sleep(0.05)
            assert answer() == before
        assert process.returncode == 0
        assert answer() == before
    with answers(tmp_path, model) as answer:
        assert answer() != before


@needs_numba
@pytest.mark.parametrize("arguments", [["--all"], [str(ROOT / "samples" / "gather_elements" / "gather_elements.xml")]])
def test_a_full_disk_ends_in_one_line_and_loses_nothing(arguments: list[str], tmp_path: Path) -> None:
    done = warm(tmp_path, *arguments, code=LIMITED)
    assert done.returncode == 2
    assert done.stderr.count(f"compiled kernels cannot be kept ({tmp_path}: File too large)") == 1
    assert "Traceback" not in done.stderr
    kept = {path: path.read_bytes() for path in tmp_path.glob("*/*")}
    assert kept
    assert all(path.suffix == ".kernel" for path in kept)
    done = warm(tmp_path, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    warmed = json.loads(done.stdout)
    assert warmed["compiled"] == warmed["kernels"] - len(kept)
    assert {path: path.read_bytes() for path in kept} == kept


@needs_numba
def test_a_folder_that_cannot_be_written_to_ends_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", "utf-8")
    done = warm(tmp_path / "file", "--all")
    assert done.returncode == 2
    assert "error: compiled kernels cannot be kept" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("option", ["--all", "--list"])
def test_models_are_not_all(option: str) -> None:
    path = str(ROOT / "samples" / "digits" / "digits.xml")
    done = subprocess.run(
        [sys.executable, "-m", "ir_plugin", "warm", path, option], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "name models, or write --all or --list" in done.stderr


GENERATED = """
import sys
from ir_plugin import genai
print(genai.LLMPipeline(sys.argv[1], "CPU", PROVIDER="numba").generate(sys.argv[2], max_new_tokens=3))
"""


@needs_numba
def test_the_folder_of_a_language_model_is_warm_for_generation(tmp_path: Path) -> None:
    """A process that generates compiles nothing, for prompts shorter and longer than the one that warmed."""
    folder = ROOT / "samples" / "story"
    command = [sys.executable, "-m", "ir_plugin", "warm", str(folder), "--json"]
    done = subprocess.run(command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kernels = set(tmp_path.glob("*/*.kernel"))
    assert json.loads(done.stdout)["compiled"] == len(kernels) > 0
    for prompt in ("O", 90 * "Once upon a time "):
        command = [sys.executable, "-c", GENERATED, str(folder), prompt]
        subprocess.run(command, cwd=ROOT, env=environment(tmp_path), capture_output=True, check=True)
        assert set(tmp_path.glob("*/*.kernel")) == kernels
