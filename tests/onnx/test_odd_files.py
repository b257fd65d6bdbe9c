"""ONNX files that no exporter writes: each ends in one of our errors, located, or is read as onnxruntime reads it."""

from __future__ import annotations

import gzip
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import TensorProto, helper

import ir_plugin as ov
from ir_plugin.diagnostics import Finding
from ir_plugin.reader.foreign import foreign
from tests.onnx.odd_models import GRAPHS, NODES, OPSETS, Odd, W, valid
from tests.onnx.odd_tensors import EXTERNAL, FUNCTIONS, RAW, SPARSE, TENSORS, Entries
from tests.onnx.runtime import single
from tests.reader.odd_files import FOREIGN, IR
from tests.support.work import counted_lines

X = np.array([[-1, 2, -3], [4, -5, 6]], np.float32)
GROUPS = {
    "opsets": OPSETS, "graphs": GRAPHS, "nodes": NODES, "tensors": TENSORS, "sparse tensors": SPARSE,
    "functions": FUNCTIONS,
}  # fmt: skip
ODD = {f"{group}: {odd.name}": odd for group, items in GROUPS.items() for odd in items}


def source_of(odd: Odd) -> bytes:
    model = valid()
    changed = odd.edit(model)
    return changed if isinstance(changed, bytes) else bytes(model.SerializeToString())


def assert_refused(source: Any) -> None:
    with pytest.raises(ov.Error) as caught:
        ov.Core().read_model(source)
    assert str(caught.value)


def assert_as_onnxruntime(source: Any) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="the oracle onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    session = runtime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    feeds = {"x": X} if any(item.name == "x" for item in session.get_inputs()) else {}
    compiled = ov.Core().compile_model(source)
    ours = list(compiled([X] * len(compiled.inputs)).values())
    for own, reference in zip(ours, session.run(None, feeds), strict=True):
        np.testing.assert_allclose(own, reference, rtol=1e-5)


def findings_of(source: bytes) -> list[Finding]:
    return [finding for finding in ov.Core().validate(source).findings if finding.severity != "note"]


@pytest.mark.parametrize("name", [name for name, odd in ODD.items() if not odd.code])
def test_what_has_no_fault_runs_as_in_onnxruntime(name: str) -> None:
    source = source_of(ODD[name])
    assert findings_of(source) == []
    assert_as_onnxruntime(source)


@pytest.mark.parametrize("name", [name for name, odd in ODD.items() if odd.code])
def test_each_fault_is_found(name: str) -> None:
    odd, source = ODD[name], source_of(ODD[name])
    findings = findings_of(source)
    assert odd.code in [finding.code for finding in findings]
    finding = next(finding for finding in findings if finding.code == odd.code)
    assert finding.help or odd.code == "ON301"
    assert finding.span.path or odd.code in ("ON001", "ON002", "ON003", "ON004", "ON201")
    if odd.is_read:
        assert ov.Core().read_model(source).outputs
    else:
        assert_refused(source)


def test_there_are_enough() -> None:
    assert len(ODD) == sum(map(len, GROUPS.values())) >= 100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside").write_bytes(RAW)
    model = tmp_path / "model"
    (model / "sub").mkdir(parents=True)
    (model / "w.bin").write_bytes(RAW)
    (model / "inner.bin").symlink_to(model / "w.bin")
    (model / "outer.bin").symlink_to(tmp_path / "outside")
    (model / "loop.bin").symlink_to(model / "loop.bin")
    (model / "inside").symlink_to(model, target_is_directory=True)
    (tmp_path / "secret").write_bytes(RAW)
    os.link(tmp_path / "secret", model / "hard.bin")
    os.mkfifo(model / "pipe.bin")
    return model


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
@pytest.mark.parametrize(("entries", "code"), EXTERNAL, ids=lambda value: str(value).replace("\0", "NUL")[:60])
def test_external_data(entries: Entries, code: str, folder: Path) -> None:
    model = valid()
    weights = model.graph.initializer[0]
    weights.ClearField("raw_data")
    weights.data_location = TensorProto.EXTERNAL
    for key, value in entries:
        weights.external_data.add(key=key, value=value)
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    findings = [finding for finding in ov.Core().validate(path).findings if finding.severity != "note"]
    assert [finding.code for finding in findings] == [code] * bool(code)
    if code:
        assert '"w"' in findings[0].message
        assert_refused(path)
    else:
        compiled = ov.Core().compile_model(path)
        np.testing.assert_array_equal(compiled([X])[0], np.maximum(X + W, 0))


def zipped(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.onnx", valid().SerializeToString())


NO_MODELS: dict[str, Callable[[Path], Any]] = {
    "empty": lambda path: path.write_bytes(b""),
    "one byte": lambda path: path.write_bytes(b"\x08"),
    "zeros": lambda path: path.write_bytes(bytes(1000)),
    "a folder": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path),
    "a broken link": lambda path: path.symlink_to("/nope"),
    "JSON": lambda path: path.write_text('{"irVersion": "9", "graph": {}}'),
    "protobuf's text": lambda path: path.write_text(str(valid())),
    "an IR": lambda path: path.write_text('<net version="11"><layers/><edges/></net>'),
    "a ZIP": zipped,
    "gzip": lambda path: path.write_bytes(gzip.compress(valid().SerializeToString())),
    "a pointer of Git LFS": lambda path: path.write_text("version https://git-lfs.github.com/spec/v1\nsize 123\n"),
    "a page": lambda path: path.write_text("<!DOCTYPE html><html></html>"),
    "a mark of order": lambda path: path.write_bytes(b"\xef\xbb\xbf" + valid().SerializeToString()),
    "a graph without its model": lambda path: path.write_bytes(valid().graph.SerializeToString()),
}


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
@pytest.mark.parametrize("suffix", ["onnx", "onnxtxt", "pb"])
@pytest.mark.parametrize("name", NO_MODELS)
def test_what_is_no_model_is_refused_at_once(name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model.{suffix}"
    NO_MODELS[name](path)
    assert_refused(path)
    assert [finding.severity for finding in ov.Core().validate(path).findings][:1] == ["error"]


@pytest.mark.parametrize("name", ["model.pb", "model", "MODEL.ONNX"])
def test_other_names_of_files(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(valid().SerializeToString())
    assert ov.Core().validate(tmp_path / name).findings.sorted() == []
    assert_as_onnxruntime(str(tmp_path / name))


def test_the_work_of_checking_equal_nodes_grows_as_they_do() -> None:
    lines = []
    for copies in (100, 400):
        attention, _ = single("Attention", {}, 1, domain="")
        attention.graph.node.extend([attention.graph.node[0]] * copies)
        with counted_lines() as count:
            assert "ON201" in [finding.code for finding in ov.Core().validate(attention).findings]
        lines.append(count())
    assert lines[1] < 5 * lines[0]


@pytest.mark.parametrize(("least", "most"), [(0, 3), (3, 2), (1, 0), (1, 2**40)])
def test_impossible_lengths_of_suffixes_are_refused(least: int, most: int) -> None:
    node = helper.make_node(
        "BifurcationDetector", ["s", "t"], ["u", "k"], domain="com.microsoft", min_ngram_size=least, max_ngram_size=most
    )
    ends = [helper.make_tensor_value_info(name, TensorProto.INT64, [None]) for name in ("s", "t", "u")]
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(helper.make_graph([node], "g", ends[:2], ends[2:]), opset_imports=imports)
    with pytest.raises(ov.ReadError, match="max_ngram_size"):
        ov.Core().read_model(model)


@pytest.mark.parametrize(
    "name", [name for name in FOREIGN if not name.startswith(("an ONNX model", "weights", "text")) and FOREIGN[name]]
)
def test_another_file_with_the_suffix_of_onnx_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(FOREIGN[name])
    (finding,) = ov.Core().validate(path).findings
    kind = foreign(FOREIGN[name])
    assert kind is not None
    assert (finding.code, finding.help) == ("ON001", kind.help)
    assert finding.message.endswith(f"is not an ONNX model: it is {kind.name}")


@pytest.mark.parametrize(
    ("data", "reason", "help"),
    [
        (b"", "it is empty", "write or copy the model again"),
        (IR, "it is XML", "rename the .xml of an IR to .xml"),
        (b"\x08\x08", "it has no graph", "check that the file is complete"),
        (valid().SerializeToString()[:-9], "", "check that the file is complete"),
    ],
)
def test_what_is_no_onnx_model_is_refused_with_a_way_out(data: bytes, reason: str, help: str, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    with pytest.raises(ov.ReadError) as refused:
        ov.Core().read_model(path)
    assert reason in str(refused.value)
    assert str(refused.value).endswith(help)
