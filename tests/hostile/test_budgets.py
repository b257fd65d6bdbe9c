"""What a run may take: sizes beyond MEMORY_LIMIT and trips beyond TRIP_LIMIT are refused before memory is taken."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest

from ir_plugin import Core, Error, EvaluationError
from tests.operations.infrastructure.test_control_flow import Repeat
from tests.support.ir import build
from tests.support.sample import In, const, param

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
    type: str, version: int, inputs: list[In], attributes: dict[str, object], outputs: int = 1, **config: Any
) -> tuple[str, int]:
    """Return the code of the error that a run gives, and the most bytes that Python took meanwhile."""
    ir = build(type, version, inputs, attributes, outputs)
    core = Core()
    model = core.read_model(ir.xml, ir.weights)
    values = [given.value for given in inputs if not given.constant]
    tracemalloc.start()
    try:
        core.compile_model(model, config={"MEMORY_LIMIT": LIMIT, **config})(values)
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
WORK: dict[str, tuple[str, int, list[In], dict[str, object], int]] = {
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


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("trip", [2**62, [2**62], -1])
def test_a_loop_beyond_the_limit_of_trips_is_refused(trip: Any, optimize: bool, tmp_path: Path) -> None:
    model, inputs = Repeat(trip, joined=False).build()
    path = tmp_path / "loop.xml"
    ov.serialize(model, path)
    with pytest.raises(EvaluationError) as caught:
        Core().compile_model(path, config={"OPTIMIZE": optimize})(inputs)
    assert [finding.code for finding in caught.value.findings] == ["IR702"]
