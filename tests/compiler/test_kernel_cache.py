"""What numba compiles is kept on disk: never used for other sources, never executed when damaged, never required."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ir_plugin.operations.arithmetic.unary import Tanh
from tests.support.skips import COMPILED

pytest.importorskip("numba", reason=COMPILED)

ROOT = Path(__file__).parents[2]
KERNELS = Path("ir_plugin/kernels")
FOLDER = KERNELS / "numba"
SHARED = """
from ir_plugin.kernels.numba.runtime.jit import compiled
TERM = 1.0

@compiled("f8(f8)")
def shared(x):
    return x + TERM
"""
DEPENDENT = """
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.shared import shared
import numpy as np

@compiled("f8(f8)", "f4(f4)")
def dependent(x):
    return 2 * shared(x)

@job
def task(address, part):
    carray(pointer(address), (1,), np.float64)[0] = shared(part)
"""
RUN = """
import ctypes
import numpy as np
from ir_plugin.kernels.numba.dependent import dependent, task
number = np.zeros(1)
ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(task.address)(number.ctypes.data, 3)
print(dependent(1.0), dependent(np.float32(2)), number[0])
"""
RIGHT = "4.0 6.0 4.0"
KILL = """
import os, signal, sys
from itertools import count
from pathlib import Path
from ir_plugin.kernels.numba.dependent import dependent
from ir_plugin.kernels.numba.runtime import kernel_cache

def kill_at(moment):
    moments = count()
    def trace(frame, event, _):
        if not frame.f_code.co_filename.endswith(("kernel_cache.py", "pathlib.py", "_local.py")):
            return None
        if next(moments) == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)

cache, (folder,) = dependent.cache, kernel_cache.folders()
code = cache.load("f8(f8)")
killed, seen = 0, set()
for moment in count():
    for path in folder.glob("dependent.dependent*"):
        path.unlink()
    child = os.fork()
    if not child:
        kill_at(moment)
        cache.save("f8(f8)", code, 1.0)
        sys.settrace(None)
        os._exit(0)
    is_ended = os.waitpid(child, 0)[1] == 0
    kept = cache.load("f8(f8)")
    assert kept in (None, code)
    assert (kept is None) == (not list(folder.glob("dependent.dependent*.kernel")))
    seen.add(kept is None)
    if is_ended:
        break
    killed += 1
print(killed >= 30, kept == code, len(seen))
"""
"""Kills a process that saves a kernel at each line in turn, until one is not killed."""


def _kernels_of_these_sources(folder: str, names: list[str]) -> list[str]:
    """Return the names in a folder of the package that are not copied: compiled kernels, and not compiled modules."""
    return [name for name in names if name == "__pycache__" and Path(folder).name == "kernels"]


class Copy:
    """A copy of the package with a kernel that calls one of another module, and where its compiled code is kept."""

    def __init__(self, root: Path, where: str) -> None:
        self.root = root
        shutil.copytree(ROOT / "ir_plugin", root / "ir_plugin", ignore=_kernels_of_these_sources)
        self.shared = root / FOLDER / "shared.py"
        self.shared.write_text(SHARED, "utf-8")
        (root / FOLDER / "dependent.py").write_text(DEPENDENT, "utf-8")
        self.environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "HOME": str(root / "home")}
        self.environment |= {"XDG_CACHE_HOME": str(root / "home" / "caches"), "PYTHONPATH": str(root)}
        self.environment.pop("NUMBA_CACHE_DIR", None)
        self.cache_folder = root / KERNELS / "__pycache__"
        if where == "NUMBA_CACHE_DIR":
            self.cache_folder = root / "kept"
            self.environment["NUMBA_CACHE_DIR"] = str(self.cache_folder)
        elif where == "read-only sources":
            self.cache_folder.write_text("no folder can be written here, whoever the user is", "utf-8")
            self.cache_folder = root / "home" / "caches" / "numba"

    def run(self, code: str = RUN) -> tuple[str, str]:
        """Return what a new process prints, and what it says beside it."""
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=self.root, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr

    def edit(self, before: str, after: str) -> None:
        self.shared.write_text(self.shared.read_text("utf-8").replace(before, after), "utf-8")

    def files(self) -> list[Path]:
        return sorted(self.cache_folder.glob("ir_plugin-*/*.kernel"))


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path, "NUMBA_CACHE_DIR")


@pytest.mark.parametrize("where", ["sources", "NUMBA_CACHE_DIR", "read-only sources"])
def test_an_edit_of_a_shared_function_reaches_the_kernels_that_call_it(where: str, tmp_path: Path) -> None:
    copy = Copy(tmp_path, where)
    copy.edit("TERM = 1.0", "TERM = 5.0")
    output, log = copy.run()
    assert output == "12.0 14.0 8.0"
    assert log.count("compiling kernels with numba") == 1
    assert log.count("\n") == 1
    copy.edit("TERM = 5.0", "TERM = 1.0")
    output, log = copy.run()
    assert output == RIGHT
    assert "compiling" in log
    assert len(copy.files()) == 6
    assert copy.run() == (RIGHT, "")
    (copy.root / KERNELS / "further").mkdir()
    (copy.root / KERNELS / "further" / "constants.py").write_text("TERM = 1.0\n", "utf-8")
    assert "compiling" in copy.run()[1]


def test_a_process_whose_kernels_are_kept_imports_no_compiler(copy: Copy) -> None:
    code = RUN + "\nimport sys; print('numba' in sys.modules)"
    assert copy.run(code)[0] == f"{RIGHT}\nTrue"
    assert copy.run(code) == (f"{RIGHT}\nFalse", "")
    copy.files()[0].unlink()
    assert copy.run(code)[0] == f"{RIGHT}\nTrue"


def test_modules_of_kernels_import_no_compiler() -> None:
    compilers = {"compiler.py", "entry_points.py", "support_functions.py"}
    for path in (ROOT / FOLDER).rglob("*.py"):
        nodes = ast.parse(path.read_text("utf-8")).body
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        imports = {name for name in names if name.split(".")[0] == "numba" or name.startswith("llvmlite.ir")}
        assert not imports or path.name in compilers, f"{path.name}: `runtime.deferred` stands for {imports}"


def test_entry_points_check_their_arguments() -> None:
    from ir_plugin.kernels.numba.elementwise_chain import apply
    from ir_plugin.kernels.numba.elementwise_loops import code_of

    tanh = code_of(Tanh)
    block, codes = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4), np.array([tanh])
    vectors = np.zeros((1, 4), np.float32)
    plain, read_only = np.tanh(block), block.copy()
    read_only.flags.writeable = False
    wrong = [
        (), (block, codes, vectors), (block.T, codes, vectors, vectors), (block.astype("f8"), codes, vectors, vectors),
        (block[0], codes, vectors, vectors), (read_only, codes, vectors, vectors), (block, tanh, vectors, vectors),
        (block, codes.astype(">i8"), vectors, vectors), (block, codes, [[0.0] * 4], vectors),
    ]  # fmt: skip
    for arguments in wrong:
        with pytest.raises(TypeError):
            apply(*arguments)
    assert apply(block, codes, vectors, vectors) is None
    assert np.allclose(block, plain, atol=1e-6)


def test_numbers_pass_through_entry_points() -> None:
    from ir_plugin.kernels.numba.math_functions import erf
    from ir_plugin.kernels.numba.runtime.job import bound

    assert bound(10, 3, np.int64(1)) == 3
    assert type(bound(10, 3, 1)) is int
    assert erf(np.float32(0.5)) == pytest.approx(0.5205, abs=1e-4)
    for arguments in ((1.5, 2, 3), ("10", 3, 1), (10**30, 1, 1)):
        with pytest.raises((TypeError, OverflowError)):
            bound(*arguments)


FAILING = """
import numpy as np
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job

@compiled("f8(f8[::1], i8)")
def element(array, number):
    return array[number]

@job
def clear(address, part):
    carray(pointer(address), (1,), np.float64)[part] = 0
"""


def test_failures_of_compiled_code_are_seen(copy: Copy) -> None:
    (copy.root / FOLDER / "failing.py").write_text(FAILING, "utf-8")
    copy.environment["NUMBA_BOUNDSCHECK"] = "1"
    code = "import numpy as np\nfrom ir_plugin.kernels.numba.failing import clear, element\nones = np.ones(1)\n"
    assert copy.run(f"{code}print(element(ones, 0))")[0] == "1.0"
    raised = "try:\n    element(ones, 1)\nexcept RuntimeError as error:\n    print(error)"
    assert copy.run(code + raised)[0] == "a compiled kernel has failed"
    assert copy.run(f"{code}clear(ones.ctypes.data, 0)\nprint(ones[0])")[0] == "0.0"
    ended = subprocess.run(
        [sys.executable, "-c", f"{code}clear(ones.ctypes.data, 1)"],
        cwd=copy.root, env=copy.environment, capture_output=True, check=False,
    )  # fmt: skip
    assert ended.returncode != 0


def test_an_edit_while_a_process_compiles_is_kept_for_nobody(copy: Copy) -> None:
    write = f"from pathlib import Path; Path({str(copy.shared)!r}).write_text"
    import_edited = "import ir_plugin.kernels.numba.shared"
    edit = f"{write}({SHARED.replace('1.0', '5.0')!r})\n{import_edited}\n{write}({SHARED!r})\n"
    assert copy.run("import ir_plugin.kernels.numba.runtime.jit\n" + edit + RUN)[0] == "12.0 14.0 8.0"
    assert copy.files() == []
    assert copy.run()[0] == RIGHT
    assert copy.run("import ir_plugin.kernels.numba.runtime.jit\n" + edit + RUN)[0] == "12.0 14.0 8.0"


def _flip(position: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[int(position * (len(content) - 1))] ^= 16
        path.write_bytes(content)

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "of other bytes": lambda path: path.write_bytes(b"\x80\x05N." * 99),
    "first byte": _flip(0),
    "a byte of code": _flip(0.5),
    "last byte": _flip(1),
    "of another kernel": lambda path: path.write_bytes(sorted(path.parent.iterdir())[0].read_bytes()),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_compiled_again(damage: str, copy: Copy) -> None:
    assert copy.run()[0] == RIGHT
    files = copy.files()
    for path in files[1:]:
        DAMAGES[damage](path)
    output, log = copy.run()
    assert output == RIGHT
    assert log.count("is damaged; it is compiled again") == 1
    assert copy.files() == files
    assert copy.run() == (RIGHT, "")


def test_what_cannot_be_replaced_is_left(copy: Copy) -> None:
    copy.run()
    for path in copy.files():
        path.unlink()
        path.mkdir()
    output, log = copy.run()
    assert output == RIGHT
    assert log.count("compiled kernels cannot be kept") == 1


def test_a_process_that_is_killed_leaves_a_whole_kernel_or_none(copy: Copy) -> None:
    copy.run()
    assert copy.run(KILL) == ("True True 2", "")
    assert copy.run() == (RIGHT, "compiling kernels with numba, which may take a minute the first time\n")
    assert copy.run() == (RIGHT, "")


def test_kernels_are_compiled_where_they_cannot_be_kept(copy: Copy) -> None:
    copy.cache_folder.write_text("no folder", "utf-8")
    for _ in range(2):
        output, log = copy.run()
        assert output == RIGHT
        assert log.count("compiled kernels cannot be kept") == 1
        assert log.count("NUMBA_CACHE_DIR") == 1
        assert log.count("\n") == 2


def test_sources_that_cannot_be_read_are_no_key(copy: Copy) -> None:
    code = "from pathlib import Path\nPath.rglob = lambda *_: []\n" + RUN
    for _ in range(2):
        output, log = copy.run(code)
        assert output == RIGHT
        assert log.count("cannot be kept, as their sources cannot be read") == 1
    assert copy.files() == []


def test_old_folders_are_removed(copy: Copy) -> None:
    for number in range(6):
        old = copy.cache_folder / f"ir_plugin-{number}"
        old.mkdir(parents=True)
        (old / "dependent.kernel").write_bytes(b"")
        os.utime(old, (1000 + number, 1000 + number))
    (copy.cache_folder / "another program").mkdir()
    copy.run()
    assert len(list(copy.cache_folder.iterdir())) == 8, "an import removes nothing"
    shutil.rmtree(max(copy.cache_folder.glob("ir_plugin-*"), key=lambda folder: folder.stat().st_mtime))
    code = "from ir_plugin.kernels import keys\nfrom ir_plugin.kernels.numba.provider import NUMBA\n"
    copy.run(f"{code}assert NUMBA.find(keys.TRANSPOSED_DEPTHWISE) is not None")
    names = {path.name for path in copy.cache_folder.iterdir()}
    assert names >= {"another program", "ir_plugin-3", "ir_plugin-4", "ir_plugin-5"}
    assert len(names) == 5


def test_settings_of_numba_are_part_of_the_digest(copy: Copy) -> None:
    copy.run()
    copy.environment["NUMBA_OPT"] = "1"
    assert "compiling" in copy.run()[1]
    assert len(list(copy.cache_folder.iterdir())) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_shows_what_is_compiled(copy: Copy) -> None:
    ours, theirs = os.openpty()
    subprocess.run([sys.executable, "-c", RUN], cwd=copy.root, env=copy.environment, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert shown.count("compiling kernels with numba") == 1
    assert "\rir_plugin: compiling dependent.dependent" in shown
    assert shown.endswith("\r")
    assert shown.rstrip("\r").endswith(" ")


def _is_compiled(function: ast.FunctionDef, called: set[str]) -> bool:
    names = {node.id for item in function.decorator_list for node in ast.walk(item) if isinstance(node, ast.Name)}
    return bool(names & {"compiled", "job", "register_jitable"}) or function.name in called


def test_compiled_functions_use_nothing_from_outside_the_kernels() -> None:
    """The digest stands for the sources of the kernels alone."""
    wrong = []
    for path in sorted((ROOT / FOLDER).rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        outside = {
            alias.asname or alias.name
            for node in imports
            if (node.module or "").startswith("ir_plugin") and not (node.module or "").startswith("ir_plugin.kernels")
            for alias in node.names
        }
        passed = {
            node.id
            for call in ast.walk(tree)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Call)
            for node in call.args
            if isinstance(node, ast.Name)
        }
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            if _is_compiled(function, passed):
                used = {node.id for item in function.body for node in ast.walk(item) if isinstance(node, ast.Name)}
                wrong += [f"{path.name}: {function.name} uses {name}" for name in sorted(used & outside)]
    assert wrong == []
