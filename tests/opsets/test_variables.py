"""Variables of models that are built: ReadValue, Assign, sinks, and the editing of all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.errors import InputError
from ir_plugin.op.util import Variable, VariableInfo
from tests.opsets.scripts import Library, printed_by_both

X = np.array([[1, 2], [3, 4]], np.float32)


def variable(lib: Library, name: str = "v", shape: Any = (2, 2), type: str = "f32") -> Any:
    info = lib.util.VariableInfo()
    info.variable_id = name
    info.data_type = getattr(lib.ov.Type, type)
    info.data_shape = lib.ov.PartialShape(list(shape))
    return lib.util.Variable(info)


def _infos(variables: Any) -> list[tuple[Any, ...]]:
    return [(known.info.variable_id, known.info.data_type, known.info.data_shape) for known in variables]


def read_value_in_every_form(lib: Library) -> None:
    ops, init = lib.ops, lib.ops.constant(np.zeros((2, 2), np.float32))
    v = variable(lib)
    for node in (
        ops.read_value(init, "v"),
        ops.read_value("v"),
        ops.read_value("v", np.float32, [2, 2]),
        ops.read_value(init, "v", np.float32, [2, 2]),
        ops.read_value(init, "v", lib.ov.Type.f32, lib.ov.PartialShape([-1, 2])),
        ops.read_value(init, variable_id="v", variable_type=np.float32, variable_shape=[2, 2]),
        ops.read_value(v),
        ops.read_value(init, v),
        ops.read_value(init.output(0), v),
        ops.read_value(X, "v"),
        lib.op.read_value(v),
        lib.op.read_value(init, v),
        lib.opset.o6.read_value(init, "v"),
        lib.opset.o3.read_value(init, "v"),
        lib.opset.o5.read_value(init_value=X, variable_id="v"),
    ):
        lib.show(
            node, type(node).__name__, node.get_attributes(), node.get_variable_id(), node.get_type_info().version_id
        )
        lib.show(node.output(0).partial_shape, node.output(0).element_type, node.get_input_size())


def assign_in_every_form(lib: Library) -> None:
    ops, x, v = lib.ops, lib.ops.parameter([2, 2], np.float32), variable(lib)
    for node in (
        ops.assign(x, "v"), ops.assign(x, v), ops.assign(new_value=x, variable_id="v"), lib.op.assign(x, v),
        ops.assign(new_value=x, variable=v),
        lib.opset.o3.assign(lib.opset.o3.read_value(x, "v"), "v"),
    ):  # fmt: skip
        lib.show(
            node, type(node).__name__, node.get_attributes(), node.get_variable_id(), node.get_type_info().version_id
        )


def shapes_of_variables(lib: Library) -> None:
    static = lib.ops.parameter([2, 2], np.float32)
    open_ = lib.ops.parameter([-1, 2], np.float32)
    for shape in (None, [2, 2], [-1, 2], [-1, -1], [(2, 4), 2]):
        for init in (static, open_):
            lib.refuses(lib.ops.read_value, init, "v", np.float32, shape)
            lib.refuses(lib.ops.read_value, init, "v", np.int32, shape)
            if shape is None or list(shape) == [-1, 2]:
                lib.show(lib.ops.read_value(init, "v", np.float32, shape).output(0).partial_shape)
        lib.show(lib.ops.read_value(static, "v").output(0), lib.ops.read_value(open_, "v").output(0))


def infos(lib: Library) -> None:
    info = lib.util.VariableInfo()
    lib.show(info.variable_id == "", info.data_type, info.data_shape, info)
    v = variable(lib)
    v.info.variable_id = "other"
    lib.show(v.info.variable_id, v.get_info().data_shape, v)
    v.update(variable(lib, "w", [3], "i64").info)
    lib.show(*_infos([v]))
    lib.refuses(setattr, v, "info", info)
    lib.refuses(setattr, info, "variable_id", 3)
    lib.refuses(lib.util.Variable)


def _memory(lib: Library, name: str = "v") -> tuple[Any, ...]:
    ops, v = lib.ops, variable(lib, name)
    x = ops.parameter([2, 2], np.float32, name="x")
    read = ops.read_value(ops.constant(np.zeros((2, 2), np.float32)), v)
    total = ops.add(read, x, name="s")
    return x, v, read, total, ops.assign(total, v), ops.result(total, name="r")


def models_with_variables(lib: Library) -> None:
    x, v, _, _, sink, result = _memory(lib)
    other = variable(lib, "other", [1])
    for arguments in (
        ([result], [sink], [x], "n"),
        ([result], [sink], [x], [v], "n"),
        ([result], [sink], [x], [v, other]),
    ):
        model = lib.ov.Model(*arguments)
        lib.show(_infos(model.get_variables()), model.get_sinks(), model.variables == model.get_variables())
    lib.show(_infos(lib.ov.Model([result], [x], [v], "n").get_variables()))
    model = lib.ov.Model(results=[result], sinks=[sink.output(0)], parameters=[x], variables=[v], name="kw")
    lib.show(_infos(model.get_variables()), model.get_friendly_name())
    lib.refuses(lib.ov.Model, [result], [sink], [x], [other], "n")
    lib.refuses(lib.ov.Model, [result], [sink], [], "n")
    lib.show(model.get_variable_by_id("v"), model.get_variable_by_id("none"))
    lib.show(model.get_sink_index(sink), model.get_sink_index(sink.output(0)), model.get_sink_index(x))
    lib.refuses(model.get_sink_index, None)
    lib.refuses(model.get_sink_index, 0)
    model.add_variables([other])
    lib.show(_infos(model.get_variables()))
    model.remove_variable(other)
    lib.show(_infos(model.get_variables()))
    lib.refuses(model.add_variables, other)
    lib.refuses(model.add_variables, [3])
    model.remove_sink(sink)
    lib.show(model.sinks, _infos(model.get_variables()))
    model.add_sinks([sink])
    lib.show(model.sinks)
    lib.refuses(model.add_sinks, [sink.output(0)])
    lib.refuses(model.add_sinks, [x])


def states(lib: Library) -> None:
    x, _, _, _, sink, result = _memory(lib)
    model = lib.ov.Model([result], [sink], [x], "n")
    request = lib.ov.Core().compile_model(model, "CPU").create_infer_request()
    for _ in range(3):
        lib.show(next(iter(request.infer([X]).values())).tolist())
    lib.show([state.name for state in request.query_state()])
    request.reset_state()
    lib.show(next(iter(request.infer([X]).values())).tolist())
    lib.run(model, X)


SCRIPTS: list[Callable[[Library], None]] = [
    read_value_in_every_form, assign_in_every_form, shapes_of_variables, infos, models_with_variables, states,
]  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_prints_what_openvino_prints(script: Callable[[Library], None], tmp_path: Path) -> None:
    theirs, ours = printed_by_both(script, tmp_path)
    assert ours == theirs


def test_a_variable_that_a_layer_reads_stays() -> None:
    v = Variable(VariableInfo("v", ov.Type.f32, [2]))
    read = ops.read_value(v)
    model = ov.Model([ops.result(read)], [ops.assign(read, v)], [])
    with pytest.raises(InputError, match="'v' is read or assigned in the model"):
        model.remove_variable(v)
    assert [known.info.variable_id for known in model.clone().get_variables()] == ["v"]


def test_an_id_is_a_text() -> None:
    with pytest.raises(TypeError):
        ov.opset3.assign(ops.parameter([2]), Variable(VariableInfo("v")))  # type: ignore[arg-type]
