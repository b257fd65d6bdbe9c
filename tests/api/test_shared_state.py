"""Everything that a getter returns is a copy or cannot be changed, but for what OpenVINO's getters share as well."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
import pytest

import ir_plugin
from ir_plugin import PartialShape, Tensor
from tests.api.models import WEIGHTS as WEIGHTS_OF_TWO
from tests.api.models import two_inputs
from tests.api.nets import SE, STATE, net

XML = net(STATE, SE, info='<k><v value="1"/></k>').encode()
WEIGHTS = np.float32(1).tobytes()
X = np.ones(1, np.float32)

SHARED = {
    "get_rt_info", "rt_info",  # OpenVINO's are live, too
    "nodes",  # the nodes are the model
    "data", "values",  # the memory of a tensor is what it is for
    "get_input_tensor", "get_output_tensor", "input_tensors", "output_tensors",  # what a request reads or writes
    "state", "to_tuple", "to_dict", "userdata",  # the memory of a variable; arrays that are the caller's
}  # fmt: skip
VERBS = {
    "cancel", "clone", "create_infer_request", "export_model", "forget_inputs", "infer", "infer_new_request",
    "release_memory", "reset", "reset_state", "start_async", "steps", "validate_nodes_and_infer_types", "wait",
    "get_runtime_model", "intermediates",
}  # fmt: skip
"""Methods that do something, or make something new."""


class World:
    """One model with everything that is made of it."""

    def __init__(self) -> None:
        self.core = ir_plugin.Core()
        self.model = self.core.read_model(XML, WEIGHTS)
        self.compiled = self.core.compile_model(self.model, "CPU", {"PERF_COUNT": True})
        self.request = self.compiled.create_infer_request()
        self.results = self.request.infer([X])
        self.report = ir_plugin.validate(XML, WEIGHTS)
        self.queue = ir_plugin.AsyncInferQueue(self.compiled, 1)
        self.tensor = Tensor(X)
        self.shape = PartialShape("1,2..3")
        self.comparison = ir_plugin.compare(self.model, self.model, [X])
        self.dimension, self.static, self.type = self.shape[1], ir_plugin.Shape([1, 2]), ir_plugin.Type.f32
        self.layout, self.strides, self.any = ir_plugin.Layout("NC"), ir_plugin.Strides([4]), ir_plugin.OVAny("text")

    def things(self) -> Iterator[tuple[str, Any]]:
        """Yield what a user holds, by name."""
        yield from vars(self).items()
        nodes = self.model.get_ordered_ops()
        for node in nodes:
            yield node.name, node
            yield from ((f"{node.name} {port!r}", port) for port in (*node.inputs, *node.outputs))
            yield from ((f"{node.name} tensor", port.get_tensor()) for port in node.outputs)
        yield from (("compiled input", self.compiled.inputs[0]), ("compiled output", self.compiled.outputs[0]))
        yield from (("findings", self.report.findings), ("variable", self.model.get_variables()[0]))
        yield from (("variable state", self.request.query_state()[0]), ("entry", self.comparison.outputs[0]))
        yield ("profiling", self.request.get_profiling_info()[0])

    def seen(self) -> list[str]:
        """Return everything that shows, as text."""
        nodes = [(repr(node), node.get_attributes(), node.get_rt_info(), node.attributes) for node in self.model.nodes]
        ports = [
            (repr(port), port.rt_info, port.get_tensor().names, len(port.get_target_inputs()))
            for node in self.model.nodes
            for port in node.outputs
        ]
        sources = [repr(port.get_source_output()) for node in self.model.nodes for port in node.inputs]
        data = [node.data.tolist() for node in self.model.nodes if node.get_type_name() == "Constant"]
        others = [item for name, item in vars(self).items() if name not in ("results", "tensor", "any")]
        contents = [self.results[0].tolist(), self.tensor.data.tolist(), self.tensor.shape, self.any.get()]
        held = [self.request.get_output_tensor(0).data.tolist(), [str(finding) for finding in self.report.findings]]
        config = [self.compiled.config, self.core.available_devices, self.core.get_property("SUPPORTED_PROPERTIES")]
        types = [(type.name, type.bits, str(type)) for type in ir_plugin.Type.all]
        return [*map(repr, [nodes, ports, sources, data, others, contents, held, config, types]), self.model.name]


def getters(item: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield properties and methods without arguments of an object, by name, with what asks it."""
    for name in dir(type(item)):
        kind = inspect.getattr_static(type(item), name)
        if name.startswith("_") or name in VERBS:
            continue
        if isinstance(kind, (property, cached_property)):
            yield name, partial(getattr, item, name)
        elif inspect.isfunction(kind) and not _required(kind):
            yield name, getattr(item, name)


def _required(function: Any) -> list[str]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [each.name for each in parameters if each.kind in kinds and each.default is each.empty]


def spoil(value: Any, depth: int = 0) -> None:
    """Change whatever of a value can be changed; handles of a model are the model itself, and left alone."""
    if isinstance(value, (list, tuple, set, frozenset, dict)) and depth < 4:
        for each in list(value.values() if isinstance(value, dict) else value):
            spoil(each, depth + 1)
    if isinstance(value, np.ndarray):
        attempt(lambda: value.fill(77))
    elif isinstance(value, (PartialShape, ir_plugin.Shape)):
        attempt(lambda: value.__setitem__(0, 77))
        spoil(getattr(value, "dims", ()))
    elif isinstance(value, (list, set, dict)):
        value.clear()
    if isinstance(value, (ir_plugin.Dimension, PartialShape, ir_plugin.Type, ir_plugin.Layout)):
        for name in type(value).__slots__:
            attempt(partial(setattr, value, name, 77))


def spoil_answer(ask: Callable[[], Any]) -> None:
    spoil(ask())


def attempt(change: Callable[[], Any]) -> None:
    """Try a change; what cannot be changed raises."""
    try:
        change()
    except (ir_plugin.Error, ValueError, TypeError, AttributeError):
        return


def test_nothing_that_a_getter_returns_changes_its_object() -> None:
    world = World()
    before = copy.deepcopy(world.seen())
    asked = 0
    for name, item in world.things():
        for getter, ask in getters(item):
            if getter in SHARED:
                continue
            try:
                value = ask()
            except (ir_plugin.Error, AttributeError):
                continue
            asked += 1
            spoil(value)
            assert (name, getter, world.seen()) == (name, getter, before)
    assert asked > 400


def test_a_second_model_of_the_same_text_is_another() -> None:
    """Whatever is done to what a model holds, engine's own attributes included, no later model shows it."""
    before = World().seen()
    world = World()
    things, nodes = list(world.things()), list(world.model.nodes)
    for _, item in things:
        for _, ask in getters(item):
            attempt(partial(spoil_answer, ask))
    for node in nodes:
        for held in (node.operation, *node.inputs, *node.outputs):
            for name in [*vars(type(held)).get("__slots__", ()), *getattr(held, "__dict__", ())]:
                attempt(partial(spoil_answer, partial(getattr, held, name)))
        for port in (*node.inputs, *node.outputs):
            spoil([port.tensor_info.shape, port.declared.shape])
        node.attributes.clear()
        node.rt_info.clear()
    world.model.rt_info.clear()
    assert World().seen() == before


@pytest.mark.parametrize("get", [
    lambda model: model.input().partial_shape,
    lambda model: model.input().get_partial_shape(),
    lambda model: model.input().get_tensor().partial_shape,
    lambda model: model.input().node.get_partial_shape(),
    lambda model: model.input().node.partial_shape,
    lambda model: model.input().node.get_output_partial_shape(0),
    lambda model: model.get_results()[0].get_input_partial_shape(0),
    lambda model: model.get_output_partial_shape(0),
    lambda model: model.get_variables()[0].info.data_shape,
])  # fmt: skip
def test_a_shape_that_was_asked_for_is_the_callers(get: Callable[[Any], PartialShape]) -> None:
    model = ir_plugin.Core().read_model(XML, WEIGHTS)
    shape = get(model)
    shape[0] = 3
    assert shape == [3]
    for source in (model, model.clone(), ir_plugin.Core().read_model(XML, WEIGHTS)):
        assert get(source) == [1]
    model.reshape(PartialShape([1]))


def test_a_given_shape_stays_the_callers() -> None:
    model = ir_plugin.Core().read_model(two_inputs(), WEIGHTS_OF_TWO)
    shape, node = PartialShape("2..4,3,4"), model.input("x").node
    for give in (lambda shape: model.reshape({"x": shape}), node.set_partial_shape):
        give(shape)
        shape[0] = 9
        assert model.input("x").partial_shape == PartialShape("2..4,3,4")
        shape[0] = "2..4"


def test_a_shape_of_a_model_says_that_it_cannot_be_changed() -> None:
    model = ir_plugin.Core().read_model(XML, WEIGHTS)
    with pytest.raises(ir_plugin.UnsupportedError, match=r"change a copy, PartialShape\(shape\)"):
        model.input().node.operation.shape[0] = 3
    for value, name in ((model.input().partial_shape[0], "lower"), (ir_plugin.Type.f32, "name")):
        with pytest.raises(ir_plugin.UnsupportedError, match=f"'{name}' of a .* cannot be set"):
            setattr(value, name, 3)


def test_properties_are_copies() -> None:
    passes = ["constant_folding"]
    core = ir_plugin.Core()
    core.set_property({"DISABLED_PASSES": passes})
    compiled = core.compile_model(XML, weights=WEIGHTS)
    for owner in (core, compiled):
        names = list(owner.get_property("SUPPORTED_PROPERTIES"))
        before = [repr(owner.get_property(name)) for name in names]
        spoil(passes)
        for name in (*names, "SUPPORTED_PROPERTIES"):
            spoil(owner.get_property(name))
        assert [repr(owner.get_property(name)) for name in names] == before
        assert list(owner.get_property("SUPPORTED_PROPERTIES")) == names


def relu(size: int) -> ir_plugin.Model:
    """Return a model of two layers that each could be an output."""
    data = ir_plugin.opset13.parameter([size], ir_plugin.Type.f32, name="data")
    inner = ir_plugin.opset13.abs(data)
    inner.set_friendly_name("inner")
    return ir_plugin.Model([ir_plugin.opset13.relu(inner)], [data], "relu")


def test_the_order_of_a_model_is_its_own() -> None:
    model, other = relu(2), relu(2)
    model.add_outputs("inner")
    before = [node.get_friendly_name() for node in model.get_ordered_ops()]
    result = other.results[0]
    result.input(0).replace_source_output(other.parameters[0].output(0))
    assert [node.get_friendly_name() for node in model.get_ordered_ops()] == before
    model.results[0].input(0).replace_source_output(model.parameters[0].output(0))
    assert len(model.get_ordered_ops()) == len(before) - 1


def test_a_removed_result_is_in_no_order() -> None:
    model = relu(2)
    late = model.add_outputs("inner")[0].get_node()
    model.remove_result(late)
    assert late not in model.get_ordered_ops()
