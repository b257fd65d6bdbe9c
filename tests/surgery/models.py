"""Models that OpenVINO writes, for tests of parts and differences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import onnx
import openvino as ov
from openvino import opset13 as op

from tests.models.test_models import LIGHT, randomized
from tests.support.changed import DIGITS, transformer, with_bodies


def digits(out: Path) -> Path:
    copyfile(DIGITS, out)
    copyfile(DIGITS.with_suffix(".bin"), out.with_suffix(".bin"))
    return out


def light(name: str) -> Callable[[Path], Path]:
    def write(out: Path) -> Path:
        source = out.with_suffix(".onnx")
        onnx.save(randomized(onnx.load(LIGHT / f"light_{name}.onnx")), source)
        ov.save_model(ov.Core().read_model(source), out, compress_to_fp16=False)
        return out

    return write


def written(model: Any, out: Path) -> Path:
    ov.serialize(model, out, out.with_suffix(".bin"))
    return out


def shapes(out: Path, rows: int = -1) -> Path:
    """Write a model whose Reshapes take lengths from ShapeOfs of the input and of layers."""
    x = op.parameter([rows, 4, 6], np.float32, name="x")
    x.output(0).set_names({"x"})
    first = op.relu(x, name="first")
    lengths = op.shape_of(x, name="lengths")
    batch = op.gather(lengths, op.constant([0]), op.constant(0), name="batch")
    target = op.concat([batch, op.constant(np.array([24], np.int64))], 0, name="target")
    flat = op.reshape(first, target, False, name="flat")
    half, rest = op.split(flat, op.constant(1), 2, name="halves").outputs()
    scaled = op.multiply(half, op.convert(op.reduce_prod(lengths, op.constant([0])), "f32"), name="scaled")
    own = op.shape_of(scaled, name="own")
    again = op.reshape(op.add(scaled, rest, name="sum"), op.concat([own, op.constant([1])], 0), False, name="again")
    values, indices = op.topk(again, op.constant(3), 1, "max", "value", name="top").outputs()
    return written(ov.Model([op.result(values, name="v"), op.result(indices, name="i")], [x], "shapes"), out)


def static_shapes(out: Path) -> Path:
    return shapes(out, 2)


def states(out: Path) -> Path:
    """Write a model of two variables: a total, and a window of past values."""
    from openvino.op.util import Variable, VariableInfo

    def variable(id: str, shape: list[int]) -> Any:
        info = VariableInfo()
        info.data_shape, info.data_type, info.variable_id = ov.PartialShape(shape), ov.Type.f32, id
        return Variable(info)

    x = op.parameter([2], np.float32, name="x")
    x.output(0).set_names({"x"})
    total, past = variable("total", [2]), variable("past", [4])
    opset = ov.opset6
    read = opset.read_value(op.constant(np.zeros(2, np.float32)), total)
    read.set_friendly_name("read_total")
    add = op.add(read, op.relu(x, name="relu"), name="add")
    assign = opset.assign(add, total)
    window = opset.read_value(op.constant(np.ones(4, np.float32)), past)
    window.set_friendly_name("read_past")
    scores = op.multiply(op.reduce_sum(window, op.constant([0]), name="sum"), add, name="scores")
    last = op.concat([op.slice(window, [2], [4], [1]), op.tanh(scores, name="tanh")], 0, name="next")
    keep = opset.assign(last, past)
    result = op.result(op.exp(scores, name="exp"), name="out")
    return written(ov.Model([result], [assign, keep], [x], "states"), out)


MODELS: dict[str, Callable[[Path], Path]] = {
    "digits": digits,
    "transformer": transformer,
    "bodies": with_bodies,
    "shapes": shapes,
    "static_shapes": static_shapes,
    "states": states,
    "squeezenet": light("squeezenet"),
    "shufflenet": light("shufflenet"),
    "inception_v1": light("inception_v1"),
}
