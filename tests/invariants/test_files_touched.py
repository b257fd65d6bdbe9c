"""How many files of the package take part in a small task: what a reader has to follow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples" / "gather_elements" / "gather_elements.xml"
TRACE = """
import sys
from pathlib import Path
import ir_plugin as ov
from ir_plugin.validation.check import check_ir
from ir_plugin.operations.registry import Registry
from ir_plugin.schema import Catalogue
package, files, importing = str(Path(ov.__file__).parent), set(), 0
def trace(frame, event, _argument):
    global importing
    code = frame.f_code
    if code.co_name == "_find_and_load" and "importlib" in code.co_filename:
        importing += {"call": 1, "return": -1}.get(event, 0)
    elif event == "call" and not importing and code.co_filename.startswith(package):
        files.add(code.co_filename)
def modules():
    return {name for name in sys.modules if name.startswith("ir_plugin")}
core, path = ov.Core(), sys.argv[1]
model = core.read_model(path) if sys.argv[2] == "compile" else None
before = modules()
sys.setprofile(trace)
if model is None:
    str(check_ir(path, None, Registry(), Catalogue()))
else:
    core.compile_model(model, "CPU", {"PROVIDER": "numpy"})
sys.setprofile(None)
print(len(files), len(modules() - before))
"""


def touched(path: Path, task: str) -> tuple[int, int]:
    """Return the files of which a task calls functions, and the modules that it imports, in a new process."""
    command = [sys.executable, "-c", TRACE, str(path), task]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    called, imported = map(int, done.stdout.split())
    return called, imported


def test_compiling_one_layer_calls_functions_of_few_files() -> None:
    called, _ = touched(SAMPLE, "compile")
    assert 20 < called <= 45


def test_a_misspelt_attribute_is_reported_without_the_classes_of_other_operations(tmp_path: Path) -> None:
    file = tmp_path / "misspelt.xml"
    file.write_text(SAMPLE.read_text("utf-8").replace(' axis="', ' axes="'), "utf-8")
    called, imported = touched(file, "check")
    assert 20 < called <= 60
    assert imported <= 10
