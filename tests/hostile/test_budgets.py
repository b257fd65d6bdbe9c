"""What a run may take: sizes beyond MEMORY_LIMIT and trips beyond TRIP_LIMIT are refused before memory is taken."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import CompiledModel, Core, Error, EvaluationError, InferRequest, OutOfMemoryError
from ir_plugin.executor import engine, interpreter
from ir_plugin.report.dump import dump
from ir_plugin.report.inputs import Random, complete, random_array
from ir_plugin.report.profile import profile
from ir_plugin.tensors import Array, ElementType, TensorInfo
from tests.operations.infrastructure.test_control_flow import Repeat
from tests.support.changed import DIGITS
from tests.support.ir import build
from tests.support.sample import In, const, param
from tests.support.verbs import call

LIMIT = 1 << 20
HUGE = 1 << 40
INTERPOLATE = {
    "mode": "nearest", "shape_calculation_mode": "sizes", "coordinate_transformation_mode": "asymmetric",
    "nearest_mode": "floor", "antialias": False, "pads_begin": [0], "pads_end": [0], "cube_coeff": -0.75,
}  # fmt: skip

# type, version, inputs, attributes; the inputs that say how large the output is stand as plain numbers
LARGE: dict[str, tuple[str, int, list[Any], dict[str, object]]] = {
    "Range": ("Range", 4, [0, HUGE, 1], {"output_type": "i64"}),
    "Tile": ("Tile", 1, [param([1.0, 2.0]), [HUGE]], {}),
    "Broadcast": ("Broadcast", 3, [param([1.0]), [HUGE]], {"mode": "numpy"}),
    "Broadcast of overflowing dimensions": ("Broadcast", 3, [param([1.0]), [1 << 33, 1 << 33]], {"mode": "numpy"}),
    "Pad": ("Pad", 1, [param([1.0]), [0], [HUGE]], {"pad_mode": "constant"}),
    "RandomUniform": ("RandomUniform", 8, [[HUGE], const(0.0), const(1.0)],
                      {"output_type": "f32", "global_seed": 1, "op_seed": 1}),
    "Eye": ("Eye", 9, [HUGE, 2, 0], {"output_type": "f32"}),
    "OneHot": ("OneHot", 1, [param([0, 1]), HUGE, const(1.0), const(0.0)], {"axis": -1}),
    "Interpolate": ("Interpolate", 4, [param(np.ones((1, 1, 2, 2), np.float32)), [1 << 20, 1 << 20],
                                       const([1.0, 1.0]), const([2, 3])], INTERPOLATE),
}  # fmt: skip


def refused(
    type: str, version: int | str, inputs: list[In], attributes: dict[str, object], outputs: int = 1, **config: Any
) -> tuple[str, int]:
    """Return the code of the error that a limit gives, and the most bytes that Python took meanwhile.

    An earlier run has compiled the kernels. Memory that the system refuses was asked for, so that it has no code.
    """
    ir = build(type, version, inputs, attributes, outputs)
    core = Core()
    model = core.read_model(ir.xml, ir.weights)
    values = [given.value for given in inputs if not given.constant]
    limits = {"MEMORY_LIMIT": LIMIT, **config}
    with suppress(Error):
        core.compile_model(model, config=limits)(values)
    tracemalloc.start()
    try:
        core.compile_model(model, config=limits)(values)
    except OutOfMemoryError:
        return "", tracemalloc.get_traced_memory()[1]
    except Error as fault:
        return ",".join(finding.code for finding in fault.findings), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return "", 0


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("sizes", [const, param])
@pytest.mark.parametrize("name", LARGE)
def test_a_size_beyond_the_limit_is_refused_before_memory_is_taken(name: str, sizes: Any, optimize: bool) -> None:
    type, version, given, attributes = LARGE[name]
    inputs = [item if isinstance(item, In) else sizes(item) for item in given]
    code, peak = refused(type, version, inputs, attributes, OPTIMIZE=optimize)
    assert code == "IR702"
    assert peak < 4 * LIMIT


@pytest.mark.parametrize("optimize", [True, False])
def test_indices_of_what_is_not_zero_are_counted_before_memory_is_taken(optimize: bool) -> None:
    shape = (1 << 15, *[1] * 7)
    config: dict[str, Any] = {"OPTIMIZE": optimize}
    code, peak = refused("NonZero", 3, [param(np.ones(shape, np.uint8))], {"output_type": "i64"}, **config)
    assert code == "IR702"
    assert peak < LIMIT
    assert refused("NonZero", 3, [param(np.zeros(shape, np.uint8))], {"output_type": "i64"}, **config)[0] == ""


PADS = {"strides": [9000] * 2, "pads_begin": [9000] * 2, "pads_end": [0, 0], "auto_pad": "explicit"}
IMAGE = param(np.ones((1, 1, 2, 2), np.float32))
WORK: dict[str, tuple[str, int | str, list[In], dict[str, object], int]] = {
    "pads of a Convolution": ("Convolution", 1, [IMAGE, const(np.ones((1, 1, 2, 2), np.float32))],
                              {**PADS, "dilations": [1, 1]}, 1),
    "overlaps of MatrixNms": ("MatrixNms", 8, [param(np.ones((1, 4000, 4), np.float32)),
                                               param(np.ones((1, 2, 4000), np.float32))], {}, 3),
    "places of Unique": ("Unique", 10, [param(np.ones(1 << 19, np.uint8))], {}, 4),
    "a transposed convolution of which little is kept": (
        "ConvolutionBackpropData", 1, [IMAGE, const(np.ones((1, 1, 2, 2), np.float32)), const([3, 3])],
        {"strides": [1 << 27, 2], "dilations": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0]}, 1,
    ),
    "samples of a box": (
        "ROIAlign", 9, [IMAGE, param(np.ones((1, 4), np.float32)), const([0])],
        {"pooled_h": 2, "pooled_w": 2, "sampling_ratio": 1 << 30, "spatial_scale": 1.0, "mode": "avg"}, 1,
    ),
    "products of a box": (
        "ROIAlignOfProducts", "extension", [IMAGE, param(np.ones((1, 4), np.float32)), const([0])],
        {"pooled_h": 2, "pooled_w": 2, "sampling_ratio": 1 << 22, "spatial_scale": 1.0, "mode": "max"}, 1,
    ),
    "samples of a shifted bin": (
        "DeformablePSROIPooling", 1, [IMAGE, param(np.array([[0, 0, 0, 1, 1]], np.float32))],
        {"output_dim": 1, "group_size": 1, "spatial_scale": 1.0, "spatial_bins_x": 1 << 22, "spatial_bins_y": 1}, 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("name", WORK)
def test_what_a_computation_takes_besides_its_output_is_limited(name: str, optimize: bool) -> None:
    type, version, inputs, attributes, outputs = WORK[name]
    code, peak = refused(type, version, inputs, attributes, outputs, OPTIMIZE=optimize)
    assert code == "IR702"
    assert peak < 4 * LIMIT


def test_many_layers_below_the_limit_are_allowed_together() -> None:
    layers = "".join(
        f'<layer id="{i}" name="n{i}" type="Exp" version="opset1"><input><port id="0"/></input>'
        '<output><port id="1"/></output></layer>'
        for i in range(1, 41)
    )
    edges = "".join(
        f'<edge from-layer="{i}" from-port="{int(i > 0)}" to-layer="{i + 1}" to-port="0"/>' for i in range(41)
    )
    xml = (
        '<net name="n" version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1">'
        '<data shape="200000" element_type="f32"/><output><port id="0" precision="FP32"/></output></layer>'
        f'{layers}<layer id="41" name="out" type="Result" version="opset1"><input><port id="0"/></input></layer>'
        f"</layers><edges>{edges}</edges></net>"
    )
    for optimize in (True, False):
        compiled = Core().compile_model(xml.encode(), weights=b"", config={"MEMORY_LIMIT": LIMIT, "OPTIMIZE": optimize})
        assert compiled([np.full(200000, -9, np.float32)])[0].shape == (200000,)


def test_inputs_are_limited_together_before_a_plan_is_made() -> None:
    arrays = [np.ones(LIMIT // 8, np.float32) for _ in range(2)]
    inputs = [param(array) for array in arrays]
    ir = build("Add", 1, inputs, {"auto_broadcast": "numpy"}, 1, shapes=dict.fromkeys(range(2), "?"))
    compiled = Core().compile_model(ir.xml, weights=ir.weights, config={"MEMORY_LIMIT": 2 * LIMIT})
    assert compiled(arrays)[0].size == LIMIT // 8
    limited = Core().compile_model(ir.xml, weights=ir.weights, config={"MEMORY_LIMIT": LIMIT - 1})
    for run in (limited, limited.intermediates):
        with pytest.raises(Error, match=rf"all inputs together {LIMIT}; the memory limit is {LIMIT - 1}") as caught:
            run(arrays)
        assert [finding.code for finding in caught.value.findings] == ["IR702"]


def test_the_arena_is_limited_when_the_plan_is_made(tmp_path: Path) -> None:
    size = LIMIT // 8
    data = ops.parameter([-1], np.float32, name="x")
    parts = [ops.cos(ops.multiply(data, np.float32(factor))) for factor in range(1, 9)]
    model = ov.Model([ops.concat([ops.sin(part) for part in reversed(parts)], 0)], [data])
    ov.serialize(model, tmp_path / "model.xml")
    read = Core().read_model(tmp_path / "model.xml")
    values = np.ones(size, np.float32)
    compiled = Core().compile_model(read, config={"MEMORY_LIMIT": 50 * LIMIT, "PROVIDER": "numpy"})
    assert compiled([values])[0].size == 8 * size
    taken = compiled.engine.plan(compiled.model, [TensorInfo(ElementType.f32, [size])]).arena_bytes
    assert taken > 8 * values.nbytes
    tight = Core().compile_model(read, config={"MEMORY_LIMIT": taken - 1, "PROVIDER": "numpy"})
    with pytest.raises(EvaluationError, match=rf"layer .* the plan's arena {taken}; the memory limit is") as caught:
        tight([values])
    assert [finding.code for finding in caught.value.findings] == ["IR702"]


def test_random_inputs_are_limited_before_they_are_drawn() -> None:
    compiled = Core().compile_model(DIGITS, config={"MEMORY_LIMIT": LIMIT})
    tracemalloc.start()
    for length in (LIMIT, HUGE):
        with pytest.raises(Error, match=r'layer "images" .* takes \d+ bytes; the memory limit is 1048576'):
            complete(compiled, {"images": Random((length, 1, 8, 8))})
    assert tracemalloc.get_traced_memory()[1] < LIMIT
    tracemalloc.stop()


@pytest.mark.parametrize("name", ["f64", "f32", "f16", "bf16", "f8e4m3", "i64", "i32", "u8", "i4", "u1", "boolean"])
def test_random_inputs_are_drawn_in_their_own_type(name: str) -> None:
    element_type = getattr(ElementType, name)
    size = 1 << 22
    shape = (4, size // 4)
    tracemalloc.start()
    array = random_array(np.random.default_rng(3), element_type, shape)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < array.nbytes + (1 << 20) + (1 << 19)
    rng, length = np.random.default_rng(3), shape
    high = 2 if name in ("boolean", "u1") else 8 if name == "i4" else 10
    plain: Array = (
        rng.integers(0, high, length) if element_type.is_integer or name == "boolean" else rng.standard_normal(length)
    )
    np.testing.assert_array_equal(array, plain.astype(element_type.dtype))


BEYOND = 1 << 46
"""A length with which no processor can address an array."""
UNLIMITED = 1 << 60
"""A limit that lets the system refuse the memory."""


@pytest.fixture(scope="module")
def widening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model whose layer `wide` needs more memory than there can be."""
    data = ops.parameter([-1, 64], np.float32, name="x")
    wide = ops.tile(ops.exp(data), np.array([1, BEYOND]), name="wide")
    path = tmp_path_factory.mktemp("widening") / "model.xml"
    ov.serialize(ov.Model([ops.reduce_sum(ops.cos(wide), np.array([1]))], [data]), path)
    return path


ROWS = np.ones((2, 64), np.float32)


def waited(request: InferRequest) -> None:
    """Run a request in the background, and wait for it."""
    request.start_async([ROWS], share_inputs=True)
    request.wait()


RUNS: dict[str, Callable[[CompiledModel], object]] = {
    "run": lambda compiled: compiled([ROWS]),
    "plain": lambda compiled: compiled([ROWS]),
    "copied": lambda compiled: compiled.create_infer_request().infer(
        [np.broadcast_to(np.float32(1), (BEYOND, 64))], share_inputs=False
    ),
    "intermediates": lambda compiled: compiled.intermediates([ROWS]),
    "dump": lambda compiled: dump(compiled, [ROWS]),
    "profile": lambda compiled: profile(compiled, [ROWS], 1, 0),
    "random": lambda compiled: complete(compiled, {"x": Random((BEYOND, 64))}),
    "async": lambda compiled: waited(compiled.create_infer_request()),
    "static": lambda compiled: compiled([ROWS]),
}
NAMED = {"random": '"x"', "copied": '"x"'}


@pytest.mark.parametrize("how", RUNS)
def test_running_out_of_memory_is_an_error_that_names_the_layer(widening: Path, how: str) -> None:
    model = Core().read_model(widening)
    if how == "static":
        model.reshape([2, 64])
    config = {"PROVIDER": "numpy", "OPTIMIZE": how != "plain", "MEMORY_LIMIT": UNLIMITED}
    with pytest.raises(
        OutOfMemoryError, match=f"^layer {NAMED.get(how, '')}.*there is not enough memory for it"
    ) as fault:
        RUNS[how](Core().compile_model(model, config=config))
    assert [finding.code for finding in fault.value.findings] == ["IR702"]


@pytest.mark.parametrize("verb", ["run", "dump", "profile", "benchmark", "compare", "graph"])
def test_a_verb_that_runs_out_of_memory_names_the_layer(
    widening: Path, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (engine, interpreter):
        monkeypatch.setattr(module, "DEFAULT_MEMORY_LIMIT", UNLIMITED)
    more: dict[str, list[object]] = {
        "compare": ["--with", widening],
        "benchmark": ["-t", "0.01", "--config", "PROVIDER=numpy"],
        "run": ["--config", "PROVIDER=numpy"],
        "profile": ["-n", "1", "--config", "PROVIDER=numpy"],
        "graph": ["--run", "-o", tmp_path / "page.html"],
    }
    done = call(verb, widening, "-i", "x=2x64", *more.get(verb, []))
    assert "Traceback" not in done.stderr
    assert done.returncode == 2, done.stdout + done.stderr
    assert "error: layer " in done.stderr
    assert "there is not enough memory" in done.stderr


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("trip", [2**62, [2**62], -1])
def test_a_loop_beyond_the_limit_of_trips_is_refused(trip: Any, optimize: bool, tmp_path: Path) -> None:
    model, inputs = Repeat(trip, joined=False).build()
    path = tmp_path / "loop.xml"
    ov.serialize(model, path)
    with pytest.raises(EvaluationError) as caught:
        Core().compile_model(path, config={"OPTIMIZE": optimize})(inputs)
    assert [finding.code for finding in caught.value.findings] == ["IR702"]
