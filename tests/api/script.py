"""A script as people write them for OpenVINO. `MODULE` names the library that is imported as `ov`.

Nothing in it depends on which one it is, but for that line; device names and timings are not printed.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

from tests.api.nets import EDGES, LAYERS, SE, STATE, WEIGHTS, net
from tests.support.printing import refused, show

ov: Any = importlib.import_module(os.environ["MODULE"])
folder = Path(sys.argv[1])
np.set_printoptions(precision=4, suppress=True)
core = ov.Core()
device = core.available_devices[0]

XML = net(
    LAYERS, EDGES, info='<conversion><framework value="onnx"/><count value="3"/></conversion><flag value="true"/>'
)
BYTES = np.frombuffer(WEIGHTS, np.uint8).copy()
(folder / "net.xml").write_text(XML)
(folder / "net.bin").write_bytes(WEIGHTS)

show("== reading")
model = core.read_model(str(folder / "net.xml"))
for again in (core.read_model(folder / "net.xml"), core.read_model(str(folder / "net.xml"), str(folder / "net.bin")),
              core.read_model(XML.encode(), WEIGHTS), core.read_model(model=XML, weights=ov.Tensor(BYTES)),
              core.read_model(io.BytesIO(XML.encode()), io.BytesIO(WEIGHTS))):  # fmt: skip
    show(repr(again.outputs[1]), again.friendly_name)
refused(core.read_model, folder / "missing.xml")
refused(core.read_model, b"")
refused(core.read_model, b"<nonsense/>")


def ports(found: Any) -> list[tuple[list[str], str, str]]:
    return [(sorted(port.names), str(port.partial_shape), repr(port.element_type)) for port in found]


show(ports(model.inputs), ports(model.outputs))
show(model.friendly_name, model.get_friendly_name(), model.is_dynamic(), model.dynamic, model.get_output_size())
show(ports([model.input("x"), model.input("first"), model.input(1), model.output("s0"), model.output(1)]))
show(model.get_parameters(), model.parameters, model.get_results(), model.results, model.get_sinks(), model.sinks)
show(sorted(map(repr, model.get_ops())), len(model.get_ordered_ops()))
position = {node.friendly_name: index for index, node in enumerate(model.get_ordered_ops())}
show(all(position[a] < position[b] for a, b in [("x", "scaled"), ("w", "scaled"), ("sum", "relu"), ("split", "out0")]))
show(model.get_parameter_index(model.parameters[1]), model.get_result_index(model.results[1]))
show(model.get_result_index(model.output(1)), model.get_output_op(0), model.get_output_element_type(0))
show(model.get_output_partial_shape(1), model.get_variables(), model.get_variable_by_id("v"))
refused(model.input)
refused(model.output, "nonsense")
refused(model.get_output_shape, 0)
refused(model.get_result)
show(model.get_rt_info(["conversion", "framework"]).value, model.get_rt_info(["conversion", "count"]).astype(int))
show(model.has_rt_info(["conversion", "framework"]), model.has_rt_info("nothing"), model.get_rt_info("flag").value)
model.set_rt_info("v", ["a", "b"])
show(
    model.get_rt_info(["a", "b"]).value,
    model.get_rt_info(["a", "b"]).astype(str),
    sorted(set(model.get_rt_info()) - {"version"}),
)
refused(model.get_rt_info, ["no", "thing"])

show("== nodes and ports")
by_name = {node.get_friendly_name(): node for node in model.get_ops()}
for name in ("x", "w", "scaled", "relu", "split", "out0"):
    node = by_name[name]
    show(node, node.friendly_name, node.get_type_name(), node.get_input_size(), node.get_output_size())
    show(node.get_type_info().name, node.type_info.version_id, len(node.inputs()), len(node.outputs()))
    show(node.get_output_partial_shape(0), repr(node.get_output_element_type(0)), node.get_output_element_type(0))
    show([repr(port) for port in node.inputs()], [str(value.get_node()) for value in node.input_values()])
show(by_name["x"].get_attributes(), by_name["split"].get_attributes(), by_name["relu"].get_attributes())
show(by_name["sum"].get_attributes(), by_name["w"].get_attributes())
show(by_name["w"].data, by_name["w"].get_data(), by_name["w"].get_vector(), by_name["w"].get_byte_size())
show(by_name["w"].shape, by_name["w"].get_output_shape(0), by_name["w"].get_value_strings())
split = by_name["split"]
show(repr(split.output(1)), split.output(1).get_index(), split.output(1).index, split.output(1).get_node())
show(split.output(0).get_any_name(), split.output(0).any_name, split.output(2).get_names(), split.output(0).names)
show(repr(split.input(0)), split.input(0).get_index(), split.input(0).get_node(), split.input_value(1))
show(repr(split.input(0).get_source_output()), split.input(0).get_partial_shape(), split.input(1).get_shape())
show(repr(split.input(1).get_element_type()), split.get_input_partial_shape(0), split.get_input_element_type(1))
show([str(port.get_node()) for port in by_name["relu"].output(0).get_target_inputs() if port.get_index() == 0][:0])
show(sorted(str(port.get_node()) for port in by_name["relu"].output(0).target_inputs))
show(split.output(0) == split.output(0), split.output(0) == split.output(1), split == split, split == by_name["x"])
show(len({split.output(0), split.output(0)}), model.input(0) == by_name["x"].output(0), repr(model.input(0).node))
show(repr(split.output(1).get_tensor()), split.output(1).get_tensor().get_names(), split.output(1).tensor is None)
refused(split.output, 7)
refused(split.input, 7)
refused(split.output(2).get_any_name)
refused(lambda: split.output(0).shape)
show(repr(by_name["x"].layout), by_name["x"].get_partial_shape(), by_name["x"].partial_shape)
by_name["x"].set_layout(ov.Layout("NCW"))
show(repr(by_name["x"].get_layout()), repr(ov.layout_helpers.get_layout(model.input(0))))
by_name["relu"].set_friendly_name("renamed")
show(by_name["relu"].friendly_name)
by_name["relu"].friendly_name = "relu"
by_name["split"].output(2).set_names({"third"})
by_name["split"].output(2).add_names({"last"})
show(sorted(by_name["split"].output(2).names))

show("== reshaping and outputs")
twin = model.clone()
for shapes in ({"x": [2, 3, 4]}, {0: [4, 3, 5], 1: "1,3,?"}, {model.input(0): ov.PartialShape([1, 3, 8])},
               {"x": "?,3,..6", "y": (1, 3, (1, 4))}, {"x": ov.PartialShape([2, 3, ov.Dimension(1, 2)])}):  # fmt: skip
    model.reshape(shapes)
    show(ports(model.inputs), ports(model.outputs))
refused(model.reshape, {"x": [1, 5, 4]})
show(ports(model.outputs))
refused(model.reshape, {"nonsense": [1]})
refused(model.reshape, [1, 3, 4])
show(ports(twin.inputs), ports(twin.outputs), twin.friendly_name, twin is model)
twin.parameters[0].set_partial_shape(ov.PartialShape("5,3,4"))
twin.validate_nodes_and_infer_types()
show(ports(twin.inputs), ports(twin.outputs))
show(ports(twin.add_outputs("sum")), ports(twin.add_outputs(["sum", "scaled"])), len(twin.outputs))
show(ports(twin.add_outputs(("split", 1))), ports(twin.add_outputs([("split", 2)])), len(twin.outputs))
refused(twin.add_outputs, "nonsense")
refused(twin.add_outputs, ("split", 7))
twin.remove_result(twin.results[-1])
show(len(twin.outputs), [sorted(port.names) for port in twin.outputs])
model.set_friendly_name("other")
show(model.friendly_name, twin.friendly_name)

model.parameters[0].set_layout(ov.Layout("NCW"))
model.parameters[1].layout = ov.Layout("N...")
refused(ov.get_batch, core.read_model(folder / "net.xml"))
model.reshape({"x": "?,3,4"})
show(ov.get_batch(model))
ov.set_batch(model, 1)
show(ov.get_batch(model), ports(model.inputs), ports(model.outputs))

show("== compiled models")
model = core.read_model(folder / "net.xml")
compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 3, 4)
y = np.array([0.5, -0.5, 0.25], np.float32).reshape(1, 3, 1)
show(ports(compiled.inputs), ports(compiled.outputs), compiled.input("y").get_any_name(), compiled.output(1).any_name)
show(
    repr(compiled.input("y")),
    repr(compiled.output("s0")),
    compiled.input(1).node,
    compiled.get_property("NETWORK_NAME"),
)
refused(compiled.input)
refused(compiled.get_property, "NONSENSE")
for inputs in ([x, y], (x, y), {"x": x, "y": y}, {0: x, 1: y}, {compiled.input(0): x, "y": y},
               [ov.Tensor(x), y], [x.astype(np.float64), y], [x[:, :, ::-1], y]):  # fmt: skip
    results = compiled(inputs)
    show(results[0], results["relu"], results[compiled.output(1)].shape, len(results))
show([sorted(port.names) for port in results], list(results.names()), [value.shape for value in results.values()])
show(len(results.to_tuple()), len(results.to_dict()), "s0" in results, 0 in results, results[-1].shape)
show(compiled([x, y], share_inputs=True, share_outputs=True)["s0"], compiled.infer_new_request({"x": x, "y": y})["s0"])
wrong = ([x, y, x], {"z": x}, x, [x, np.ones((1, 4, 1), np.float32)], [ov.Tensor(x.astype(np.float64)), y])
for given in wrong:
    refused(compiled, given)
refused(core.compile_model, model, "NONSENSE")
refused(core.compile_model, model, "CPU", {"NONSENSE": 1})
show(sorted(core.query_model(model, "CPU")), type(core.get_property("CPU", "FULL_DEVICE_NAME")).__name__)
core.set_property("CPU", {"PERFORMANCE_HINT": "LATENCY"})
refused(core.set_property, "CPU", {"NONSENSE": 1})
show("CPU" in core.get_versions("CPU"), ov.compile_model(folder / "net.xml", "CPU")([x, y])["s0"])
show(core.compile_model(folder / "net.xml", "CPU")([x, y])["s0"])
show(core.compile_model(XML, "CPU", weights=WEIGHTS)([x, y])["s0"])

show("== infer requests")
request = compiled.create_infer_request()
show(request.infer([x, y])["s0"], request.results["s0"], request.latency > 0, ports(request.model_inputs))
show(ports(request.model_outputs), [repr(t) for t in request.input_tensors], [repr(t) for t in request.output_tensors])
show(repr(request.get_input_tensor(0)), request.get_input_tensor(1).data, request.get_output_tensor(0).data)
show(repr(request.get_tensor("x")), repr(request.get_tensor(compiled.output(0))), repr(request.get_tensor("relu")))
request.set_tensor("x", ov.Tensor(x * 3))
show(request.infer()["s0"])
request.set_input_tensor(0, ov.Tensor(x * 2))
request.set_tensor(compiled.input(1), ov.Tensor(y * 2))
show(request.infer()["s0"])
request.set_tensors({"x": ov.Tensor(x), "y": ov.Tensor(y)})
show(request.infer()["s0"])
request.get_input_tensor(1).data[:] = 1
show(request.infer()["s0"], request.infer({"x": x * 2})["s0"])
out = ov.Tensor(np.zeros((1, 1, 4), np.float32))
request.set_output_tensor(0, out)
request.infer([x, y])
show(out.data, request.get_output_tensor(0).data)
refused(request.set_tensor, "x", ov.Tensor(np.ones((1, 2, 4), np.float32)))
refused(request.set_tensor, "x", ov.Tensor(x.astype(np.float64)))
refused(request.set_tensor, "nonsense", ov.Tensor(x))
refused(request.set_input_tensor, 4, ov.Tensor(x))
refused(request.set_input_tensor, ov.Tensor(x))
refused(request.get_output_tensor)
called: list[str] = []
request.set_callback(called.append, "userdata")
request.start_async([x, y])
request.wait()
show(called, request.get_output_tensor(0).data, request.wait_for(10))
request.start_async({"x": x, "y": y}, userdata="other", share_inputs=True)
show(request.wait_for(60000), called, request.userdata)
request.cancel()
show(request.query_state(), request.reset_state(), len(request.profiling_info) > 0)
show(ports(request.get_compiled_model().inputs), type(request.get_profiling_info()[0].real_time).__name__)
profiled = core.compile_model(model, "CPU", {"PERF_COUNT": True}).create_infer_request()
profiled.infer([x, y])
info = [known for known in profiled.get_profiling_info() if known.status == known.Status.EXECUTED]
show(len(info) > 0, all(known.real_time.total_seconds() >= 0 for known in info), bool(info[0].node_name))

show("== queues")
queue = ov.AsyncInferQueue(compiled, 3)
sums: dict[int, float] = {}
lock = threading.Lock()


def note(request: Any, userdata: int) -> None:
    with lock:
        sums[userdata] = float(request.get_output_tensor(1).data.sum())


show(repr(queue), len(queue), queue.is_ready())
queue.set_callback(note)
fed = [[x * number, y.copy()] for number in range(8)]
for number in range(8):
    queue.start_async(fed[number], number, share_inputs=True)
queue.wait_all()
show({key: round(sums[key], 4) for key in sorted(sums)}, queue.is_ready(), queue.get_idle_request_id() in range(3))
show(len(list(queue)), queue[0].latency >= 0, len(queue.userdata), queue[1].get_output_tensor(1).shape)
queue.start_async({"x": x.copy(), "y": y.copy()}, 99, share_inputs=True)
queue.wait_all()
show(round(sums[99], 4))

show("== one input, scalars, strings")
ONE = """<layer id="0" name="p" type="Parameter" version="opset1"><data shape="{shape}" element_type="{type}"/>
 <output><port id="0" precision="{precision}" names="p"/></output></layer>
<layer id="1" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>"""


def one(shape: str, type: str, precision: str) -> Any:
    return core.read_model(net(ONE.format(shape=shape, type=type, precision=precision), [(0, 0, 1, 0)]).encode(), b"")


single = one("2", "f32", "FP32")
run = core.compile_model(single, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
show(run(np.array([1, -2], np.float32))[0], run([np.array([1.0, 2.0])])["p"], run({"p": np.array([3, 4])})[0])
show(run(ov.Tensor(np.array([5, 6], np.float32)))[run.output()], run.input().get_any_name(), run.output().any_name)
request = run.create_infer_request()
request.get_input_tensor().data[:] = [7, 8]
request.infer()
show(request.get_output_tensor().data, request.get_tensor("p").data)
request.set_input_tensor(ov.Tensor(np.array([9, 10], np.float32)))
show(request.infer()[0])
for new in ([4], "5", (1, 2), ov.PartialShape("?,2"), [-1], [(1, 5)]):
    single.reshape(new)
    show(ports(single.inputs), ports([single.input(), single.output()]), single.get_result().friendly_name)
scalar = core.compile_model(one("", "f32", "FP32"), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
show(scalar(3.0)[0], scalar(np.float32(2))[0], scalar(np.array(1.0))[0], scalar({0: 4})[0])
text = core.compile_model(one("2", "string", "STRING"), "CPU")
show(text(["ab", "c"])[0], text(np.array(["ab", "ü"]))[0], text(np.array(["ab", "c"]), decode_strings=False)[0])
show(text.create_infer_request().infer(["x", "y"], decode_strings=False)[0])
for name, precision in (
    ("f16", "FP16"),
    ("f64", "FP64"),
    ("i64", "I64"),
    ("i8", "I8"),
    ("u8", "U8"),
    ("boolean", "BOOL"),
):
    typed = core.compile_model(one("2", name, precision), "CPU")
    show(typed(np.array([1, 0]))[0], typed(np.array([1, 0], np.uint8))[0].dtype)

show("== state")
keeping = core.read_model(net(STATE, SE).encode(), np.array([2], np.float32).tobytes())
show(
    len(keeping.sinks), keeping.get_sinks()[0].get_variable_id(), [v.info.variable_id for v in keeping.get_variables()]
)
show(keeping.get_variables()[0].info.data_shape, repr(keeping.variables[0].info.data_type))
show(keeping.get_variable_by_id("v").info.variable_id, keeping.get_sinks()[0].get_attributes())
memory = core.compile_model(keeping, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
request = memory.create_infer_request()
one_ = np.array([1], np.float32)
show(request.infer([one_])[0], request.infer([one_])[0], [known.name for known in request.query_state()])
show(request.query_state()[0].state.data, repr(request.query_state()[0].state))
request.query_state()[0].reset()
show(request.infer([one_])[0])
request.query_state()[0].state = ov.Tensor(np.array([10], np.float32))
show(request.infer([one_])[0])
request.reset_state()
show(request.infer([one_])[0], memory([one_])[0], memory([one_])[0], len(memory.query_state()))
memory.reset_state()
show(memory([one_])[0])

show("== saving")
model = core.read_model(folder / "net.xml")
ov.serialize(model, str(folder / "copy.xml"))
again = core.read_model(folder / "copy.xml")
show(ports(again.inputs), ports(again.outputs), again.get_rt_info(["conversion", "framework"]).value)
ov.serialize(model, folder / "a.xml", folder / "b.bin")
show((folder / "b.bin").read_bytes() == WEIGHTS, (folder / "copy.bin").exists())
ov.save_model(model, folder / "half.xml")
half = core.read_model(folder / "half.xml")
show(sorted(node.friendly_name for node in half.get_ops()), (folder / "half.bin").stat().st_size)
ov.save_model(model, folder / "full.xml", compress_to_fp16=False)
show(sorted(node.friendly_name for node in core.read_model(folder / "full.xml").get_ops()))
show(core.compile_model(half, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([x, y])["s0"])
show(x, y)
