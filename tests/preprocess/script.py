"""Scripts of preprocessing as people write them for OpenVINO. `MODULE` names the library that is imported as `ov`."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ov: Any = importlib.import_module(os.environ["MODULE"])
pp: Any = importlib.import_module(os.environ["MODULE"] + ".preprocess")
ops: Any = importlib.import_module(os.environ["MODULE"] + ".opset13")
folder = Path(sys.argv[1])
PrePostProcessor, ColorFormat, ResizeAlgorithm = pp.PrePostProcessor, pp.ColorFormat, pp.ResizeAlgorithm
Layout, Type = ov.Layout, ov.Type
core = ov.Core()
PRECISION = {"INFERENCE_PRECISION_HINT": "f32"}
IMAGE = np.random.default_rng(1).integers(0, 256, (1, 48, 64, 3)).astype(np.uint8)


def show(*values: Any) -> None:
    sys.stdout.write(" ".join(map(str, values)) + "\n")


def numbers(array: Any) -> str:
    """Return a few numbers of an array, rounded so that the last bits do not show."""
    values = np.asarray(array, np.float64).ravel()
    return f"{np.asarray(array).dtype} {np.asarray(array).shape} " + " ".join(f"{v:.2f}" for v in values[:6])


def refused(call: Callable[..., Any], *arguments: Any) -> None:
    """Print whether a call is refused, and whether for the type of an argument."""
    try:
        call(*arguments)
    except TypeError:
        show("refused, type")
    except RuntimeError:
        show("refused")
    else:
        show("accepted")


def network(height: int = 32, width: int = 32, channels: int = 3) -> Any:
    """Return a small classifier of images in NCHW."""
    data = ops.parameter([1, channels, height, width], np.float32, name="data")
    data.output(0).set_names({"data"})
    weights = np.linspace(-0.5, 0.5, 4 * channels * 9, dtype=np.float32).reshape(4, channels, 3, 3)
    conv = ops.relu(ops.convolution(data, ops.constant(weights), [1, 1], [1, 1], [1, 1], [1, 1], name="conv"))
    mean = ops.reduce_mean(conv, np.array([2, 3]), keep_dims=False, name="mean")
    prob = ops.softmax(mean, 1, name="prob")
    prob.output(0).set_names({"prob"})
    return ov.Model([prob], [data], "classifier")


def segmenter() -> Any:
    """Return a network with an image as output."""
    data = ops.parameter([1, 3, 8, 8], np.float32, name="data")
    data.output(0).set_names({"data"})
    mask = ops.sigmoid(data, name="mask")
    mask.output(0).set_names({"mask"})
    return ov.Model([mask], [data], "segmenter")


def ports(model: Any) -> None:
    for port in [*model.inputs, *model.outputs]:
        show(sorted(port.names), port.partial_shape, port.element_type, port.node.get_layout())


def run(model: Any, *arrays: Any) -> None:
    compiled = core.compile_model(model, "CPU", PRECISION)
    for output in compiled(list(arrays)).values():
        show(numbers(output))


def kinds(model: Any) -> None:
    show(sorted(node.get_type_name() for node in model.get_ops()))


show("== optimize preprocessing: the guide")
model = network()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_element_type(Type.u8).set_shape([1, 48, 64, 3]).set_layout(Layout("NHWC")).set_color_format(
    ColorFormat.BGR
)
ppp.input().model().set_layout(Layout("NCHW"))
ppp.input().preprocess().convert_element_type(Type.f32).convert_color(ColorFormat.RGB).resize(
    ResizeAlgorithm.RESIZE_LINEAR
).mean([100.5, 101, 101.5]).scale([50.0, 51.0, 52.0])
ppp.output().tensor().set_element_type(Type.f32)
show(f"Dump preprocessor: {ppp}")
model = ppp.build()
ports(model)
kinds(model)
run(model, IMAGE)

show("== hello_classification")
model = network()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_shape(IMAGE.shape).set_element_type(Type.u8).set_layout(Layout("NHWC"))
ppp.input().preprocess().resize(ResizeAlgorithm.RESIZE_LINEAR)
ppp.input().model().set_layout(Layout("NCHW"))
ppp.output().tensor().set_element_type(Type.f32)
model = ppp.build()
compiled = core.compile_model(model, "CPU", PRECISION)
results = compiled.infer_new_request({0: IMAGE})
predictions = next(iter(results.values()))
show(numbers(predictions), int(np.argmax(predictions)), compiled.inputs[0].shape, compiled.input(0).any_name)

show("== input by name, custom reshape of a dynamic image")
model = network()
ppp = PrePostProcessor(model)
ppp.input("data").tensor().set_element_type(Type.u8).set_layout(Layout("NHWC")).set_spatial_dynamic_shape()
ppp.input("data").model().set_layout(Layout("NCHW"))
ppp.input("data").preprocess().resize(ResizeAlgorithm.RESIZE_NEAREST)
model = ppp.build()
ports(model)
for size in ((20, 30), (64, 64)):
    run(model, np.full((1, *size, 3), 7, np.uint8))

show("== NV12, one and two planes")
for color, names, shapes in (
    (ColorFormat.NV12_SINGLE_PLANE, [], [(1, 48, 32, 1)]),
    (ColorFormat.NV12_TWO_PLANES, ["y", "uv"], [(1, 32, 32, 1), (1, 16, 16, 2)]),
    (ColorFormat.I420_SINGLE_PLANE, [], [(1, 48, 32, 1)]),
    (ColorFormat.I420_THREE_PLANES, ["y", "u", "v"], [(1, 32, 32, 1), (1, 16, 16, 1), (1, 16, 16, 1)]),
):
    model = network()
    ppp = PrePostProcessor(model)
    ppp.input().tensor().set_element_type(Type.u8).set_color_format(color, names)
    ppp.input().preprocess().convert_color(ColorFormat.RGB)
    ppp.input().model().set_layout(Layout("NCHW"))
    show(ppp)
    model = ppp.build()
    ports(model)
    show([node.get_friendly_name() for node in model.get_parameters()])
    generator = np.random.default_rng(2)
    run(model, *(generator.integers(16, 235, shape).astype(np.uint8) for shape in shapes))

show("== planes without names")
model = network()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_element_type(Type.u8).set_color_format(ColorFormat.NV12_TWO_PLANES)
ppp.input().preprocess().convert_color(ColorFormat.BGR)
ppp.input().model().set_layout(Layout("NCHW"))
model = ppp.build()
show(len(model.inputs), [sorted(port.names) for port in model.inputs])

show("== gray images")
model = network(channels=1)
ppp = PrePostProcessor(model)
ppp.input().tensor().set_element_type(Type.u8).set_layout(Layout("NHWC")).set_color_format(ColorFormat.BGR)
ppp.input().tensor().set_shape([1, 32, 32, 3])
ppp.input().preprocess().convert_color(ColorFormat.GRAY)
ppp.input().model().set_layout(Layout("NCHW"))
refused(ppp.build)

model = network(channels=1)
ppp = PrePostProcessor(model)
ppp.input().tensor().set_element_type(Type.u8).set_layout(Layout("NCHW")).set_color_format(ColorFormat.BGR)
ppp.input().preprocess().convert_color(ColorFormat.GRAY)
model = ppp.build()
ports(model)
run(model, np.random.default_rng(4).integers(0, 256, (1, 3, 32, 32)).astype(np.uint8))
refused(ppp.build)

show("== RGBX from a camera")
model = network()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_element_type(Type.u8).set_color_format(ColorFormat.RGBX).set_spatial_static_shape(32, 32)
ppp.input().preprocess().convert_color(ColorFormat.BGR)
ppp.input().model().set_layout(Layout("NCHW"))
model = ppp.build()
ports(model)
run(model, np.random.default_rng(3).integers(0, 256, (1, 32, 32, 4)).astype(np.uint8))

show("== mean and scale")
for mean, scale in ((127.5, 127.5), ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375]), ([1.5], 2)):
    model = segmenter()
    ppp = PrePostProcessor(model)
    ppp.input(0).model().set_layout(Layout("NCHW"))
    ppp.input(0).tensor().set_layout(Layout("NCHW"))
    ppp.input(0).preprocess().mean(mean).scale(scale)
    model = ppp.build()
    kinds(model)
    run(model, np.linspace(0, 255, 192, dtype=np.float32).reshape(1, 3, 8, 8))

show("== an image without a batch")
model = segmenter()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_layout("HWC").set_element_type(Type.u8)
ppp.input().model().set_layout("NCHW")
show(ppp)
model = ppp.build()
ports(model)
run(model, np.arange(192, dtype=np.uint8).reshape(8, 8, 3))

show("== layouts by permutation")
model = segmenter()
ppp = PrePostProcessor(model)
ppp.input().preprocess().convert_layout([0, 3, 1, 2])
ppp.output().postprocess().convert_layout([0, 2, 3, 1])
model = ppp.build()
ports(model)
run(model, np.linspace(-1, 1, 192, dtype=np.float32).reshape(1, 8, 8, 3))

show("== output layout and type")
model = segmenter()
ppp = PrePostProcessor(model)
ppp.output().model().set_layout(Layout("NCHW"))
ppp.output().tensor().set_layout(Layout("NHWC")).set_element_type(Type.f16)
show(ppp)
model = ppp.build()
ports(model)
show(
    [
        re.sub(r"\d+$", "#", node.get_friendly_name())
        for node in model.get_ordered_ops()
        if node.get_type_name() != "Result"
    ]
)
run(model, np.linspace(-1, 1, 192, dtype=np.float32).reshape(1, 3, 8, 8))

show("== custom steps")
model = segmenter()
ppp = PrePostProcessor(model)
ppp.input().preprocess().custom(lambda port: ops.abs(port).output(0)).custom(
    lambda port: ops.add(port, np.float32(1)).output(0)
)
ppp.output().postprocess().custom(lambda port: ops.reduce_max(port, np.array([1]), keep_dims=True).output(0))
show(ppp)
model = ppp.build()
ports(model)
run(model, np.linspace(-1, 1, 192, dtype=np.float32).reshape(1, 3, 8, 8))

show("== crop and pad")
model = segmenter()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_shape([1, 3, 10, 9])
ppp.input().preprocess().crop([0, 0, 1, 1], [1, 3, 8, 8]).pad([0, 0, 1, 0], [0, 0, 0, 1], 0.5, pp.PaddingMode.CONSTANT)
show(ppp)
model = ppp.build()
run(model, np.linspace(-1, 1, 270, dtype=np.float32).reshape(1, 3, 10, 9))
for mode in (pp.PaddingMode.REFLECT, pp.PaddingMode.SYMMETRIC):
    model = segmenter()
    ppp = PrePostProcessor(model)
    ppp.input().tensor().set_shape([1, 3, 6, 6])
    ppp.input().preprocess().pad([0, 0, 1, 1], [0, 0, 1, 1], 0, mode)
    run(ppp.build(), np.linspace(-1, 1, 108, dtype=np.float32).reshape(1, 3, 6, 6))

show("== all algorithms of a resize")
for algorithm in ResizeAlgorithm.__members__.values():
    model = segmenter()
    ppp = PrePostProcessor(model)
    ppp.input().tensor().set_layout("NCHW").set_spatial_static_shape(11, 6)
    ppp.input().preprocess().resize(algorithm)
    show(algorithm, repr(algorithm), algorithm.name, algorithm.value)
    run(ppp.build(), np.linspace(-3, 3, 198, dtype=np.float32).reshape(1, 3, 11, 6))

show("== a tensor as pattern")
model = segmenter()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_from(ov.Tensor(np.zeros((1, 8, 8, 3), np.uint8))).set_layout(Layout("NHWC"))
ppp.input().model().set_layout(Layout("NCHW"))
ports(ppp.build())
model = segmenter()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_from(np.zeros((1, 3, 8, 8), np.int32))
ports(ppp.build())

show("== batches")
model = network()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_layout(Layout("NHWC")).set_element_type(Type.u8)
ppp.input().model().set_layout(Layout("NCHW"))
model = ppp.build()
show(ov.get_batch(model))
ov.set_batch(model, 2)
show(ov.get_batch(model), model.input().partial_shape, model.output().partial_shape)
show(ov.layout_helpers.get_layout(model.input()), ov.layout_helpers.channels_idx(model.input().node.layout))

show("== layouts of the model")
data = ops.parameter([1, 3, 8, 8], np.float32, name="data")
data.output(0).set_names({"data"})
data.layout = Layout("NCHW")
out = ops.relu(data, name="out")
out.output(0).set_names({"out"})
model = ov.Model([out], [data], "m")
model.output().node.set_layout(Layout("NCHW"))
ppp = PrePostProcessor(model)
ppp.input().tensor().set_layout(Layout("NHWC"))
ppp.output().tensor().set_layout(Layout("NHWC"))
model = ppp.build()
ports(model)

show("== integrated and saved")
model = network()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_element_type(Type.u8).set_layout(Layout("NHWC")).set_shape([1, 48, 64, 3])
ppp.input().model().set_layout(Layout("NCHW"))
ppp.input().preprocess().convert_element_type(Type.f32).resize(ResizeAlgorithm.RESIZE_LINEAR).mean(127.5).scale(127.5)
model = ppp.build()
ov.serialize(model, str(folder / "integrated.xml"))
read = core.read_model(str(folder / "integrated.xml"))
ports(read)
run(read, IMAGE)
ov.save_model(model, folder / "compressed.xml")
ports(core.read_model(folder / "compressed.xml"))

show("== two inputs and two outputs")
left, right = (ops.parameter([1, 2, 2], np.float32, name=name) for name in ("left", "right"))
left.output(0).set_names({"left"})
right.output(0).set_names({"right"})
total, product = ops.add(left, right, name="total"), ops.multiply(left, right, name="product")
total.output(0).set_names({"total"})
product.output(0).set_names({"product"})
model = ov.Model([total, product], [left, right], "pair")
ppp = PrePostProcessor(model)
ppp.input("right").tensor().set_element_type(Type.i32)
ppp.input(0).preprocess().mean(1.0)
ppp.output("product").tensor().set_element_type(Type.i64)
ppp.output(0).postprocess().convert_element_type(Type.f64)
show(ppp)
model = ppp.build()
ports(model)
run(model, np.arange(4, dtype=np.float32).reshape(1, 2, 2), np.arange(4, dtype=np.int32).reshape(1, 2, 2))
refused(PrePostProcessor(model).input)
refused(PrePostProcessor(model).output)

show("== memory types")
model = segmenter()
ppp = PrePostProcessor(model)
ppp.input().tensor().set_memory_type("GPU_SURFACE")
show(ppp)
model = ppp.build()
show(any("memory_type" in key for key in model.input().get_rt_info()))

show("== what is refused")
for call in (
    lambda p: p.input(3),
    lambda p: p.input("nothing"),
    lambda p: p.output("nothing"),
    lambda p: p.input(-1),
    lambda p: p.input(1.5),
    lambda p: p.input().tensor().set_element_type("u8"),
    lambda p: p.input().tensor().set_element_type(np.uint8),
    lambda p: p.input().tensor().set_layout(None),
    lambda p: p.input().tensor().set_layout("NN"),
    lambda p: p.input().tensor().set_shape("1,2"),
    lambda p: p.input().tensor().set_shape([1.5]),
    lambda p: p.input().tensor().set_from([1, 2]),
    lambda p: p.input().tensor().set_color_format(5),
    lambda p: p.input().tensor().set_color_format(ColorFormat.RGB, ["a"]),
    lambda p: p.input().tensor().set_color_format(ColorFormat.NV12_TWO_PLANES, ["a"]),
    lambda p: p.input().tensor().set_shape([1, 3, 8, 8]).set_spatial_dynamic_shape(),
    lambda p: p.input().tensor().set_spatial_static_shape(8, 8).set_shape([1, 3, 8, 8]),
    lambda p: p.input().preprocess().mean("1"),
    lambda p: p.input().preprocess().scale(None),
    lambda p: p.input().preprocess().resize(0),
    lambda p: p.input().preprocess().resize(ResizeAlgorithm.RESIZE_LINEAR, 3),
    lambda p: p.input().preprocess().crop([0, 0], [1]),
    lambda p: p.input().preprocess().convert_layout([0, -1]),
    lambda p: p.input().preprocess().custom(3),
    lambda p: p.input().preprocess().pad([0], [0], 0, 0),
    lambda _: PrePostProcessor(None),
    lambda _: PrePostProcessor("model.xml"),
    lambda _: pp.InputInfo(),
):
    processor = PrePostProcessor(segmenter())
    refused(call, processor)
DESCRIPTIONS: tuple[Callable[[Any], Any], ...] = (
    lambda p: p.input().preprocess().mean([1.0, 2.0, 3.0]),
    lambda p: p.input().tensor().set_layout("NCHW") and p.input().preprocess().mean([1.0, 2.0]),
    lambda p: p.input().tensor().set_element_type(Type.u8) and p.input().preprocess().scale(2.0),
    lambda p: p.input().preprocess().resize(ResizeAlgorithm.RESIZE_LINEAR),
    lambda p: p.input().preprocess().reverse_channels(),
    lambda p: p.input().preprocess().convert_color(ColorFormat.RGB),
    lambda p: p.input().tensor().set_color_format(ColorFormat.NV12_TWO_PLANES),
    lambda p: p.input().tensor().set_color_format(ColorFormat.NV12_SINGLE_PLANE),
    lambda p: p.input().tensor().set_shape([1, 3, 9, 9]),
    lambda p: p.input().tensor().set_layout("NC"),
    lambda p: p.input().tensor().set_spatial_dynamic_shape(),
    lambda p: p.input().preprocess().convert_layout([0, 0, 1, 2]),
    lambda p: p.input().preprocess().convert_layout([0, 7, 1, 2]),
    lambda p: p.output().postprocess().convert_element_type(),
    lambda p: p.output().model().set_layout("NC"),
    lambda p: p.input().preprocess().custom(ops.abs),
)
for describe in DESCRIPTIONS:
    model = segmenter()
    processor = PrePostProcessor(model)
    describe(processor)
    refused(processor.build)
    ports(model)
    run(model, np.linspace(-1, 1, 192, dtype=np.float32).reshape(1, 3, 8, 8))
