"""Declared against inferred: one finding for one contradiction, however far it reaches."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ir_plugin import Core
from ir_plugin.diagnostics import Finding
from tests.hostile.bases import conv, gather, layer, net, port
from tests.hostile.variant import every, swap, within


def check(xml: str, weights: bytes = b"") -> list[Finding]:
    return Core().validate(xml.encode(), weights).findings.sorted()


def chain(count: int, dims: Callable[[int], list[int]], first: str = "2,3") -> str:
    """Return a Parameter, so many ReLUs and a Result, of which port `n` declares `dims(n)`."""
    layers = [layer(0, "x", "Parameter", f'shape="{first}" element_type="f32"', (), [port(0, dims(0))])]
    layers += [
        layer(number, f"r{number}", "ReLU", "", [port(0, dims(number - 1))], [port(1, dims(number))])
        for number in range(1, count + 1)
    ]
    layers.append(layer(count + 1, "out", "Result", "", [port(0, dims(count))]))
    edges = [(number, int(number > 0), number + 1, 0) for number in range(count + 1)]
    return net(layers, edges)


def test_a_chain_that_follows_one_wrong_port_is_one_finding() -> None:
    assert check(chain(5, lambda _: [2, 3])) == []
    findings = check(chain(5, lambda _: [2, 4]))
    assert [(finding.code, finding.label) for finding in findings] == [("IR302", "declared 4, inferred 3")]
    assert findings[0].layer is not None
    assert findings[0].layer.name == "x"


def test_two_independent_contradictions_are_two_findings() -> None:
    findings = check(chain(5, lambda number: {0: [9, 3], 3: [2, 7]}.get(number, [2, 3])))
    positions = [(finding.code, finding.layer.name if finding.layer else "") for finding in findings]
    assert positions == [("IR302", "x"), ("IR302", "r3")]


def test_a_wrong_value_in_the_middle_is_one_finding() -> None:
    findings = check(chain(5, lambda number: [2, 3] if number < 2 else [2, 5]))
    assert [(finding.code, finding.layer.name if finding.layer else "") for finding in findings] == [("IR302", "r2")]


@pytest.mark.parametrize("dims", [[-1, 3], [2, -1], [-1, -1], []])
def test_what_says_nothing_contradicts_nothing(dims: list[int]) -> None:
    assert check(chain(3, lambda _: dims)) == []


def test_a_dynamic_dimension_may_be_declared_as_one_it_may_be() -> None:
    assert check(chain(3, lambda _: [2, 4], first="2,1..8")) == []
    findings = check(chain(3, lambda _: [2, 9], first="2,1..8"))
    assert [finding.label for finding in findings] == ["declared 9, inferred 1..8"]


def test_another_rank_is_one_finding_at_the_port() -> None:
    findings = check(chain(2, lambda number: [2, 3] if number == 0 else [6]))
    assert [(finding.code, finding.label) for finding in findings] == [("IR302", "declared rank 1, inferred 2")]


def test_behind_a_layer_that_does_not_fit_the_declared_shape_counts() -> None:
    base = conv()
    xml = within("conv", 'strides="1, 1"', 'strides="0, 1"')(base.xml)
    assert [finding.code for finding in check(xml, base.weights)] == ["IR301"]
    xml = within("relu", "<dim>8</dim>", "<dim>9</dim>")(xml)
    assert [finding.code for finding in check(xml, base.weights)] == ["IR301", "IR304"]


def test_behind_an_unknown_layer_the_declared_shape_counts() -> None:
    base = conv()
    xml = swap('type="Convolution"', 'type="Convolve"')(base.xml)
    assert [finding.code for finding in check(xml, base.weights)] == ["IR501"]


def test_a_type_that_differs_is_found_where_it_begins() -> None:
    base = conv()
    findings = check(every('precision="FP32"', 'precision="FP16"')(base.xml), base.weights)
    assert {finding.code for finding in findings} == {"IR303"}
    names = [finding.layer.name for finding in findings if finding.layer]
    assert names == ["x", "w", "b"]


def test_values_of_constants_are_used() -> None:
    base = gather()
    xml = within("split", "<dim>1</dim>", "<dim>2</dim>")(base.xml)
    assert [finding.code for finding in check(xml, base.weights)] == ["IR302"]
    weights = bytes([0]) + base.weights[1:]
    findings = check(base.xml, weights)
    assert [finding.code for finding in findings][:1] == ["IR302"]


def test_without_validation_ports_are_not_compared() -> None:
    model = Core().read_model(chain(3, lambda _: [2, 4]).encode(), validate=False)
    assert str(model.outputs[0].partial_shape) == "[2,3]"
