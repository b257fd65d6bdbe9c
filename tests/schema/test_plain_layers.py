"""Layers that are plainly valid are accepted by their schemas, and read alike without the shortcut and the cache."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from lxml import etree

from ir_plugin import Core
from ir_plugin.operations.registry import Definition, Registry
from ir_plugin.reader import graph
from ir_plugin.reader.document import new_parser
from ir_plugin.reader.layer_cache import LayerCache
from ir_plugin.schema import Catalogue, catalogue
from ir_plugin.schema.plain import is_plain_layer
from ir_plugin.tensors import ElementType
from tests.support.collect import samples
from tests.support.ir import build
from tests.support.layer_texts import layers
from tests.support.sample import In

DEFINITIONS = [definition for definition in Registry().all() if definition.family]
ALL = [(name, item) for name, item in samples() if all(feed is None or isinstance(feed, In) for feed in item.inputs)]
"""Samples that are files."""
LETTERS = '"<>/&= -.,019aF?\n\t\x0b\u00a0\u0661'


@contextmanager
def validated_all(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(catalogue, "is_plain_layer", lambda *_: False)
        yield


def content(xml: bytes, weights: bytes, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the findings of an IR and what its nodes hold, read without what is cached from before."""
    monkeypatch.setattr(graph, "LAYERS", LayerCache())
    report = Core().validate(xml, weights)
    findings = [(finding.code, finding.message, finding.span) for finding in report.findings]
    nodes = [] if report.model is None else report.model.nodes
    return [findings, list(map(described, nodes))]


def described(node: Any) -> Any:
    names = ("load", "load_packed", "backing")
    values = {name: value for name, value in vars(node.operation or object).items() if name not in names}
    ports = [(port.port_id, port.declared) for port in (*node.inputs, *node.outputs)]
    return node.id, node.name, node.attributes, repr(values), ports, [port.names for port in node.outputs]


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.stem)
def test_what_is_accepted_has_no_refusals(definition: Definition) -> None:
    schemas, accepted = Catalogue(), 0
    interface = schemas.interface(definition)
    for inner in layers(interface):
        for text in (inner, inner.replace("<data", "\n\t<data").replace("/>", " />")):
            head = f'<layer id="1" name="n" type="{definition.type}" version="{definition.version}">'
            layer = etree.fromstring(f"{head}{text}</layer>", new_parser())
            if is_plain_layer(layer, interface):
                accepted += 1
                assert schemas.refusals(definition, layer) == [], text
    has_own_parts = set(interface.required_children) - {"data", "input", "output"}
    assert bool(accepted) != bool(has_own_parts)


def test_every_precision_is_one_of_the_schema() -> None:
    schemas, definition = Catalogue(), Registry().resolve("Result", "opset1")
    assert definition is not None
    for element_type in ElementType.all:
        text = f'<input><port id="0" precision="{element_type.precision}"/></input></layer>'
        layer = etree.fromstring(f'<layer id="1" name="n" type="Result" version="opset1">{text}')
        assert is_plain_layer(layer, schemas.interface(definition)) is not bool(element_type.is_dynamic)
        assert schemas.refusals(definition, layer) == []


def built(sample: Any) -> Any:
    return build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs)


@pytest.mark.parametrize("sample", [item for _, item in ALL[::9]], ids=[name for name, _ in ALL[::9]])
def test_samples_are_read_alike(sample: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ir = built(sample)
    regular = content(ir.xml, ir.weights, monkeypatch)
    with validated_all(monkeypatch):
        assert content(ir.xml, ir.weights, monkeypatch) == regular


@pytest.mark.parametrize("seed", range(3))
def test_damaged_layers_have_their_findings(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(seed)
    chosen = generator.sample([item for _, item in ALL if all(isinstance(each, In) for each in item.inputs)], 8)
    for sample in chosen:
        ir = built(sample)
        for _ in range(16):
            text = ir.xml.decode()
            position = generator.randrange(text.index("<layers>"), len(text))
            cut = generator.randrange(2)
            text = text[:position] + generator.choice(LETTERS) + text[position + cut :]
            xml = text.encode()
            regular = content(xml, ir.weights, monkeypatch)
            with validated_all(monkeypatch):
                assert content(xml, ir.weights, monkeypatch) == regular, text
