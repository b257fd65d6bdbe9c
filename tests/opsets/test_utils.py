"""The helpers of `openvino.utils` do here what they do there."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino
import openvino.utils.broadcasting
import openvino.utils.decorators
import openvino.utils.input_validation
import openvino.utils.node_factory
import openvino.utils.reduction
import openvino.utils.types
import pytest

import ir_plugin
import ir_plugin.utils.broadcasting
import ir_plugin.utils.decorators
import ir_plugin.utils.input_validation
import ir_plugin.utils.node_factory
import ir_plugin.utils.reduction
import ir_plugin.utils.types

LIBRARIES = (openvino, ir_plugin)


def outcome(call: Any, *arguments: Any) -> Any:
    try:
        return repr(call(*arguments))
    except (TypeError, RuntimeError, IndexError) as fault:
        return isinstance(fault, (RuntimeError, IndexError, openvino.exceptions.OVError))


@pytest.mark.parametrize("kind", [int, float, bool, np.float16, np.dtype("i1"), np.str_, bytes, complex, "f33"])
def test_element_types_of_python_and_numpy_types(kind: Any) -> None:
    for name in ("get_element_type", "get_element_type_str"):
        theirs, ours = (outcome(getattr(library.utils.types, name), kind) for library in LIBRARIES)
        assert ours == theirs


@pytest.mark.parametrize("name", ["f32", "bf16", "boolean", "string", "f8e4m3", "u4"])
def test_numpy_types_of_element_types(name: str) -> None:
    for function in ("get_dtype", "get_numpy_ctype"):
        theirs, ours = (
            outcome(getattr(library.utils.types, function), getattr(library.Type, name)) for library in LIBRARIES
        )
        assert ours == theirs


def created(library: Any) -> list[Any]:
    """Return what nodes of the factory show: with attributes, without, and without inputs."""
    factory = library.utils.node_factory.NodeFactory("opset13")
    data = library.opset13.parameter([1, 2, 3, 4], np.float32, name="data")
    weights = library.opset13.constant(np.ones((2, 2, 1, 1), np.float32))
    nodes = [
        factory.create("Softmax", [data]), factory.create("Softmax", [data], {"axis": 2}), factory.create("Relu"),
        factory.create("Convolution", [data.output(0), weights.output(0)], {}),
        factory.create("Concat", [data, data], {"axis": 1}), factory.create("Clamp", [data], {"min": 0}),
    ]  # fmt: skip
    return [(node.get_type_name(), node.get_attributes(), [str(out.shape) for out in node.outputs()]) for node in nodes]


def test_the_node_factory_creates_the_same_nodes() -> None:
    assert created(ir_plugin) == created(openvino)


def test_the_node_factory_refuses_what_openvino_refuses() -> None:
    factory = ir_plugin.utils.node_factory.NodeFactory
    with pytest.raises(ir_plugin.InputError, match="no opset 'opset99'"):
        factory("opset99")
    with pytest.raises(ir_plugin.InputError, match="no operation 'Foo'"):
        factory().create("Foo")
    with pytest.raises(ir_plugin.InputError, match="needs arguments"):
        factory().create("Relu", None, {})
    with pytest.raises(ir_plugin.ArgumentTypeError, match="nodes and outputs"):
        factory().create("Concat", [3], {"axis": 0})  # type: ignore[list-item]
    with pytest.raises(ir_plugin.UnsupportedError, match="C\\+\\+"):
        factory().add_extension("library.so")


def test_axes_and_shapes() -> None:
    for library in LIBRARIES:
        utils = library.utils
        node = library.opset13.parameter([1, 2, 3], np.float32)
        assert list(utils.broadcasting.get_broadcast_axes([1, 2, 3], [3])) == [0, 1]
        assert list(utils.broadcasting.get_broadcast_axes([1, 2, 3], [2], 1)) == [0, 2]
        assert utils.reduction.get_reduction_axes(node, None) == {0, 1, 2}
        assert utils.reduction.get_reduction_axes(node, [1, 1]) == {1}
        assert [utils.types.get_shape([1, 2]), utils.types.get_shape(np.ones((2, 3)))] == [[2], (2, 3)]
        assert utils.types.make_constant_node([1, 2], int).data.dtype == np.int32
        assert utils.types.as_node(2.5, name="q").friendly_name.startswith("q/Constant_")


def test_attributes_are_checked() -> None:
    validation = ir_plugin.utils.input_validation
    positive = validation.is_positive_value
    assert validation.check_valid_attributes("Op", {"a": [1, 2]}, [("a", True, np.integer, positive)])
    assert validation.check_valid_attribute("Op", {}, "a", np.integer)
    for attributes in ({"a": -1}, {"a": 1.5}, {}):
        with pytest.raises(ir_plugin.InputError, match="'a'"):
            validation.check_valid_attributes("Op", attributes, [("a", True, np.integer, positive)])
    wrong: list[Any] = [[1, 2.0], 3]
    for values in wrong:
        with pytest.raises(ir_plugin.InputError, match="axes"):
            validation.assert_list_of_ints(values, "axes")
    assert [validation.is_non_negative_value(value) for value in (0, -1)] == [True, False]


def test_decorators_build_nodes() -> None:
    for library in LIBRARIES:
        opset, decorators = library.opset13, library.utils.decorators

        def addition(left: Any, right: Any, name: Any = None, opset: Any = opset) -> Any:
            del name
            return opset.add(left, right)

        add = decorators.nameable_op(decorators.binary_op(addition))
        data = opset.parameter([2], np.float32)
        node = add(data, np.ones(2, np.float32), name="sum")
        assert node.get_friendly_name() == "sum"
        assert node.input_value(1).get_node().get_friendly_name().startswith("sum/")

        assert decorators.unary_op(opset.negative)(1.5).get_type_name() == "Negative"


def test_overloads_are_chosen_by_types() -> None:
    overloading = ir_plugin.utils.decorators.overloading

    def of_number(number: int, text: str = "") -> str:
        return f"int {number} {text}"

    def of_list(items: list[int] | None) -> str:
        return f"list {items}"

    of_number.__name__ = of_list.__name__ = "described"
    described = overloading(int, str)(of_number)
    assert overloading(list[int] | None)(of_list) is described
    assert [described(1, "a"), described(1, text="b")] == ["int 1 a", "int 1 b"]
    assert [described([1]), described(None)] == ["list [1]", "list None"]
    with pytest.raises(ir_plugin.ArgumentTypeError, match="no implementation"):
        described(1.5)


def test_attributes_have_a_function_each() -> None:
    for library in LIBRARIES:
        node = library.opset13.softmax(library.opset13.parameter([2, 3], np.float32), 1)
        assert node.get_axis() == 1
        assert not hasattr(node, "get_nonsense")


def test_deprecated_functions_and_properties_warn() -> None:
    utils = ir_plugin.utils

    @utils.deprecated(version="2099.1", message="Use g")
    def f() -> int:
        return 3

    class Held:
        @utils.classproperty
        def plain(cls) -> str:  # noqa: N805 (the class is the argument)
            return cls.__name__  # type: ignore[attr-defined,no-any-return]

        @utils.deprecatedclassproperty(name="old")
        @classmethod
        def old(cls) -> int:
            return 4

    with pytest.warns(DeprecationWarning, match="f is deprecated and will be removed in version 2099.1. Use g"):
        assert f() == 3
    with pytest.warns(DeprecationWarning, match="old is deprecated"):
        assert Held.old == 4
    assert utils.get_cmake_path() == ""
    assert Held.plain == Held().plain == "Held"
