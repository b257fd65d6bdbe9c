"""The classes of `op`: constants, inputs and outputs that are built without an opset, and nodes of their types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import op
from ir_plugin import opset13 as ops
from ir_plugin.errors import InputError
from tests.opsets.scripts import Library, printed_by_both


def constants(lib: Library) -> None:
    ov, op, ops = lib.ov, lib.op, lib.ops
    array = np.array([[1, 2], [3, 4]], np.float32)
    for node in (
        op.Constant(array), op.Constant(array, True), op.Constant(array, shared_memory=False), op.Constant(array=array),
        op.Constant(array.T), op.Constant(ov.Tensor(array)), op.Constant(tensor=ov.Tensor(array)),
        op.Constant(ov.Type.f32, ov.Shape([2, 2]), [1, 2, 3, 4]), op.Constant(ov.Type.i8, ov.Shape([2, 2]), [7]),
        op.Constant(ov.Type.i64, ov.Shape([]), [3]), op.Constant(ov.Type.i32, ov.Shape([1]), [2.7]),
        op.Constant(ov.Type.f16, ov.Shape([2]), np.array([1, 2.5])), op.Constant(np.array([])),
        op.Constant(ov.Type.boolean, ov.Shape([2]), [True, False]),
    ):  # fmt: skip
        lib.show(node, node.get_element_type(), node.data.tolist(), node.data.dtype, node.get_vector().dtype.itemsize)
        lib.show(node.get_value_strings(), node.get_byte_size(), node.get_attributes(), type(node).__name__, node.shape)
    for arguments in ((3,), (), ([1, 2],), (ov.Type.f32, ov.Shape([2, 2]), [1, 2]), (array, 3, 4), (array.T, True)):
        lib.refuses(op.Constant, *arguments)
    shared, copied = op.Constant(array, shared_memory=True), op.Constant(array)
    array[0, 0] = 9
    lib.show(shared.data.tolist(), copied.data.tolist(), isinstance(ops.constant(3), op.Constant))


def parameters_and_results(lib: Library) -> None:
    ov, op = lib.ov, lib.op
    for shape in (ov.Shape([1, 2]), ov.PartialShape([1, -1]), ov.PartialShape.dynamic()):
        node = op.Parameter(ov.Type.f32, shape)
        lib.show(node, node.get_partial_shape(), node.element_type, node.layout, node.get_output_size())
    lib.refuses(op.Parameter, ov.Type.f32)
    lib.refuses(op.Parameter, ov.Shape([1]), ov.Type.f32)
    node = op.Parameter(ov.Type.f32, ov.PartialShape([4]))
    node.set_element_type(ov.Type.i16)
    node.validate_and_infer_types()
    node.layout = ov.Layout("N")
    lib.refuses(setattr, node, "layout", ov.Layout("NCHW"))
    result = op.Result(node.output(0))
    lib.show(result, result.get_output_partial_shape(0), result.get_output_element_type(0), result.get_output_size())
    lib.refuses(op.Result, 3)
    lib.refuses(result.get_output_partial_shape, 1)


def classes_of_nodes(lib: Library) -> None:
    op, ops = lib.op, lib.ops
    x = ops.parameter([2], np.float32, name="x")
    model = lib.ov.Model([ops.relu(ops.add(x, np.float32(1)))], [x], "m")
    path = lib.folder / "classes.xml"
    lib.ov.save_model(model, path)
    for variant in (model, model.clone(), lib.ov.Core().read_model(path)):
        for node in variant.get_ordered_ops():
            kinds = [isinstance(node, cls) for cls in (op.Constant, op.Parameter, op.Result, op.if_op, lib.ov.Node)]
            lib.show(node.get_type_name(), kinds, type(node).__name__)
        lib.show(isinstance(variant.get_parameters()[0], op.Parameter), isinstance(variant.outputs[0].node, op.Result))
    lib.show(sorted(name for name in dir(op) if name[0] not in "_@"))
    lib.show(sorted(name for name in dir(lib.util) if name[0] not in "_@" and name != "annotations"))
    lib.show([hasattr(lib.opset.o6, name) for name in ("if_op", "loop", "tensor_iterator", "assign", "read_value")])
    lib.show([hasattr(lib.opset.o3, name) for name in ("if_op", "loop", "tensor_iterator", "assign", "read_value")])


def changes_of_nodes(lib: Library) -> None:
    ov, ops = lib.ov, lib.ops
    x = ops.parameter([2, 8], np.float32, name="x")
    top = ops.topk(x, ops.constant(2), 1, "max", "value")
    top.set_attribute("axis", 0)
    lib.show(top.get_attributes()["axis"], top.output(0).partial_shape)
    top.validate_and_infer_types()
    lib.show(top.output(0).partial_shape)
    top.set_attribute("mode", "MIN")
    lib.show(top.get_attributes()["mode"])
    lib.refuses(top.set_attribute, "axis", "zz")
    top.set_attribute("axis", 7)
    lib.refuses(top.validate_and_infer_types)
    top.set_attribute("axis", 1)
    top.constructor_validate_and_infer_types()
    lib.show(top, sorted(top.get_attributes()))
    convert = ops.convert(x, "i32")
    convert.set_attribute("destination_type", "f16")
    convert.validate_and_infer_types()
    lib.show(convert.output(0))
    convert.set_output_type(0, ov.Type.i8, ov.PartialShape([1]))
    lib.show(convert.output(0))
    convert.set_output_size(2)
    lib.show(convert.outputs())
    lib.run(ov.Model([top.output(0)], [x]), np.arange(16, dtype=np.float32).reshape(2, 8))


def evaluation_of_nodes(lib: Library) -> None:
    ov, ops = lib.ov, lib.ops
    x = ops.parameter([2], np.float32)
    node = ops.add(x, np.float32(1))
    one, value = ov.Tensor(np.array([1], np.float32)), ov.Tensor(np.array([3, 4], np.float32))
    for length in (2, 5):
        output = ov.Tensor(np.zeros(length, np.float32))
        lib.show(node.evaluate([output], [value, one]), output.data.tolist())
    lib.refuses(node.evaluate, [], [value, one])
    output = ov.Tensor(np.zeros(2, np.float32))
    lib.show(ov.Model([node], [x]).evaluate([output], [value]), output.data.tolist())
    lib.show(x.evaluate([output], [value]))


def arguments_of_nodes(lib: Library) -> None:
    ops = lib.ops
    x, y = ops.parameter([2, 2], np.float32), ops.parameter([2, 2], np.float32)
    node = ops.concat([x, y], 0)
    node.set_arguments([x, y, x])
    node.validate_and_infer_types()
    lib.show(node, node.get_input_size(), len(x.output(0).get_target_inputs()))
    node.set_argument(3, y.output(0))
    node.validate_and_infer_types()
    lib.show(node, [value.get_node() == x for value in node.input_values()], len(y.output(0).get_target_inputs()))
    node.set_arguments([x.output(0)])
    node.validate_and_infer_types()
    lib.show(node, len(x.output(0).get_target_inputs()), len(y.output(0).get_target_inputs()))
    lib.run(lib.ov.Model([node.output(0)], [x]), np.ones((2, 2), np.float32))


def symbols(lib: Library) -> None:
    ov, ops, s = lib.ov, lib.ops, lib.ov.Symbol()
    d = ov.Dimension()
    lib.show(d.has_symbol(), bool(d.get_symbol()), s == s, ov.Symbol() == ov.Symbol())
    d.set_symbol(s)
    lib.show(d.has_symbol(), bool(d.get_symbol()), d.get_symbol() == s, d == ov.Dimension())
    shape = ov.PartialShape([d, 3])
    lib.show(shape, [dim.has_symbol() for dim in shape], shape[0].get_symbol() == s)
    d.set_symbol(None)
    shape[1].set_symbol(s)
    lib.show(d.has_symbol(), shape[0].has_symbol(), shape[1].has_symbol(), ov.PartialShape([3])[0].has_symbol())
    lib.refuses(d.set_symbol, 3)
    x = ops.parameter(shape, np.float32)
    three = ops.constant(np.ones(3, np.float32))
    for node in (x, ops.relu(x), ops.add(x, three), ops.transpose(x, ops.constant([1, 0])), ops.unsqueeze(x, 0)):
        lib.show([dim.has_symbol() for dim in node.output(0).partial_shape])


def bounds_of_values(lib: Library) -> None:
    ov, ops, s = lib.ov, lib.ops, lib.ov.Symbol()
    port = ops.shape_of(ops.parameter([2, -1])).output(0)
    tensor = port.get_tensor()
    lib.show(tensor.get_value_symbol())
    tensor.set_lower_value(ov.Tensor(np.array([2, 5])))
    tensor.set_upper_value(ov.Tensor(np.array([2, 5])))
    tensor.set_value_symbol([s, s])
    lib.show(port.get_tensor().get_lower_value().data.tolist(), tensor.get_upper_value().data.tolist())
    lib.show([symbol == s for symbol in port.get_tensor().get_value_symbol()])
    lib.show(ops.reshape(ops.parameter([10]), port, False).output(0).partial_shape)
    lib.refuses(tensor.set_lower_value, 3)
    lib.refuses(tensor.set_value_symbol, 3)
    lib.refuses(tensor.set_lower_value, ov.Tensor(np.zeros((2, 2))))


SCRIPTS: list[Callable[[Library], None]] = [
    constants, parameters_and_results, classes_of_nodes, changes_of_nodes, evaluation_of_nodes, arguments_of_nodes,
    symbols, bounds_of_values,
]  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_prints_what_openvino_prints(script: Callable[[Library], None], tmp_path: Path) -> None:
    theirs, ours = printed_by_both(script, tmp_path)
    assert ours == theirs


def test_an_unknown_attribute_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InputError, match="axis"):
        ops.softmax(ops.parameter([2]), 0).set_attribute("axes", 1)


def test_an_operation_with_two_inputs_takes_no_third() -> None:
    x = ops.parameter([2], np.float32)
    node = ops.add(x, x)
    with pytest.raises(InputError):
        node.set_argument(2, x)
    with pytest.raises(InputError):
        node.set_arguments([x])
    assert node.get_input_size() == 2
    assert len(x.output(0).get_target_inputs()) == 2


def test_a_constant_of_another_length_changes_nothing() -> None:
    x = ops.parameter([2, 3])
    before = len(x.output(0).get_target_inputs())
    with pytest.raises(InputError):
        op.Constant(ov.Type.f32, ov.Shape([2, 2]), [1, 2, 3])
    assert len(x.output(0).get_target_inputs()) == before
