"""Writing: version 10, names, runtime information, and what happens on errors."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import openvino as ov
import pytest

import ir_plugin
from ir_plugin import Error, InputError, UnsupportedError
from tests.api.test_legacy import through
from tests.support.changed import DIGITS
from tests.writer.same import require_same


def read(source: str | Path | bytes) -> ir_plugin.Model:
    return ir_plugin.Core().read_model(source, validate=False)


def test_version10_computes_the_same(tmp_path: Path) -> None:
    model = read(DIGITS)
    ir_plugin.serialize(model, tmp_path / "old.xml", version=10)
    assert b'version="10"' in (tmp_path / "old.xml").read_bytes()
    images = np.load(DIGITS.with_name("images.npy"))[:4].astype(np.float32)
    expected = ir_plugin.compile_model(model)([images])[0]
    np.testing.assert_array_equal(ir_plugin.compile_model(tmp_path / "old.xml")([images])[0], expected)
    theirs = ov.Core().compile_model(tmp_path / "old.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    np.testing.assert_allclose(theirs([images])[0], expected, rtol=1e-4, atol=1e-6)


def test_version10_names_all_that_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError) as caught:
        ir_plugin.serialize(read(through("f16", 11)), tmp_path / "old.xml", version="IR_V10")
    assert 'input "p" is f16; readers of version 10 make it f32' in str(caught.value)
    assert 'output "r" is f16; readers of version 10 make it f32' in str(caught.value)
    with pytest.raises(UnsupportedError, match="i64; readers of version 10 make it i32"):
        ir_plugin.serialize(read(through("i64", 11)), tmp_path / "old.xml", version=10)
    with pytest.raises(UnsupportedError, match="element type string, which version 10 lacks"):
        ir_plugin.serialize(read(through("string", 11)), tmp_path / "old.xml", version=10)
    assert list(tmp_path.iterdir()) == []


def test_version10_refuses_intervals_and_new_operations(tmp_path: Path) -> None:
    bounded = through("f32", 11).replace(b'shape="2"', b'shape="1..2"').replace(b"<dim>2</dim>", b"<dim>-1</dim>")
    with pytest.raises(UnsupportedError, match=r"shape \[1..2\]; version 10 knows lengths and -1 only"):
        ir_plugin.serialize(read(bounded), tmp_path / "old.xml", version=10)
    xml = through("f32", 11).replace(
        b'type="Concat" version="opset1"><data axis="0"/>', b'type="IsNaN" version="opset10">'
    )
    with pytest.raises(UnsupportedError, match='layer "joined" is IsNaN of opset10'):
        ir_plugin.serialize(read(xml), tmp_path / "old.xml", version=10)


def test_dynamic_dimensions_of_version10(tmp_path: Path) -> None:
    ir_plugin.serialize(read(DIGITS), tmp_path / "old.xml", version=10)
    assert 'shape="-1,1,8,8"' in (tmp_path / "old.xml").read_text()
    require_same(read(tmp_path / "old.xml"), read(tmp_path / "old.xml"))


def test_names_with_commas_and_markup(tmp_path: Path) -> None:
    model = read(DIGITS)
    model.input().set_names({"a,b", "c", 'q"<&>\t'})
    model.outputs[0].node.set_friendly_name("ü < &\n")
    ir_plugin.serialize(model, tmp_path / "copy.xml")
    again = read(tmp_path / "copy.xml")
    assert again.input().names == {"a,b", "c", 'q"<&>\t'}
    assert again.results[0].name == "ü < &\n"
    assert ov.Core().read_model(tmp_path / "copy.xml").input(0).names == {"a,b", "c", 'q"<&>\t'}


@pytest.mark.parametrize("names", [{"a\\,b"}, {"a\\", "b\\"}])
def test_names_that_no_file_can_hold(names: set[str], tmp_path: Path) -> None:
    model = read(DIGITS)
    model.input().set_names(names)
    with pytest.raises(Error, match="backslash"):
        ir_plugin.serialize(model, tmp_path / "copy.xml")
    assert list(tmp_path.iterdir()) == []


def test_characters_that_no_xml_can_hold(tmp_path: Path) -> None:
    model = read(DIGITS)
    model.friendly_name = "a\x00b"
    (tmp_path / "copy.xml").write_text("old")
    with pytest.raises(Error, match="XML has no way to hold"):
        ir_plugin.serialize(model, tmp_path / "copy.xml")
    assert (tmp_path / "copy.xml").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["copy.xml"]


def test_runtime_information(tmp_path: Path) -> None:
    model = read(DIGITS)
    for value, path in (("v", ["a", "b"]), ([1, 2], "list"), (True, "flag"), ("", "empty"), ("x", ["1 odd/key", "2"])):
        model.set_rt_info(value, path)
    ir_plugin.serialize(model, tmp_path / "copy.xml")
    again = read(tmp_path / "copy.xml")
    assert again.get_rt_info(["a", "b"]) == "v"
    assert again.get_rt_info("list").aslist(int) == [1, 2]
    assert again.get_rt_info("flag").astype(bool) is True
    assert again.get_rt_info(["1 odd/key", "2"]).value == "x"
    theirs = ov.Core().read_model(tmp_path / "copy.xml")
    assert theirs.get_rt_info(["1 odd/key", "2"]).value == "x"
    ir_plugin.serialize(again, tmp_path / "again.xml")
    require_same(again, read(tmp_path / "again.xml"))


def test_layouts_are_kept(tmp_path: Path) -> None:
    model = read(DIGITS)
    model.input().node.layout = ir_plugin.Layout("NCHW")
    ir_plugin.serialize(model, tmp_path / "copy.xml")
    assert read(tmp_path / "copy.xml").parameters[0].layout == "NCHW"
    assert str(ov.Core().read_model(tmp_path / "copy.xml").get_parameters()[0].layout) == "[N,C,H,W]"


def test_over_its_own_files(tmp_path: Path) -> None:
    """The weights are mapped from the very file that is replaced."""
    ir_plugin.serialize(read(DIGITS), tmp_path / "model.xml")
    model = read(tmp_path / "model.xml")
    model.reshape([5, 1, 8, 8])
    ir_plugin.serialize(model, tmp_path / "model.xml")
    again = read(tmp_path / "model.xml")
    require_same(model, again)
    assert again.output().shape == [5, 10]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.bin", "model.xml"]


def test_changed_models(tmp_path: Path) -> None:
    model = read(DIGITS)
    model.add_outputs(["conv1", "mean"])
    ir_plugin.serialize(model, tmp_path / "more.xml")
    again = read(tmp_path / "more.xml")
    assert len(again.outputs) == 3
    require_same(model, again)
    assert len(ov.Core().read_model(tmp_path / "more.xml").outputs) == 3


def test_wrong_arguments(tmp_path: Path) -> None:
    model = read(DIGITS)
    with pytest.raises(InputError, match=r"does not end in \.xml"):
        ir_plugin.serialize(model, tmp_path / "model.onnx")
    with pytest.raises(InputError, match="no IR version 12"):
        ir_plugin.serialize(model, tmp_path / "model.xml", version=12)
    with pytest.raises(InputError, match="a model that was read"):
        ir_plugin.save_model("model", tmp_path / "model.xml")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a path is needed"):
        ir_plugin.serialize(model, 5)  # type: ignore[arg-type]
    ir_plugin.serialize(model, tmp_path / "new" / "folder" / "model.xml", tmp_path / "other" / "model.bin")
    assert (tmp_path / "new" / "folder" / "model.xml").exists()
    assert (tmp_path / "other" / "model.bin").exists()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"the folder of .* cannot be made"):
        ir_plugin.serialize(model, tmp_path / "file" / "model.xml")
    (tmp_path / "model.xml").mkdir()
    with pytest.raises(Error, match="cannot be written"):
        ir_plugin.serialize(model, tmp_path / "model.xml")


@pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX's")
def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    ir_plugin.serialize(read(DIGITS), tmp_path / "copy.xml")
    (tmp_path / "plain").touch()
    assert (tmp_path / "copy.xml").stat().st_mode == (tmp_path / "plain").stat().st_mode
