"""Gather, GatherElements and GatherND of ONNX: every version and type, and an index out of range is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

from onnx import helper

import ir_plugin as ov
from ir_plugin import onnx_backend
from ir_plugin.frontends.onnx.types import _NAMES, element_type_of
from tests.onnx.judged import judge
from tests.onnx.models import model, numbers

TYPES = sorted(_NAMES)
GATHERS = [(type, version) for type, versions in {
    "Gather": (1, 11, 13), "GatherElements": (11, 13), "GatherND": (11, 12, 13),
}.items() for version in versions]  # fmt: skip
INDEX_TYPES = {np.int32: 6, np.int64: 7}


def gather(type: str, version: int, data_type: int, index_type: int = 7, **attributes: Any) -> Any:
    node = helper.make_node(type, ["data", "indices"], ["out"], name="the_gather", **attributes)
    rank = 2 if type != "Gather" else 1
    return model([node], {"data": (data_type, [3, 2]), "indices": (index_type, [2] * rank)}, ["out"], opset=version)


def inside(type: str) -> Any:
    return {"Gather": [-3, 2], "GatherElements": [[-3, 2], [1, 0]], "GatherND": [[2, -2], [-3, 1]]}[type]


def expected(type: str, data: Any, indices: Any) -> Any:
    if type == "Gather":
        return np.take(data, indices, 0)
    if type == "GatherElements":
        return np.take_along_axis(data, np.where(indices < 0, indices + len(data), indices), 0)
    return np.array([data[tuple(pair)] for pair in indices.tolist()], data.dtype)


@pytest.mark.parametrize("number", TYPES, ids=[_NAMES[number] for number in TYPES])
@pytest.mark.parametrize(("type", "version"), GATHERS)
def test_every_type(type: str, version: int, number: int) -> None:
    data, indices = numbers(element_type_of(number), (3, 2)), np.array(inside(type))
    (found,) = onnx_backend.run_model(gather(type, version, number), [data, indices])
    assert found.dtype == data.dtype
    np.testing.assert_array_equal(found, expected(type, data, indices))


def refusal(model: Any, data: Any, indices: Any) -> str:
    """Return what a model says of indices, or nothing where it computes."""
    try:
        model.run([data, indices])
    except ov.Error as fault:
        return str(fault)
    return ""


@pytest.mark.parametrize("number", TYPES, ids=[_NAMES[number] for number in TYPES])
@pytest.mark.parametrize(("type", "version"), GATHERS)
def test_an_index_out_of_range_is_refused(type: str, version: int, number: int) -> None:
    data = numbers(element_type_of(number), (3, 2))
    wrong = []
    for index_type, name in INDEX_TYPES.items():
        prepared = onnx_backend.prepare(gather(type, version, number, name))
        for index in (3, -4, 2**31 - 1, -(2**31)):
            indices = np.array(inside(type), index_type)
            indices[(0,) * indices.ndim] = index
            said = refusal(prepared, data, indices)
            if str(index) not in said or not ("the_gather" in said or '"out"' in said):
                wrong.append(f"{index_type.__name__} {index}: {said or 'no error'}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("indices", [[0, 3], [-4, 0], 7, [[5]]])
def test_constant_indices_out_of_range_are_refused(indices: Any, optimize: bool) -> None:
    node = helper.make_node("Gather", ["data", "indices"], ["out"], axis=0)
    proto = model([node], {"data": (1, [3, 2])}, ["out"], initializers={"indices": np.array(indices)})
    with pytest.raises(ov.Error, match="outside the allowed range"):
        onnx_backend.run_model(proto, [np.zeros((3, 2), np.float32)], config={"OPTIMIZE": optimize})


def test_an_empty_axis_has_no_index() -> None:
    node = helper.make_node("Gather", ["data", "indices"], ["out"])
    proto = model([node], {"data": (1, [0, 2]), "indices": (7, [1])}, ["out"])
    with pytest.raises(ov.Error, match="the axis has length 0"):
        onnx_backend.run_model(proto, [np.zeros((0, 2), np.float32), np.array([0])])


@pytest.mark.parametrize("axis", [-2, -1, 0, 1])
def test_axes_count_from_the_end(axis: int) -> None:
    data = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    (found,) = onnx_backend.run_model(gather("Gather", 13, 1, axis=axis), [data, np.array([1, 0])])
    np.testing.assert_array_equal(found, np.take(data, [1, 0], axis))


@pytest.mark.parametrize("type", ["Gather", "GatherElements"])
def test_an_axis_out_of_range_is_refused(type: str) -> None:
    with pytest.raises(ov.Error, match=f'"the_gather" \\({type}-13\\).*axis'):
        ov.Core().read_model(gather(type, 13, 1, axis=2))


def test_batch_dimensions_of_gather_nd_came_with_version_12() -> None:
    node = helper.make_node("GatherND", ["data", "indices"], ["out"], batch_dims=1)
    ports = {"data": (1, [2, 3]), "indices": (7, [2, 1])}
    data = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    (found,) = onnx_backend.run_model(model([node], ports, ["out"], opset=12), [data, np.array([[1], [2]])])
    assert found.tolist() == [1, 5]


def test_the_difference_is_kept_by_an_ir(tmp_path: Path) -> None:
    read = ov.Core().read_model(gather("Gather", 13, 1))
    ov.serialize(read, tmp_path / "model.xml")
    assert 'out_of_range="error"' in (tmp_path / "model.xml").read_text("utf-8")
    compiled = ov.Core().compile_model(tmp_path / "model.xml")
    data = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    np.testing.assert_array_equal(compiled([data, np.array([-1, 0])])[0], data[[2, 0]])
    with pytest.raises(ov.Error, match=r"indices\[1\] is 3"):
        compiled([data, np.array([0, 3])])
    openvino = pytest.importorskip("openvino")
    theirs = openvino.Core().compile_model(openvino.Core().read_model(tmp_path / "model.xml"), "CPU")
    np.testing.assert_array_equal(theirs([data, np.array([-1, 0])])[0], data[[2, 0]])


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shapes", [(None, [2, 3]), ([3, 4], None), (None, None)], ids=["data", "indices", "both"])
@pytest.mark.parametrize("lengths", [(2, 3), (0, 2), (2, 0)])
def test_indices_over_a_part_of_data_of_unknown_rank(shapes: Any, axis: int, lengths: tuple[int, int]) -> None:
    node = helper.make_node("GatherElements", ["data", "indices"], ["out"], axis=axis)
    data, indices = np.arange(12, dtype=np.float32).reshape(3, 4), np.full(lengths, -2)
    ranks = {"data": (1, shapes[0]), "indices": (7, list(lengths) if shapes[1] else None)}
    proto = model([node], ranks, ["out"], opset=13)
    assert judge(proto, {"data": data, "indices": indices})[0].shape == lengths


def test_indices_longer_than_data_of_unknown_rank_are_refused() -> None:
    node = helper.make_node("GatherElements", ["data", "indices"], ["out"], axis=0)
    proto = model([node], {"data": (1, None), "indices": (7, None)}, ["out"], opset=13)
    with pytest.raises(ov.Error, match="differ in a dimension"):
        onnx_backend.run_model(proto, {"data": np.zeros((3, 4), np.float32), "indices": np.zeros((3, 5), np.int64)})
