"""The runtime model: a node for each step, with the runtime information that OpenVINO gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino

import ir_plugin
from tests.api.nets import EDGES, LAYERS, WEIGHTS, net
from tests.support.changed import DIGITS

IMAGE = np.linspace(0, 1, 64, dtype=np.float32).reshape(1, 1, 8, 8)
KEYS = (
    "execOrder", "execTimeMcs", "layerType", "originalLayersNames",
    "outputLayouts", "outputPrecisions", "primitiveType", "runtimePrecision",
)  # fmt: skip


def executed(library: Any, **config: Any) -> Any:
    model = library.Core().read_model(DIGITS)
    model.reshape([1, 1, 8, 8])
    compiled = library.Core().compile_model(model, "CPU", config)
    compiled(IMAGE)
    return compiled.get_runtime_model()


def texts(node: Any) -> dict[str, str]:
    return {name: node.get_rt_info()[name].astype(str) for name in KEYS}


def test_nodes_have_the_information_that_openvinos_have() -> None:
    theirs, ours = executed(openvino), executed(ir_plugin)
    assert (ours.friendly_name, repr(ours.inputs)) == (theirs.friendly_name, repr(theirs.inputs))
    assert {tuple(sorted(node.rt_info.keys())) for model in (theirs, ours) for node in model.get_ops()} == {KEYS}
    for model in (theirs, ours):
        by_name = {node.get_friendly_name(): texts(node) for node in model.get_ordered_ops()}
        assert by_name["conv1"]["originalLayersNames"] == "conv1,conv1/add,conv1/relu"
        assert by_name["conv1"]["layerType"] == "Convolution"
        assert by_name["images"]["layerType"] == "Input"
        assert by_name["conv1/weight"]["layerType"] == "Const"
        assert {entry["execTimeMcs"] for entry in by_name.values()} == {"not_executed"}
    assert {node.get_type_name() for node in ours.get_ops()} == {node.get_type_name() for node in theirs.get_ops()}
    node = next(node for node in ours.get_ordered_ops() if node.get_friendly_name() == "conv1")
    assert repr(node) == "<ExecutionNode: 'conv1' ([1,24,8,8])>"
    assert node.get_attributes() == {}


def test_layers_that_were_timed_have_a_time() -> None:
    nodes = executed(ir_plugin, PERF_COUNT=True).get_ordered_ops()
    times = {node.get_friendly_name(): texts(node)["execTimeMcs"] for node in nodes}
    assert times["conv1"].isdigit()
    assert times["images"] == "not_executed"
    orders = [int(texts(node)["execOrder"]) for node in nodes]
    assert sorted(orders) == list(range(len(nodes)))


def test_without_a_plan_each_layer_is_a_node() -> None:
    model = ir_plugin.Core().read_model(net(LAYERS, EDGES), np.frombuffer(WEIGHTS, np.uint8))
    names = {node.get_friendly_name() for node in ir_plugin.compile_model(model).get_runtime_model().get_ops()}
    assert names == {node.get_friendly_name() for node in model.get_ops()}


def test_it_can_be_saved(tmp_path: Path) -> None:
    ir_plugin.serialize(executed(ir_plugin), tmp_path / "executed.xml")
    text = (tmp_path / "executed.xml").read_text()
    assert 'type="Convolution"' in text
    assert 'originalLayersNames="conv1,conv1/add,conv1/relu"' in text
    assert executed(ir_plugin).clone().get_ordered_ops()[1].get_type_name() == "ExecutionNode"
