"""Every verb with odd encodings, streams, files and names: an error of ours at worst, never a traceback."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ir_plugin.cli.app import app
from ir_plugin.cli.app import run as run_cli
from ir_plugin.errors import Error, InputError
from ir_plugin.report.store import load_arrays, save_arrays
from tests.support.changed import DIGITS
from tests.support.skips import not_as_root

MAIN = [sys.executable, "-c", "from ir_plugin.cli import main; main()"]
FOLDER = TemporaryDirectory()
VERBS: dict[str, list[object]] = {
    "check": [],
    "info": ["--layers"],
    "run": [],
    "dump": [],
    "compare": ["--with", DIGITS],
    "profile": ["-n", 1],
    "benchmark": ["-niter", 1],
    "graph": [],
    "cut": ["--to", "conv2", "--out", Path(FOLDER.name) / "part.xml"],
    "reduce": ["--when", "false", "-o", Path(FOLDER.name) / "reduced.xml"],
    "simplify": ["-o", Path(FOLDER.name) / "simple.xml"],
    "convert": ["-o", Path(FOLDER.name) / "converted.xml"],
    "diff": [DIGITS],
}
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
"""What makes a process write ASCII, to files too."""
FULL = Path("/dev/full")
REDIRECTIONS = ("| true", ">&-", "2>&-", ">&- 2>&- <&-", ">/dev/full 2>&1")
EACH = """
import os, sys
from ir_plugin import Core
from ir_plugin.cli.app import run
Core().compile_model(sys.argv[1])
def end(*fault):
    sys.__excepthook__(*fault)
    os._exit(3)
sys.excepthook = end
command, statuses = [], []
for word in sys.argv[2:]:
    if word != ";":
        command.append(word)
        continue
    child = os.fork()
    if not child:
        sys.argv = ["ir-plugin", *command]
        run()
        sys.exit()
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    command.clear()
sys.exit(max(statuses, key=abs))
"""
"""A process that has compiled a model, and runs commands in forks of itself, which have its streams and locale.

A traceback gives the status 3, as there may be no stream that shows it.
"""
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
needs_shell = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


def run(*arguments: object, shell: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return execute([*MAIN, *map(str, arguments)], shell, environment)


def run_each(
    verbs: Iterable[str], model: Path, shell: str = "", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run verbs in turn in one process, whose status is the greatest."""
    commands = [[verb, *([model, *VERBS[verb]] if verb in VERBS else []), ";"] for verb in verbs]
    words = [str(word) for command in commands for word in command]
    return execute([sys.executable, "-c", EACH, str(model), *words], shell, environment)


def execute(command: list[str], shell: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run a process, by a shell where there is a redirection, which prints no traceback."""
    if shell:
        command = ["bash", "-c", f"{shlex.join(command)} {shell}"]
    env = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, env=env, timeout=300, check=False)
    said = done.stdout + done.stderr
    assert b"Traceback" not in said, (command, said.decode("utf-8", "replace"))
    assert b"Exception ignored" not in said, (command, said.decode("utf-8", "replace"))
    return done


def called(*arguments: object) -> Result:
    """Call a verb in this process."""
    return CliRunner().invoke(app, [*map(str, arguments)])


def copied(xml: str, path: Path) -> Path:
    path.write_text(xml, "utf-8")
    shutil.copy(DIGITS.with_suffix(".bin"), path.with_suffix(".bin"))
    return path


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Return a model in whose names are letters that few encodings have."""
    xml = DIGITS.read_text("utf-8").replace('name="conv1"', 'name="ä→日本"').replace("images", "ïmages→")
    return copied(xml, tmp_path / "odd→.xml")


@needs_fork
def test_every_verb_in_the_locale_c(odd: Path) -> None:
    done = run_each([*VERBS, "ops", "explain"], odd, **ASCII)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    done.stdout.decode("ascii")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("verb", [*VERBS, "ops", "explain"])
def test_every_encoding_of_the_output(verb: str, encoding: str, odd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding=encoding) for name in ("stdout", "stderr")}
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    arguments = [odd, *VERBS[verb]] if verb in VERBS else []
    monkeypatch.setattr(sys, "argv", ["ir-plugin", verb, *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        run_cli()
    assert ended.value.code == 0
    written = [stream.buffer.getvalue() for stream in streams.values() if isinstance(stream.buffer, io.BytesIO)]
    assert written[0].decode(encoding)
    assert b"Traceback" not in b"".join(written)


def test_a_process_writes_the_encoding_that_it_is_told(odd: Path) -> None:
    for encoding in ("ascii", "cp1252"):
        done = run("info", odd, "--layers", PYTHONIOENCODING=encoding)
        assert done.returncode == 0
        assert done.stdout.decode(encoding)


def test_histograms_are_drawn_in_ascii_where_they_must() -> None:
    rows = run("dump", DIGITS, "-l", "conv1/relu", PYTHONIOENCODING="ascii").stdout.decode("ascii").splitlines()
    assert rows[1].split()[-1].startswith("@")
    assert "\\u" not in rows[1]


@pytest.mark.parametrize("document", [["graph", "--format", "svg"], ["check", "--format", "junit", "--strict"]])
def test_xml_stays_well_formed_in_every_encoding(document: list[str], odd: Path) -> None:
    from lxml import etree

    text = odd.read_text("utf-8").replace("<dim>24</dim>", "<dim>23</dim>", 1)
    odd.write_text(text, "utf-8")
    root = etree.fromstring(run(*document, odd, PYTHONIOENCODING="cp1252").stdout)
    assert "→" in "".join(root.xpath("//text() | //@*"))


@needs_fork
@needs_shell
@pytest.mark.parametrize("redirection", [text for text in REDIRECTIONS if "full" not in text or FULL.exists()])
def test_streams_that_are_closed_or_full(redirection: str) -> None:
    assert run_each([*VERBS, "ops", "explain", "--help"], DIGITS, redirection).returncode in (0, 1, 2)


@needs_shell
@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_a_full_disk_is_an_error() -> None:
    for arguments in (["run", DIGITS], ["info", DIGITS, "--json"], ["explain", "IR302"]):
        done = run(*arguments, shell=">/dev/full")
        assert done.returncode == 2
        assert b"the output cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_files_that_are_no_models(verb: str, tmp_path: Path) -> None:
    (tmp_path / "empty.xml").write_bytes(b"")
    (tmp_path / "random.xml").write_bytes(np.random.default_rng(0).bytes(3000))
    (tmp_path / "folder").mkdir()
    paths = [*tmp_path.iterdir(), "/dev/null", "/proc/self/mem", tmp_path / "none.xml", tmp_path / ("x" * 300), ""]
    for path in paths:
        result = called(verb, path, *VERBS[verb])
        assert isinstance(result.exception, (SystemExit, Error)), path
        assert result.exit_code in (1, 2)


@not_as_root
@pytest.mark.parametrize("verb", VERBS)
def test_files_that_may_not_be_read(verb: str, odd: Path) -> None:
    odd.chmod(0)
    assert run(verb, odd, *VERBS[verb]).returncode == (2 if verb == "diff" else 1)


@pytest.mark.parametrize("verb", VERBS)
def test_names_that_are_long(verb: str, tmp_path: Path) -> None:
    long = copied(DIGITS.read_text("utf-8").replace('name="conv1"', f'name="{"c" * 100_000}"'), tmp_path / "long.xml")
    assert called(verb, long, *VERBS[verb]).exit_code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    strange = copied(DIGITS.read_text("utf-8"), tmp_path / "b\udcff\u202eé\n.xml")
    done = run_each(VERBS, strange)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("verb", "option"),
    [
        ("check", "--output"),
        ("run", "-o"),
        ("dump", "--out"),
        ("graph", "--out"),
        ("compare", "--html"),
        ("diff", "-o"),
    ],
)
def test_files_that_cannot_be_written(verb: str, option: str, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "such.html", tmp_path / ("y" * 300 + ".html")):
        result = called(verb, DIGITS, *VERBS[verb], option, path)
        assert result.exit_code in (1, 2)
        said = f"{result.output}{result.exception}"
        assert "cannot be written" in said or (path == tmp_path and "says no format" in said)


def test_inputs_and_references_that_are_no_arrays(tmp_path: Path) -> None:
    contents = {"text.md": b"# Title", "zip.npz": b"PK\x03\x04garbage", "head.npy": b"\x93NUMPY\x01\x00v\x00{'descr':"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    np.save(tmp_path / "objects.npy", np.array([{}], object))
    (tmp_path / "folder.npz").mkdir()
    for path in tmp_path.iterdir():
        fault = called("run", DIGITS, "-i", path).exception
        assert isinstance(fault, InputError)
        assert "cannot be read" in str(fault) or "is not an .npy or .npz of plain arrays" in str(fault)
        assert isinstance(called("compare", DIGITS, "--with", path).exception, InputError)
    assert "numpy.save" in str(called("run", DIGITS, "-i", tmp_path / "text.md").exception)


def test_an_empty_onnx_model_is_said_plainly(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    (tmp_path / "empty.onnx").write_bytes(b"")
    done = run("compare", DIGITS, "--with", tmp_path / "empty.onnx")
    assert done.returncode == 2
    assert b"error: onnxruntime cannot run" in done.stderr


def test_arrays_with_names_that_no_archive_has_room_for(tmp_path: Path) -> None:
    long = copied(DIGITS.read_text("utf-8").replace('name="conv1"', f'name="{"ü" * 100_000}"'), tmp_path / "long.xml")
    run("dump", long, "--out", tmp_path / "run.npz")
    assert "ü" * 100_000 in load_arrays(tmp_path / "run.npz")
    done = run("compare", long, "--with", tmp_path / "run.npz", "--json")
    assert done.returncode == 0
    assert not json.loads(done.stdout)["unmatched"]


def test_a_damaged_archive_is_an_error_of_ours(tmp_path: Path) -> None:
    path, rng = tmp_path / "x.npz", np.random.default_rng(0)
    save_arrays(path, {"a": np.arange(6.0), "b": np.ones((2, 2))})
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    for _ in range(400):
        damaged = whole.copy()
        damaged[rng.integers(len(whole), size=3)] = rng.integers(256, size=3)
        path.write_bytes(damaged.tobytes())
        try:
            load_arrays(path)
        except Error:
            continue
