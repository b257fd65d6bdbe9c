"""Files appear whole or not at all, whichever verb or function writes them."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ir_plugin import Error
from ir_plugin.writer.files import replacing, write_file
from tests.support.changed import DIGITS

ROOT = Path(__file__).parents[2]

LIMITED = """
import resource, sys
sys.dont_write_bytecode = True
from ir_plugin.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
main()
"""
SAVING = """
import sys
sys.dont_write_bytecode = True
import ir_plugin as ov
model = ov.Core().read_model(sys.argv[1])
resource = __import__("resource")
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
try:
    getattr(ov, sys.argv[2])(model, sys.argv[3])
except ov.Error as fault:
    sys.exit(str(fault))
"""
WRITING = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let their background jobs ignore it
from ir_plugin.writer.files import replacing
with replacing(sys.argv[1]) as (file,):
    file.write(b"new")
    print("begun", flush=True)
    time.sleep(60)
"""


def called(code: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write_and_raise(paths: list[Path], fault: type[BaseException]) -> None:
    with replacing(*paths) as files:
        for file in files:
            file.write(b"new")
        raise fault


@pytest.fixture
def mask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.usefixtures("mask")
def test_a_new_file_has_the_permissions_of_a_normal_one(tmp_path: Path) -> None:
    write_file(tmp_path / "new", "text")
    assert mode_of(tmp_path / "new") == 0o640
    assert (tmp_path / "new").read_text() == "text"


def test_a_replaced_file_keeps_its_permissions_and_owner(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old")
    path.chmod(0o604)
    if os.geteuid() == 0:
        os.chown(path, 1234, 5678)
    before = path.stat()
    write_file(path, b"new")
    after = path.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert path.read_text() == "new"


def test_a_name_as_long_as_a_folder_allows(tmp_path: Path) -> None:
    for name in ("x" * 255, "ü" * 127):
        write_file(tmp_path / name, "text")
        assert (tmp_path / name).read_text() == "text"


@pytest.mark.parametrize("exists", [True, False])
def test_the_target_of_a_link_is_replaced(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "deep").mkdir()
    target, middle, link = tmp_path / "deep" / "target", tmp_path / "deep" / "middle", tmp_path / "link"
    if exists:
        target.write_text("old")
    middle.symlink_to("target")
    link.symlink_to(Path("deep") / "middle")
    write_file(link, "new")
    assert link.is_symlink()
    assert middle.is_symlink()
    assert not target.is_symlink()
    assert target.read_text() == "new"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["deep", "link", "middle", "target"]


def test_a_folder_a_loop_and_a_missing_folder_are_errors(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path, tmp_path / "loop", tmp_path / "none" / "file", tmp_path / "nul\0"):
        with pytest.raises(Error, match=r"cannot be written: "):
            write_file(path, "text")
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


def test_a_file_that_may_not_be_written_to_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(Error, match="kept cannot be written"):
        write_file(path, "new")
    assert path.read_text() == "old"


@pytest.mark.parametrize("fault", [KeyboardInterrupt, ValueError, OSError])
def test_an_error_leaves_all_files_as_they_were(tmp_path: Path, fault: type[BaseException]) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(Error if fault is OSError else fault):
        write_and_raise([tmp_path / "a", tmp_path / "b"], fault)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_an_interrupted_process_leaves_no_file_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITING, str(tmp_path / "out")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        assert len(list(tmp_path.iterdir())) == 1
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert list(tmp_path.iterdir()) == []


def test_pipes_and_standard_output_are_written_directly(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "out").symlink_to("/dev/stdout")
    code = "from ir_plugin.cli import main; main()"
    words = ["graph", DIGITS, "--format", "dot", "--quiet", "--out"]
    expected = called(code, *words, tmp_path / "file.dot")
    assert expected.returncode == 0, expected.stderr
    text = (tmp_path / "file.dot").read_text()
    for path in ("/dev/stdout", "/dev/fd/1", tmp_path / "out"):
        assert called(code, *words, path).stdout == text
    with subprocess.Popen([sys.executable, "-c", code, *map(str, [*words, tmp_path / "pipe"])], cwd=ROOT) as process:
        assert (tmp_path / "pipe").read_text() == text
    assert process.returncode == 0
    with (tmp_path / "redirected").open("w") as file:
        subprocess.run([sys.executable, "-c", code, *map(str, words), "/dev/stdout"], cwd=ROOT, stdout=file, check=True)
    assert (tmp_path / "redirected").read_text() == text
    assert called(code, *words, "/dev/full").returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.dot", "out", "pipe", "redirected"]


VERBS: dict[str, list[object]] = {
    "run": [DIGITS, "--config", "PROVIDER=numpy", "--output"],
    "dump": [DIGITS, "--out"],
    "compare": [DIGITS, "--with", DIGITS, "--html"],
    "graph": [DIGITS, "--out"],
    "check": [DIGITS, "--strict", "--json", "--output"],
    "diff": [DIGITS, DIGITS, "--format", "html", "--out"],
    "cut": [DIGITS, "--to", "conv3", "--out"],
}
SUFFIXES = {"graph": ".html", "cut": ".xml"}


@pytest.mark.parametrize("verb", VERBS)
def test_a_full_disk_leaves_the_file_of_a_verb_as_it_was(tmp_path: Path, verb: str) -> None:
    words = VERBS[verb]
    if verb == "check":
        wrong = DIGITS.read_text().replace("<dim>24</dim>", "<dim>25</dim>")
        words = [tmp_path / "wrong.xml", *words[1:]]
        (tmp_path / "wrong.xml").write_text(wrong)
        (tmp_path / "wrong.bin").write_bytes(DIGITS.with_suffix(".bin").read_bytes())
    target = tmp_path / f"out{SUFFIXES.get(verb, '.npz')}"
    target.write_text("old")
    names = sorted(path.name for path in tmp_path.iterdir())
    done = called(LIMITED, verb, *words, target)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert f"{target} cannot be written: File too large" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@pytest.mark.parametrize("function", ["serialize", "save_model"])
def test_a_full_disk_leaves_a_model_as_it_was(tmp_path: Path, function: str) -> None:
    for suffix in (".xml", ".bin"):
        (tmp_path / f"model{suffix}").write_bytes(DIGITS.with_suffix(suffix).read_bytes())
    done = called(SAVING, tmp_path / "model.xml", function, tmp_path / "model.xml")
    assert "cannot be written: File too large" in done.stderr
    for suffix in (".xml", ".bin"):
        assert (tmp_path / f"model{suffix}").read_bytes() == DIGITS.with_suffix(suffix).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.bin", "model.xml"]
