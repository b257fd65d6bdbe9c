"""The worked `<layer>` examples of the specification pages of opset1 to opset8: each infers what it declares.

Inputs of which a page gives no value are parameters of unknown element type, so that a shape which depends on values
comes out unknown in part; what comes out must not contradict what the page declares.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ir_plugin import Core
from ir_plugin.operations import opsets
from ir_plugin.tensors import ElementType, PartialShape
from tests.spec.wrong import WRONG
from tests.support.ir import build
from tests.support.sample import In

EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))
NAMED = {f"{example['page']}#{example['number']}": example for example in EXAMPLES}


def version_of(example: dict[str, Any]) -> int:
    """Return an opset that has the definition of the page, whose number may be that of an earlier table."""
    version = int(example["version"])
    later = [row.introduced for row in opsets.definitions(example["type"]) if row.introduced >= version]
    return version if opsets.resolve(example["type"], f"opset{version}") else min(later, default=version)


def given(port: dict[str, Any]) -> Any:
    dims = ",".join(dim if dim.isdigit() else "?" for dim in port["dims"])
    if port["value"] is None:
        return ElementType.dynamic, dims or "..."
    return In(np.array(port["value"], np.int64), ElementType.i64, constant=True)


def difference(example: dict[str, Any]) -> str:
    """Return what the page and our inference disagree on; nothing where they agree."""
    outputs = max(len(example["outputs"]), 1)
    inputs = [given(port) for port in example["inputs"]]
    ir = build(example["type"], version_of(example), inputs, example["attributes"], outputs, precision=False)
    report = Core().validate(ir.xml, ir.weights)
    errors = report.findings.errors
    if errors or report.model is None:
        return f"{errors[0].code}: {errors[0].message}"
    shapes = [node.inputs[0].tensor.shape for node in report.model.results]
    for number, (dims, shape) in enumerate(zip(example["outputs"], shapes, strict=False)):
        declared = PartialShape([int(dim) if dim.isdigit() else -1 for dim in dims])
        if dims and not declared.compatible(shape):
            return f"output {number} is declared {declared} and inferred {shape}"
    return ""


@pytest.mark.parametrize("name", NAMED)
def test_infers_what_the_page_declares(name: str) -> None:
    found = difference(NAMED[name])
    if name in WRONG:
        assert found, "the page is listed as wrong, but agrees"
    else:
        assert found == ""


def test_only_examples_are_listed() -> None:
    assert sorted(set(WRONG) - set(NAMED)) == []
