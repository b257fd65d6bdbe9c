"""Invariant 1: inference and compilation write nothing into a model; plans of other types and shapes share nothing."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

import ir_plugin
from ir_plugin.model import Model
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.tensors import Array
from tests.operations.infrastructure._models import Built, iota
from tests.operations.infrastructure.test_control_flow import ITERATED, LOOPS, choice, running_sum
from tests.support.planned import PROVIDERS

THREADS, ROUNDS = 8, 6


def counted(folder: Path) -> Path:
    """Write a model whose shapes, and whether values are missed, hang on the lengths of its inputs."""
    data, mask = ops.parameter([-1, 4], np.float32, "data"), ops.parameter([-1], np.int64, "mask")
    length = ops.gather(ops.shape_of(data), ops.constant(np.array([0])), ops.constant(0))
    total = ops.reduce_sum(mask, ops.constant(0), keep_dims=True)
    ones = ops.broadcast(ops.constant(np.float32(2)), ops.concat([length, ops.constant(np.array([4]))], 0))
    spread = ops.broadcast(ops.constant(np.float32(3)), total)
    model = ov.Model([ops.abs(ops.multiply(data, ones)), ops.relu(spread)], [data, mask], "counted")
    target = folder / "counted.xml"
    ov.save_model(model, target, compress_to_fp16=False)
    return target


def untyped() -> str:
    """Return a model whose parameter has any element type."""
    port = "<port id='{0}' precision='dynamic'><dim>-1</dim></port>"
    return f"""<net name='untyped' version='11'><layers>
    <layer id='0' name='x' type='Parameter' version='opset1'><data shape='?' element_type='dynamic'/>
    <output>{port.format(0)}</output></layer>
    <layer id='1' name='twice' type='Add' version='opset1'><data auto_broadcast='numpy'/>
    <input>{port.format(0)}{port.format(1)}</input><output>{port.format(2)}</output></layer>
    <layer id='2' name='y' type='Result' version='opset1'><input>{port.format(0)}</input></layer></layers>
    <edges><edge from-layer='0' from-port='0' to-layer='1' to-port='0'/>
    <edge from-layer='0' from-port='0' to-layer='1' to-port='1'/>
    <edge from-layer='1' from-port='2' to-layer='2' to-port='0'/></edges></net>"""


def written(model: Model) -> Iterator[tuple[str, str, int]]:
    """Yield what the operations of a model and of its bodies hold, constants' arrays excepted: they are read once."""
    for node in model.nodes:
        for name, value in vars(node.operation).items():
            if name not in ("_array", "load"):
                yield node.name, name, id(value)
    for _, _, subgraph in model.bodies():
        yield from written(subgraph.body)


def content(model: Model) -> list[str]:
    """Return all that a model and its bodies hold, as texts; callables are shown by their identity."""
    lines = [f"{model.name} {model.version} {model.rt_info} {[node.name for node in model.nodes]}"]
    for node in model.nodes:
        lines.append(f"{node.id} {node.name} {node.type} {node.version} {node.attributes} {node.rt_info} {node.path}")
        for port in node.inputs:
            source = None if port.source is None else (port.source.node.name, port.source.index)
            lines.append(f"input {port.index} {port.port_id} {source} {port.declared}")
        for output in node.outputs:
            fact = output.tensor_info
            lines.append(f"output {output.port_id} {sorted(output.names)} {output.declared} {fact.element_type.name}")
            lines.append(f"{fact.shape} {output.rt_info} {sorted(user.node.name for user in output.target_inputs)}")
        for name, value in sorted(vars(node.operation).items()):
            if name not in ("_array", "load", "subgraphs"):
                lines.append(f"{name} {value!r}")
        if isinstance(node.operation, Const):
            lines.append(f"{node.operation.evaluate().tobytes().hex()}")
    for node, name, subgraph in model.bodies():
        lines += [f"{node.name} {name} {subgraph.inputs} {subgraph.outputs} {subgraph.back_edges}"]
        lines += content(subgraph.body)
    return lines


def with_bodies() -> dict[str, Built]:
    """Return models with bodies, and their inputs."""
    loops = {f"loop, {name}": repeat.build() for name, repeat in LOOPS.items()}
    iterators = {f"iterator, {name}": running_sum(iota(4, 3), **options) for name, options in ITERATED.items()}
    return loops | iterators | {"if": choice([True], iota(2, 3), iota(4, 3), "?,3", "...")}


BUILT = with_bodies()


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("name", BUILT)
def test_a_model_with_bodies_is_after_a_run_what_it_was_before(name: str, optimize: bool, tmp_path: Path) -> None:
    built, inputs = BUILT[name]
    ov.serialize(built, tmp_path / "model.xml")
    core = ir_plugin.Core()
    model = core.read_model(tmp_path / "model.xml")
    before, held, pickled = content(model), list(written(model)), pickle.dumps(model)
    compiled = core.compile_model(model, config={"OPTIMIZE": optimize})
    for _ in range(2):
        compiled(inputs)
    assert pickle.dumps(model) == pickled
    model.validate_nodes_and_infer_types()
    assert content(model) == before
    assert list(written(model)) == held


@pytest.mark.parametrize("optimize", [False, True])
def test_a_plan_keeps_its_types_when_another_is_made(optimize: bool) -> None:
    compiled = ir_plugin.Core().compile_model(untyped(), config={"OPTIMIZE": optimize})
    fractions, numbers = np.array([0.25, 1.5], np.float32), np.array([1, 2, 3], np.int64)
    first, second = compiled.create_infer_request(), compiled.create_infer_request()
    for _ in range(2):
        assert first.infer([fractions])[0].tolist() == [0.5, 3.0]
        assert second.infer([numbers])[0].tolist() == [2, 4, 6]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_threads_compile_and_run_one_model_at_once(provider: str, tmp_path: Path) -> None:
    path = counted(tmp_path)
    expected = ov.Core().compile_model(path, "CPU")
    cases = [[np.full((n, 4), -n, np.float32), np.full(n + 1, n, np.int64)] for n in (1, 3)]
    answers = [[np.array(array) for array in expected(case).values()] for case in cases]
    model = ir_plugin.Core().read_model(path)

    def work(number: int) -> list[tuple[int, list[Array]]]:
        runs = []
        for turn in range(ROUNDS):
            which = (number + turn) % 2
            config: dict[str, Any] = {"PROVIDER": provider, "OPTIMIZE": turn % 3 != 0}
            compiled = ir_plugin.Core().compile_model(model, config=config)
            runs.append((which, list(compiled(cases[which]).values())))
        return runs

    with ThreadPoolExecutor(THREADS) as pool:
        for runs in pool.map(work, range(THREADS)):
            for which, results in runs:
                for result, answer in zip(results, answers[which], strict=True):
                    np.testing.assert_array_equal(result, answer)


@pytest.mark.parametrize("optimize", [False, True])
def test_operations_hold_after_a_run_what_they_held_before(optimize: bool, tmp_path: Path) -> None:
    core = ir_plugin.Core()
    model = core.read_model(counted(tmp_path))
    before = list(written(model))
    compiled = core.compile_model(model, config={"OPTIMIZE": optimize})
    compiled([np.ones((2, 4), np.float32), np.ones(3, np.int64)])
    model.validate_nodes_and_infer_types()
    assert list(written(model)) == before
    assert not [name for _, name, _ in before if name in ("input_types", "output_types", "missed_values")]
