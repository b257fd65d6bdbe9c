"""Rewriting keeps graphs whole: readers are counted without replaced nodes, which may be used again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.model import Node, Output
from ir_plugin.openvino.passes.shared_operations import SharedOpOptimization
from ir_plugin.passes import (
    AnyInput,
    ConstantFolding,
    Manager,
    Matcher,
    MatcherPass,
    ModelPass,
    Optional,
    Or,
    PatternSymbolValue,
    Predicate,
    VisualizeTree,
    WrapType,
    consumers_count,
    rank_more_than,
    shape_matches,
)
from ir_plugin.utils import replace_node
from tests.support.work import counted_lines


def relu_model() -> ov.Model:
    x = ops.parameter([2], np.float32, name="x")
    return ov.Model([ops.result(ops.relu(x, name="r"), name="out")], [x], "m")


class Replace(MatcherPass):
    """Replaces Relu by Tanh, and keeps what it replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.replaced: list[Node] = []
        self.register_matcher(Matcher(WrapType("opset13.Relu"), "Replace"), self.callback)

    def callback(self, matcher: Matcher) -> bool:
        root = matcher.get_match_value().node
        self.replaced.append(root)
        replace_node(root, ops.tanh(root.input_value(0)))
        return True


def run(model: ov.Model, *passes: object) -> None:
    manager = Manager()
    for item in passes:
        manager.register_pass(item)
    manager.run_passes(model)


def test_replaced_nodes_are_no_readers_and_can_be_used_again() -> None:
    model = relu_model()
    replace = Replace()
    run(model, replace)
    source = model.inputs[0]
    assert [reader.node.get_type_name() for reader in source.target_inputs] == ["Tanh"]
    assert "r" not in [node.name for node in model.nodes]
    replace.replaced[0].input(0).replace_source_output(source)
    assert len(source.target_inputs) == 1
    replace_node(model.get_results()[0].input_value(0).node, replace.replaced[0])
    assert len(source.target_inputs) == 2
    model.clone().validate_nodes_and_infer_types()
    assert ov.compile_model(model)([np.array([-1, 2], np.float32)])[0].tolist() == [0, 2]


def test_a_replaced_node_is_read_by_a_new_one() -> None:
    model = relu_model()
    replace = Replace()
    run(model, replace)
    new = ops.exp(replace.replaced[0])
    assert {reader.node.get_type_name() for reader in model.inputs[0].target_inputs} == {"Tanh", "Relu"}
    model.get_results()[0].input(0).replace_source_output(new.output(0))
    assert ov.compile_model(model)([np.array([-1, 0], np.float32)])[0].tolist() == [1, 1]


def test_optional_leaves_no_readers_behind() -> None:
    x = ops.parameter([2], np.float32)
    relu = ops.relu(x)
    matcher = Matcher(Optional(["opset13.Abs"], WrapType("opset13.Relu", x)), "optional")
    before = len(x.output(0).readers)
    assert all(matcher.match(relu) for _ in range(3))
    assert len(x.output(0).readers) == before


def test_predicates_of_symbols_and_of_ranks() -> None:
    x = ops.parameter([2, 3], np.float32)
    seen: list[dict[str, PatternSymbolValue]] = []
    first = AnyInput(shape_matches("[A, B]"))

    def sees(symbols: dict[str, PatternSymbolValue], value: Output) -> bool:
        seen.append(dict(symbols))
        return value.get_index() == 0

    second = AnyInput(Predicate(sees))
    assert Matcher(WrapType("opset13.Subtract", [first, second]), "sub").match(ops.subtract(x, x))
    assert {name: (value.i(), value.is_static()) for name, value in seen[0].items()} == {"A": (2, True), "B": (3, True)}
    assert Matcher(AnyInput(rank_more_than(1)), "rank").match(x)
    assert not Matcher(AnyInput(rank_more_than(2)), "rank").match(x)


def test_a_failed_alternative_leaves_no_symbols() -> None:
    x = ops.parameter([2, 3], np.float32)
    wrong = WrapType("opset13.Add", [AnyInput(shape_matches("[A, B]")), AnyInput(consumers_count(99))])
    right = WrapType("opset13.Add", [AnyInput(shape_matches("[C, D]")), AnyInput()])
    matcher = Matcher(Or([wrong, right]), "or")
    assert matcher.match(ops.add(x, x))
    assert matcher.get_symbols() == {"C": 2, "D": 3}


def test_a_name_of_a_group_is_none_of_a_dimension() -> None:
    x = ops.parameter([2, 3], np.float32)
    sides = [AnyInput(shape_matches("[A...]")), AnyInput(shape_matches("[A, B]"))]
    with pytest.raises(ov.InputError, match="group"):
        Matcher(WrapType("opset13.Subtract", sides), "sub").match(ops.subtract(x, x))


def test_errors_of_callbacks_name_the_pattern_and_the_node() -> None:
    def fail(matcher: Matcher) -> bool:
        raise KeyError(matcher.get_name())

    with pytest.raises(ov.CallbackError, match=r'"Fail".*Relu.*KeyError') as caught:
        run(relu_model(), MatcherPass(Matcher(WrapType("opset13.Relu"), "Fail"), fail))
    assert isinstance(caught.value, KeyError)


def test_a_pass_without_run_on_model_says_what_is_missing() -> None:
    with pytest.raises(ov.UnsupportedError, match="run_on_model"):
        run(relu_model(), ModelPass())


def test_passes_visit_bodies(tmp_path: Path) -> None:
    from tests.support.changed import with_bodies

    model = ov.Core().read_model(with_bodies(tmp_path / "loop.xml") or tmp_path / "loop.xml")
    visited: list[str] = []

    def visit(matcher: Matcher) -> bool:
        visited.append(matcher.get_match_value().node.name)
        return False

    run(model, MatcherPass(Matcher(AnyInput(), "Visit"), visit))
    inner = {node.name for _, _, subgraph in model.bodies() for node in subgraph.body.ordered()}
    assert inner
    assert inner <= set(visited)


def test_constant_folding_of_a_decompressed_weight_keeps_its_name() -> None:
    x = ops.parameter([1, 3], np.float32, name="x")
    weights = ops.convert(ops.constant(np.ones((3, 2), np.float16)), "f32", name="w")
    model = ov.Model([ops.matmul(x, weights, False, False)], [x], "m")
    run(model, ConstantFolding())
    folded = next(node for node in model.get_ops() if node.name == "w")
    assert (folded.get_type_name(), str(folded.data.dtype)) == ("Constant", "float32")


def test_drawings_take_attributes_of_nodes(tmp_path: Path) -> None:
    model = relu_model()
    VisualizeTree(
        tmp_path / "x.svg", lambda node, attributes: attributes.append(f'tooltip="{node.name}"')
    ).run_on_model(model)
    text = (tmp_path / "x.svg.dot").read_text()
    assert text.startswith("digraph")
    assert 'tooltip="r"' in text
    assert text.count("->") == 2


def test_ordered_ops_end_with_added_outputs_until_the_graph_changes() -> None:
    x = ops.parameter([2], np.float32, name="x")
    relu = ops.relu(x, name="r")
    model = ov.Model([ops.result(ops.exp(relu, name="e"), name="out")], [x], "m")
    model.add_outputs(("r", 0))
    assert [node.name for node in model.get_ordered_ops()][:4] == ["x", "r", "e", "out"]
    run(model, Replace())
    assert model.get_ordered_ops()[-1].name == "out"


@pytest.mark.parametrize("seed", range(40))
def test_a_cycle_is_refused_and_nothing_else(seed: int) -> None:
    rng = np.random.default_rng(seed)
    nodes = [ops.parameter([1], np.float32)]
    for _ in range(8):
        first, second = (nodes[index] for index in rng.integers(0, len(nodes), 2))
        nodes.append(ops.add(first, second))
    old, new = (nodes[index] for index in rng.integers(0, len(nodes), 2))
    readers = [reader.node for reader in old.output(0).readers]
    makes_cycle = any(is_computed_from(new, reader) for reader in readers)
    if makes_cycle:
        with pytest.raises(ov.InputError, match="computed from it"):
            old.output(0).replace(new.output(0))
        assert [reader.node for reader in old.output(0).readers] == readers
    else:
        old.output(0).replace(new.output(0))
        assert set(readers) <= {reader.node for reader in new.output(0).readers}


def is_computed_from(node: Node, producer: Node) -> bool:
    return node is producer or any(is_computed_from(source.node, producer) for source in node.input_values())


def test_the_work_of_rewriting_grows_with_the_length_of_a_chain_only() -> None:
    assert work_of_rewriting(1000) < 5 * work_of_rewriting(250)


def work_of_rewriting(length: int) -> int:
    """Return how many lines of Python rewrite a chain."""
    x = node = ops.parameter([1], np.float32)
    for _ in range(length):
        node = ops.relu(node)
    model = ov.Model([node], [x], "chain")
    with counted_lines() as count:
        run(model, Replace())
    assert sum(item.get_type_name() == "Tanh" for item in model.get_ops()) == length
    return count()


def work_of_sharing(count: int) -> int:
    """Return how many lines of Python share the nodes of a sum of different numbers."""
    x = node = ops.parameter([1], np.float32)
    for number in range(count):
        node = ops.add(node, ops.constant(np.array([number], np.float32)))
    model = ov.Model([node], [x], "sum")
    with counted_lines() as lines:
        SharedOpOptimization().run_on_model(model)
    assert len(model.get_ops()) == 2 * count + 2
    return lines()


def test_sharing_constants_of_one_shape_takes_time_in_proportion() -> None:
    assert work_of_sharing(200) < 3 * work_of_sharing(100)
