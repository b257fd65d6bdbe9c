"""What checking, comparing and running give is data: it can be copied, pickled, and sent from process to process."""

from __future__ import annotations

import copy
import inspect
import pickle
import pkgutil
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin
from ir_plugin.diagnostics import CODES
from ir_plugin.diagnostics.render.excerpt import excerpt
from ir_plugin.errors import Error, ShapeError
from ir_plugin.operations.ranges import Range
from ir_plugin.report.benchmark import benchmark
from ir_plugin.report.benchmark_data import ShapeLatency
from ir_plugin.report.benchmark_start import Start
from ir_plugin.report.benchmark_texts import TextBenchmark, TextSpeed
from ir_plugin.report.benchmark_tokens import Tokens
from ir_plugin.report.compare_texts import DifferingToken, TextComparison
from ir_plugin.report.comparison_data import ComparedConstant
from ir_plugin.report.dump import dump
from ir_plugin.report.graph_data import views
from ir_plugin.report.graph_groups import Group
from ir_plugin.report.graph_layout import arrange
from ir_plugin.report.inputs import Random
from ir_plugin.report.profile import profile
from ir_plugin.report.quantization_noise import Levels, Noise
from ir_plugin.report.ranking import Ranking
from ir_plugin.report.ranking_data import RankedQuantizer
from ir_plugin.report.references import Stored
from ir_plugin.report.text_pieces import Piece
from ir_plugin.report.warming import DeclaredKernel, Warmed
from ir_plugin.validation.fix import FixedFile
from tests.api.models import WEIGHTS, two_inputs
from tests.support.changed import DIGITS

WRONG = Path(__file__).parents[1] / "findings" / "IR302.xml"
X = np.zeros((1, 1, 8, 8), np.float32)
LIVE = {
    "OtherModel": "holds a model", "CompressedWeight": "holds nodes", "Quantizer": "holds ports",
    "Undoing": "runs a model",
}  # fmt: skip
"""Dataclasses that are no data, and why."""

RANKED = RankedQuantizer(
    "q", "conv", "FakeQuantize", "activation", "256", "per tensor", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.7, 0.8, "range"
)

SPEED = TextSpeed("ir_plugin", "0.1.0", "", 350.0, 2.0, 900.0, 71.0)
DIFFERING = DifferingToken(1, 3, "a", None, "")


def error_of(call: Callable[[], Any]) -> Error:
    with pytest.raises(Error) as raised:
        call()
    return raised.value


@cache
def data() -> dict[str, Any]:
    """Return everything that the API gives as data, by the name of its class."""
    core = ir_plugin.Core()
    model = core.read_model(DIGITS)
    compiled = core.compile_model(model, "CPU", {"PERF_COUNT": True})
    request = compiled.create_infer_request()
    results = request.infer([X])
    inside = compiled.intermediates([X])
    report, comparison = ir_plugin.validate(WRONG), ir_plugin.compare(model, model, [X])
    dumped, view = dump(compiled, [X]), views(model, report.findings)[0]
    compared, finding = comparison.outputs[0], report.findings[0]
    values = [
        report, finding, finding.span, finding.layer, report.findings, comparison, compared, compared.measures,
        comparison.tolerance, dumped, dumped.outputs[0], dumped.outputs[0].statistics, profile(compiled, [X], 1),
        profile(compiled, [X], 1).layers[0], benchmark(compiled, [X], iterations=1), view, view.nodes[0],
        arrange({0: (1.0, 1.0)}, []), Random((1, 2)), Range(0, 3), Stored({"x": X}), FixedFile(WRONG, b"a", b"b"),
        excerpt(finding.span), CODES["IR302"], results, inside, inside.runs[0], request.get_profiling_info()[0],
        ir_plugin.Tensor(X), ir_plugin.PartialShape("1,2..3,?"), ir_plugin.Dimension(2, 3), ir_plugin.Shape([1, 2]),
        ir_plugin.Layout("NCHW"), ir_plugin.Type.bf16, ir_plugin.OVAny({"a": 1}), ir_plugin.Strides([1]),
        ir_plugin.AxisSet([1, 2]), ir_plugin.AxisVector([1]), ir_plugin.Coordinate([1]),
        core.get_versions("CPU")["CPU"], model.input(), compiled.input(), model.input().get_tensor(),
        model.input().node, model.get_results()[0].input(0), model.input().declared, ComparedConstant("w", 0.5),
        ShapeError("axis", "is 3", "write 2"), ir_plugin.diff(model, model), Group("block", (0, 1)),
        ShapeLatency("1x2", 3, 0.2, 0.1), Start("warm", 0.1, 0.1, 0.1, 0.1, 1e6), Tokens(7, 3, 0.1, 0.1, 0.2, 10.0),
        Levels(256, None, False), Noise(1.0, 0.1, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0, 1.0), Warmed(3, 1, 0.5, "cache"),
        RANKED, Ranking("a", "b", 20.0, (RANKED,)), Piece(3, "a", (0, 1), False),
        DeclaredKernel("gemm", "0a1b", True, 0.5, 4096), SPEED, TextBenchmark("story", 3, 8, 1, (SPEED,)), DIFFERING,
        TextComparison("story", "openvino-genai", (1, 2), (3,), None, DIFFERING, 0.5, comparison),
        error_of(lambda: core.read_model(WRONG)), error_of(lambda: compiled([1j])), error_of(lambda: results["no"]),
    ]  # fmt: skip
    return {type(item).__name__: item for item in values}


def by_pickle(item: Any) -> Any:
    return pickle.loads(pickle.dumps(item))


def plain(item: Any) -> Any:
    """Return what can be compared: all that a datum holds, ports and nodes by what they show."""
    if isinstance(item, np.ndarray):
        return item.dtype.str, item.shape, item.tolist()
    if isinstance(item, (ir_plugin.Node, ir_plugin.Output, ir_plugin.Input)):
        return repr(item)
    if isinstance(item, (ir_plugin.Results, Mapping)):
        return [(plain(key), plain(value)) for key, value in item.items()]
    if isinstance(item, ir_plugin.Tensor):
        return item.element_type, plain(item.values)
    if is_dataclass(item) and not isinstance(item, type):
        return [plain(getattr(item, field.name)) for field in fields(item) if field.name != "model"]
    if isinstance(item, (list, tuple, ir_plugin.Findings)):
        return [plain(each) for each in item]
    return [item.args, vars(item)] if isinstance(item, Error) else repr(item)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, by_pickle])
def test_comes_back_the_same(way: Callable[[Any], Any]) -> None:
    for name, item in data().items():
        twin = way(item)
        assert type(twin) is type(item)
        assert (name, str(twin), plain(twin)) == (name, str(item), plain(item))


def test_no_dataclass_is_missing() -> None:
    """Every public dataclass of what the API gives is held by the test above."""
    missing = []
    for package in ("openvino.api", "report", "validation", "diagnostics"):
        path = import_module(f"ir_plugin.{package}").__path__
        for module in pkgutil.walk_packages(path, f"ir_plugin.{package}."):
            for name, kind in inspect.getmembers(import_module(module.name), inspect.isclass):
                is_own = kind.__module__ == module.name and is_dataclass(kind) and not name.startswith("_")
                if is_own and name not in LIVE and not any(isinstance(item, kind) for item in data().values()):
                    missing.append(f"{module.name}.{name}")
    assert missing == []


def test_results_are_found_by_the_ports_they_came_from() -> None:
    compiled = ir_plugin.Core().compile_model(DIGITS)
    results = compiled([X])
    for way in (copy.deepcopy, by_pickle):
        twin = way(results)
        np.testing.assert_array_equal(twin[compiled.output()], results[0])
        np.testing.assert_array_equal(twin["probabilities"], results[0])
        twin[0][:] = 9
        assert results[0].max() < 9


def test_files_are_checked_in_processes() -> None:
    paths = [WRONG, DIGITS]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        reports = list(pool.map(ir_plugin.validate, paths))
    assert [str(report) for report in reports] == [str(ir_plugin.validate(path)) for path in paths]
    assert [report.model for report in reports] == [None, None]


def test_findings_are_found_by_position() -> None:
    findings = ir_plugin.validate(WRONG).findings
    assert findings[0] is next(iter(findings))
    assert findings[-1] is list(findings)[-1]
    assert findings[:1] == list(findings)[:1]
    with pytest.raises(IndexError):
        findings[len(findings)]
    copy.copy(findings).add(findings[0])
    copy.copy(ir_plugin.validate(WRONG)).findings.add(findings[0])
    assert len(findings) == 1


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, ir_plugin.Model.clone])
def test_a_copy_of_a_model_shares_nothing_that_changes(way: Callable[[Any], Any]) -> None:
    model = ir_plugin.Core().read_model(two_inputs(), WEIGHTS)
    before = repr(model), [repr(node) for node in model.get_ordered_ops()]
    twin = way(model)
    assert type(twin) is ir_plugin.Model
    twin.reshape({"x": [2, 3, 4], "y": [1, 3, 1]})
    twin.rt_info["new"] = 1
    twin.friendly_name = "twin"
    twin.input(0).set_names({"renamed"})
    twin.input(0).rt_info["new"] = 1
    twin.get_ordered_ops()[0].set_friendly_name("other")
    twin.get_ordered_ops()[0].rt_info["new"] = 1
    twin.add_outputs("sum_0")
    twin.nodes.pop()
    assert (repr(model), [repr(node) for node in model.get_ordered_ops()]) == before
    assert "new" not in model.rt_info
    assert not any(node.rt_info or node.outputs[0].rt_info for node in model.get_ordered_ops() if node.outputs)


def test_a_model_is_pickled_by_value() -> None:
    model = ir_plugin.Core().read_model(DIGITS)
    twin = pickle.loads(pickle.dumps(model))
    assert repr(twin) == repr(model)
    assert [node.get_friendly_name() for node in twin.get_ordered_ops()] == [
        node.get_friendly_name() for node in model.get_ordered_ops()
    ]
