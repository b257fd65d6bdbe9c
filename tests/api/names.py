"""The names of OpenVINO's API beside ours, and the page `docs/openvino-names.md` that lists what is not offered."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from ir_plugin.diagnostics.absent import ABSENT
from tests.support.changed import DIGITS

PAGE = Path(__file__).parents[2] / "docs" / "openvino-names.md"
HEAD = """# Names of OpenVINO that are not offered

Everything of OpenVINO's Python API that reads models, shapes them or runs them has the same name here; a test compares
the public names of both. These are the rest. Using one raises an `AbsentError` that says what this table says; it is an
`AttributeError`, so that `hasattr` of an object is False. Every module of OpenVINO imports, and so does every name of
it: an absent class or function fails where it is called, subclassed or asked for an attribute. This page is written by
`python -m tests.api.names`.

| of | names | instead |
|---|---|---|
"""


def objects(library: Any) -> Iterator[tuple[str, Any]]:
    """Yield what users hold, with the name under which `ABSENT` lists what it lacks."""
    core = library.Core()
    device = core.available_devices[0]
    model = core.read_model(DIGITS)
    compiled = core.compile_model(model, device)
    request = compiled.create_infer_request()
    request.infer([np.zeros((1, 1, 8, 8), np.float32)])
    nodes = {node.get_type_name(): node for node in model.get_ordered_ops()}
    conv = nodes["Convolution"]
    yield from (("ir_plugin", library), ("Core", core), ("Model", model), ("CompiledModel", compiled))
    yield from (
        ("InferRequest", request),
        ("Results", request.results),
        ("Queue", library.AsyncInferQueue(compiled, 1)),
    )
    yield from (("Node", nodes[type]) for type in ("Parameter", "Constant", "Convolution", "Result"))
    yield from (("Output", conv.output(0)), ("Output", compiled.input(0)), ("Input", conv.input(0)))
    yield from (("DescriptorTensor", conv.output(0).get_tensor()), ("Tensor", library.Tensor(np.zeros(1))))
    yield from (("PartialShape", library.PartialShape([1])), ("Dimension", library.Dimension(1)))
    yield from (("Shape", library.Shape([1])), ("Strides", library.Strides([1])), ("AxisSet", library.AxisSet([1])))
    yield from (("Type", library.Type.f32), ("Layout", library.Layout("N")), ("OVAny", library.OVAny(1)))
    yield from (("ir_plugin.properties", library.properties), ("layout_helpers", library.layout_helpers))
    yield from (
        ("hint", library.properties.hint),
        ("log", library.properties.log),
        ("streams", library.properties.streams),
    )
    manager = import_module(f"{library.__name__}.frontend").FrontEndManager()
    front_end = manager.load_by_framework("onnx")
    loaded = front_end.load(_relu())
    yield from (("FrontEndManager", manager), ("FrontEnd", front_end), ("InputModel", loaded))
    yield ("Place", loaded.get_inputs()[0])
    yield ("Version", next(iter(core.get_versions(device).values())))


def _relu() -> io.BytesIO:
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return io.BytesIO(model.SerializeToString())


def public(owner: Any) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


def page() -> str:
    rows = []
    for owner, names in ABSENT.items():
        for reason in dict.fromkeys(names.values()):
            listed = ", ".join(f"`{name}`" for name, instead in names.items() if instead == reason)
            rows.append(f"| {owner} | {listed} | {reason} |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    sys.stdout.write(f"{PAGE}\n")
