"""Reading and checking a model opens the file itself and its weights: a hook of the interpreter sees each opened file,
each process and each connection. What the files name is a pipe, so that code that opens it in C waits for ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.onnx.odd_models import valid
from tests.reader.odd_files import IR

TEMPTING = {
    "plain": IR,
    "entity": b'<!DOCTYPE net [<!ENTITY x SYSTEM "secret.txt">]>' + IR.split(b"?>", 1)[1].replace(b'"x"', b'"&x;"'),
    "dtd": b'<!DOCTYPE net SYSTEM "secret.txt">' + IR.split(b"?>", 1)[1],
    "inclusion": IR.replace(
        b"<layers>",
        b'<layers><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="secret.txt" parse="text"/>',
    ),
    "style sheet": IR.replace(b"<net", b'<?xml-stylesheet href="secret.txt" type="text/xsl"?><net', 1),
    "schema": IR.replace(
        b"<net ",
        b'<net xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="secret.txt" ',
        1,
    ),
    "path": IR.replace(b'shape="2"', b'shape="2" path="secret.txt" library="./secret.so" weights="secret.txt"', 1),
}
SCRIPT = """
import sys
import ir_plugin as ov

def visit(path):
    ov.Core().validate(path)
    try:
        ov.Core().read_model(path)
    except ov.Error:
        return

opened = []

def hook(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect", "ctypes.dlopen"):
        opened.append(f"{event} {arguments[0]}")
    elif event == "open" and isinstance(arguments[0], str):
        opened.append(arguments[0])

for path in sys.argv[1:]:
    visit(path)
sys.addaudithook(hook)
for path in sys.argv[1:]:
    visit(path)
print("\\n".join(sorted(set(opened))))
"""


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_model_opens_its_own_files_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "secret.txt")
    models = [f"{name}.xml" for name in TEMPTING]
    for name, text in TEMPTING.items():
        (tmp_path / f"{name}.xml").write_bytes(text)
        (tmp_path / f"{name}.bin").write_bytes(b"")
    model = valid()
    model.metadata_props.add(key="location", value="secret.txt")
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *models, "model.onnx"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.stderr == ""
    own = {"model.onnx", *models, *(f"{name}.bin" for name in TEMPTING)}
    assert set(done.stdout.split("\n")) - own - {""} == set()
    assert set(models) <= set(done.stdout.split("\n"))
