"""Which definition `(type, opsetN)` means, for every type and opset, against OpenVINO's own tables."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from openvino.utils.node_factory import NodeFactory

from ir_plugin.operations import opsets
from ir_plugin.operations.registry import Registry

TYPES = sorted({row.type for row in opsets.rows()})
FROM_OPSET2 = ("MVN", "ROIPooling", "ReorgYolo")
"""Types of which OpenVINO's reader takes opset2's definition where an IR says opset1; its tables have none."""


@cache
def factory(opset: int) -> Any:
    return NodeFactory(f"opset{opset}").factory


def openvino_definition(type: str, opset: int) -> str | None:
    try:
        node = factory(opset).create("Constant" if type == "Const" else type)
    except RuntimeError:
        return None
    return str(node.get_type_info().version_id)


@pytest.mark.parametrize("type", [type for type in TYPES if type != "Const"])
def test_every_opset_holds_the_definition_that_openvino_holds(type: str) -> None:
    for opset in range(1, opsets.NEWEST_OPSET + 1):
        row = opsets.resolve(type, f"opset{opset}")
        expected = openvino_definition(type, opset)
        if opset == 1 and type in FROM_OPSET2:
            expected = "opset2"
        if type == "LogicalXor" and expected == "opset2":
            expected = "opset1"
        assert (None if row is None else f"opset{row.introduced}") == expected, opset


def test_a_constant_is_in_every_opset_that_has_any_operation_but_the_last() -> None:
    assert all(opsets.resolve("Const", f"opset{opset}") for opset in range(1, 17))
    assert opsets.resolve("Const", "opset17") is None


@pytest.mark.parametrize("type", TYPES)
def test_letter_case_does_not_matter(type: str) -> None:
    newest = opsets.definitions(type)[-1]
    version = f"opset{newest.introduced}"
    for spelling in (type.lower(), type.upper(), type.swapcase()):
        assert opsets.resolve(spelling, version) is newest


@pytest.mark.parametrize(
    ("spelling", "type"),
    [("Constant", "Const"), ("ReLU", "Relu"), ("PReLU", "PRelu"), ("SoftMax", "Softmax"), ("CONSTANT", "Const")],
)
def test_the_spellings_of_irs(spelling: str, type: str) -> None:
    resolved, plain = opsets.resolve(spelling, "opset8"), opsets.resolve(type, "opset8")
    assert resolved is plain
    assert resolved is not None
    assert resolved.type == type


@pytest.mark.parametrize("version", ["experimental", "extension"])
def test_old_names_of_versions(version: str) -> None:
    for type in ("ExperimentalDetectronROIFeatureExtractor", "GRUCell", "RNNCell", "Proposal"):
        assert opsets.resolve(type, version) is opsets.resolve(type, "opset6")
    assert opsets.resolve("Relu", version) is None


@pytest.mark.parametrize(
    "version", ["", "opset", "opset0", "opset18", "opset01", "opset1.0", "opset-1", "Opset1", " opset1", "opset١", "1"]
)
def test_what_is_no_opset(version: str) -> None:
    assert opsets.resolve("Relu", version) is None
    assert Registry().resolve("Relu", version) is None


def test_a_definition_ends_where_the_next_begins() -> None:
    definitions = [opsets.resolve("Gather", f"opset{number}") for number in (1, 6, 7, 8, 16)]
    assert [row.introduced for row in definitions if row] == [1, 1, 7, 8, 8]
    assert opsets.resolve("Reverse", "opset1") is not None
    assert opsets.resolve("Reverse", "opset2") is None
    assert opsets.resolve("RNNCell", "opset2") is None
    assert opsets.resolve("Abs", "opset17") is None
