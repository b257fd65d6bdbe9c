"""Every module of OpenVINO imports here, and what it names exists or says what to use instead."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin
from ir_plugin.diagnostics.absent import is_placeholder
from ir_plugin.diagnostics.modules import absent_names
from ir_plugin.errors import AbsentError, InputError
from tests.api.modules import modules, offered, ours

MODULES = modules()
PACKED = ("u1", "u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1")


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_with_all_its_names(name: str) -> None:
    module = ours(name)
    for item in MODULES[name]:
        exec(f"from ir_plugin{'.' * bool(name)}{name} import {item}", {})
        value = getattr(module, item)
        if is_placeholder(value):
            for use in (value, lambda value=value: value.attribute, lambda value=value: type("Own", (value,), {})):
                with pytest.raises(AbsentError, match=f"{item} is not offered: "):
                    use()
            assert not isinstance(3, value)


def test_what_is_listed_as_absent_does_not_exist() -> None:
    """A name that exists now leaves the table by `python -m tests.api.modules`."""
    for name, items in absent_names().items():
        assert [item for item in items if offered(ours(name), item) is not None] == [], name


def test_a_name_that_openvino_has_not_is_no_name_here() -> None:
    for name in MODULES:
        module = ours(name)
        assert not hasattr(module, "nonsense_of_nobody")
        with pytest.raises(ImportError, match="cannot import name"):
            exec(f"from {module.__name__} import nonsense_of_nobody", {})
    with pytest.raises(ModuleNotFoundError, match=r"ir_plugin\.nonsense"):
        importlib.import_module("ir_plugin.nonsense")


def test_modules_that_stand_for_others_are_these() -> None:
    program = "import ir_plugin.opset8.ops as ops; import ir_plugin as ov; assert ops.relu is ov.opset8.relu"
    program += (
        "; from ir_plugin._pyopenvino.properties.hint import Priority; assert Priority is ov.properties.hint.Priority"
    )
    program += "; import ir_plugin.helpers.packing as packing; assert packing is ov.helpers"
    program += "; from ir_plugin.tools import ovc; assert ovc.convert_model is ov.convert_model"
    program += "; import ir_plugin.tools.benchmark.main, ir_plugin.torch"
    subprocess.run([sys.executable, "-c", program], check=True)


OF_SCRIPTS = """
from ir_plugin.runtime import Core, Layout, Model, PartialShape, Type, opset8, opset13, properties
import ir_plugin.runtime as runtime
import ir_plugin.runtime.opset8 as ops
import ir_plugin.runtime.opset13 as opset
from ir_plugin.runtime.passes import Manager, MatcherPass, WrapType
from ir_plugin.runtime.op import Constant
from ir_plugin.runtime.utils.types import get_element_type
import ir_plugin.runtime.properties.hint as hints
from ir_plugin.preprocess import ColorFormat, PrePostProcessor, ResizeAlgorithm
import ir_plugin.preprocess.torchvision
import ir_plugin.properties.hint as hint
from ir_plugin.passes import Matcher
from ir_plugin.utils import deprecation
from ir_plugin.op.util import Variable
import ir_plugin as ov
import ir_plugin.openvino.passes, ir_plugin.openvino.preprocess.torchvision

assert Core is ov.Core and runtime.Model is ov.Model and ops.relu is opset8.relu is ov.opset8.relu
assert hints is hint is ov.properties.hint and opset is opset13 is ov.opset13
assert ov.passes is ir_plugin.openvino.passes
assert ir_plugin.preprocess.torchvision is ir_plugin.openvino.preprocess.torchvision
"""


def test_scripts_import_by_every_path_that_openvino_had() -> None:
    """`openvino.runtime` is what scripts before 2025 import."""
    subprocess.run([sys.executable, "-W", "error", "-c", OF_SCRIPTS], check=True)


def test_every_module_of_openvino_is_known_by_its_name() -> None:
    """A folder or module that is added to `ir_plugin.openvino` is found without it, unless it is private."""
    folder = Path(ir_plugin.__file__).parent / "openvino"
    names = {path.stem for path in folder.iterdir() if path.suffix in ("", ".py") and not path.name.startswith("__")}
    own = {"api", "conversion", "input_model", "surgery"}
    assert names - own <= set(ir_plugin._OPENVINO)
    assert {name.partition(".")[0] for name in absent_names()} <= set(ir_plugin._OPENVINO)


def test_importing_loads_none_of_them() -> None:
    program = "import sys; before = set(sys.modules); import ir_plugin; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=os.environ)
    loaded = {name for name in done.stdout.split() if name.startswith("ir_plugin")}
    assert loaded == {"ir_plugin", "ir_plugin.version"}


@pytest.mark.parametrize("type", PACKED)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 16, 24])
def test_packs_and_unpacks_as_openvino(type: str, count: int) -> None:
    rng = np.random.default_rng(count)
    bits = getattr(openvino.Type, type).bitwidth
    low, high = (-8, 8) if type == "i4" else (0, 2**bits)
    for dtype in (np.int32, np.int8, np.float32):
        array = rng.integers(low, high, count).astype(dtype)
        packed: Any = openvino.helpers.pack_data(array, getattr(openvino.Type, type))
        own = ir_plugin.helpers.pack_data(array, getattr(ir_plugin.Type, type))
        assert own.dtype == packed.dtype
        np.testing.assert_array_equal(own, packed)
        values: Any = openvino.helpers.unpack_data(packed, getattr(openvino.Type, type), [count])
        again = ir_plugin.helpers.unpack_data(own, getattr(ir_plugin.Type, type), ir_plugin.Shape([count]))
        assert again.dtype == values.dtype
        np.testing.assert_array_equal(again, values)


def test_packing_refuses_what_openvino_refuses() -> None:
    from ir_plugin.exceptions import OVError, OVTypeError, UserInputError

    with pytest.raises(UserInputError, match="without rounding"):
        ir_plugin.helpers.pack_data(np.array([1.5]), ir_plugin.Type.u4)
    with pytest.raises(OVTypeError, match="one of u1, u2, u3"):
        ir_plugin.helpers.pack_data(np.array([1]), ir_plugin.Type.i8)
    assert issubclass(OVTypeError, OVError)
    assert issubclass(OVTypeError, TypeError)
    assert issubclass(UserInputError, OVError)


def test_bounds_of_values_are_openvinos() -> None:
    texts = []
    for library in (openvino, ir_plugin):
        ops: Any = importlib.import_module(f"{library.__name__}.opset13")
        experimental: Any = importlib.import_module(f"{library.__name__}.experimental")
        x = ops.parameter([-1, library.Dimension(2, 5), 3])
        lengths = ops.shape_of(x).output(0)
        shape = library.PartialShape([1])
        text = [tensor.data.tolist() for tensor in experimental.evaluate_both_bounds(lengths)]
        text += [experimental.evaluate_as_partial_shape(lengths, shape), str(shape)]
        text += [experimental.evaluate_as_partial_shape(x.output(0), shape), str(shape)]
        experimental.set_tensor_type(x.output(0).get_tensor(), library.Type.i8, library.PartialShape([1, -1]))
        text += [str(x.get_output_partial_shape(0)), str(x.get_output_element_type(0))]
        experimental.set_element_type(x.output(0).get_tensor(), library.Type.f16)
        texts.append([*text, str(x.get_output_partial_shape(0)), str(x.get_output_element_type(0))])
    assert texts[0] == texts[1]


def test_modules_are_attributes_of_the_package() -> None:
    modules = [name for name, value in vars(openvino).items() if type(value) is type(openvino)]
    assert [name for name in modules if not hasattr(ir_plugin, name)] == []


def test_the_front_end_of_ir_reads_it(tmp_path: Any) -> None:
    x = ir_plugin.opset13.parameter([2], name="x")
    path = tmp_path / "net.xml"
    ir_plugin.save_model(ir_plugin.Model([ir_plugin.opset13.relu(x)], [x], "net"), path)
    manager = ir_plugin.frontend.FrontEndManager()
    for front_end in (manager.load_by_framework("ir"), manager.load_by_model(path)):
        assert front_end.convert(front_end.load(path)).friendly_name == "net"
    assert ir_plugin.convert_model(path).friendly_name == "net"
    with pytest.raises(AbsentError, match="no front end tf"):
        manager.load_by_framework("tf")
    with pytest.raises(ir_plugin.frontend.InitializationFailure):
        manager.load_by_framework("nonsense")
    with pytest.raises(AbsentError, match="convert it with openvino"):
        ir_plugin.convert_model(object())


def test_the_front_end_of_onnx_reads_it(tmp_path: Any) -> None:
    onnx: Any = pytest.importorskip("onnx")
    ports = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in ("x", "y")]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "relu", ports[:1], ports[1:])
    model = onnx.helper.make_model(graph)
    path = tmp_path / "relu.onnx"
    onnx.save(model, path)
    manager = ir_plugin.frontend.FrontEndManager()
    front_end = manager.load_by_model(path)
    assert (front_end.get_name(), repr(manager.load_by_framework("onnx"))) == ("onnx", "<FrontEnd 'onnx'>")
    for read in (
        front_end.convert(front_end.load(path)),
        ir_plugin.convert_model(path),
        ir_plugin.convert_model(model),
    ):
        np.testing.assert_array_equal(ir_plugin.compile_model(read)(np.array([-1, 2], np.float32))[0], [0, 2])


def test_a_loaded_model_is_changed_before_its_conversion(tmp_path: Any) -> None:
    onnx: Any = pytest.importorskip("onnx")
    ports = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 3]) for name in ("x", "y")]
    nodes = [onnx.helper.make_node("Relu", ["x"], ["r"], name="relu"), onnx.helper.make_node("Abs", ["r"], ["y"])]
    path = tmp_path / "net.onnx"
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph(nodes, "net", ports[:1], ports[1:])), path)
    seen = []
    for library in (openvino, ir_plugin):
        front_end = library.frontend.FrontEndManager().load_by_framework("onnx")
        loaded = front_end.load(str(path))
        x, r = loaded.get_place_by_tensor_name("x"), loaded.get_place_by_tensor_name("r")
        text = [loaded.get_inputs()[0].get_names(), loaded.get_outputs()[0].get_names(), r.get_names()]
        text += [x.is_input(), r.is_input(), r.is_output(), x.is_equal(loaded.get_inputs()[0]), x.is_equal(r)]
        text += [r.get_producing_operation().get_names(), loaded.get_place_by_tensor_name("nonsense")]
        text += [str(loaded.get_partial_shape(x)), str(loaded.get_element_type(x))]
        loaded.set_partial_shape(x, library.PartialShape([-1, 3]))
        loaded.add_name_for_tensor(r, "inner")
        text += [str(loaded.get_partial_shape(x))]
        model = front_end.convert(loaded)
        seen.append([*text, str(model.inputs), str(model.outputs), [node.friendly_name for node in model.get_ops()]])
    assert seen[1] == seen[0]


def test_a_loaded_model_is_cut_before_its_conversion(tmp_path: Any) -> None:
    x = ir_plugin.opset13.parameter([2], name="x")
    inner = ir_plugin.opset13.relu(x, name="inner")
    inner.output(0).set_names({"inner"})
    path = tmp_path / "net.xml"
    ir_plugin.save_model(ir_plugin.Model([ir_plugin.opset13.exp(inner, name="end")], [x]), path)
    front_end: Any = ir_plugin.frontend.FrontEnd()
    loaded = front_end.load(path)
    loaded.override_all_inputs([loaded.get_place_by_tensor_name("inner")])
    model = front_end.convert(loaded)
    assert [port.any_name for port in model.inputs] == ["inner"]
    loaded = front_end.load(path)
    loaded.override_all_outputs([loaded.get_place_by_operation_name("inner").get_target_tensor()])
    nodes = front_end.convert(loaded).get_ordered_ops()
    assert [node.get_type_name() for node in nodes] == ["Parameter", "Relu", "Result"]
    with pytest.raises(InputError, match="is an operation; a tensor is needed"):
        loaded.get_partial_shape(loaded.get_place_by_operation_name("inner"))


@pytest.mark.parametrize("name", ["x", "r", "y"])
def test_a_tensor_of_a_loaded_model_gets_a_new_name(tmp_path: Any, name: str) -> None:
    x = ir_plugin.opset13.parameter([2], name="x")
    inner = ir_plugin.opset13.relu(x)
    end = ir_plugin.opset13.exp(inner)
    for port, old in zip((x.output(0), inner.output(0), end.output(0)), "xry", strict=True):
        port.set_names({old, f"{old}2"})
    path = tmp_path / "net.xml"
    ir_plugin.save_model(ir_plugin.Model([end], [x]), path)
    front_end: Any = ir_plugin.frontend.FrontEnd()
    loaded = front_end.load(path)
    place = loaded.get_place_by_tensor_name(name)
    loaded.set_partial_shape(place, [-1])
    loaded.set_name_for_tensor(place, "new")
    loaded.add_name_for_tensor(place, "newer")
    model = front_end.convert(loaded)
    ports = {name for node in model.get_ops() for port in node.outputs() for name in port.names}
    assert ports == {*"xry", "x2", "r2", "y2", "new", "newer"} - {name, f"{name}2"}
    assert str(model.input(0).partial_shape) == ("[?]" if name == "x" else "[2]")
