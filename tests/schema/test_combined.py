"""Schemas that are compiled as one refuse what each of them refuses."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

import pytest
from lxml import etree

from ir_plugin.operations.registry import Definition, Registry
from ir_plugin.schema import Catalogue, Interface
from ir_plugin.schema.interface import Count

DEFINITIONS = [definition for definition in Registry().all() if definition.family]
TEXTS = ("1", "-1", "0.5", "true", "1,2", "f32", "a word", "")


@pytest.fixture(scope="module")
def combined() -> Catalogue:
    catalogue = Catalogue()
    catalogue.prepare(DEFINITIONS[::2])
    catalogue.prepare(DEFINITIONS)
    return catalogue


def ports(direction: str, count: int) -> str:
    port = '<port id="0" precision="FP32"><dim>1</dim></port>'
    return f"<{direction}>{port * count}</{direction}>" if count else ""


def counts(count: Count) -> set[int]:
    return {max(count.least - 1, 0), count.least, (count.most or count.least) + 1}


def layers(interface: Interface) -> Iterator[str]:
    """Yield layers of a definition: with attributes of all texts, without each, and with other numbers of ports."""
    named = {spec.name: spec.spellings[0] if spec.spellings else "1" for spec in interface.attributes.values()}
    variants = [{}, named, {**named, "unheard_of": "1"}]
    variants += [{name: text for name, text in named.items() if name != left_out} for left_out in named]
    variants += [{**named, name: text} for name in named for text in TEXTS]
    least = ports("input", interface.inputs.least) + ports("output", interface.outputs.least)
    for attributes in variants:
        yield data(attributes) + least
    for inputs in counts(interface.inputs):
        for outputs in counts(interface.outputs):
            yield data(named) + ports("input", inputs) + ports("output", outputs)
    children = [f"<{name}/>" for name in interface.children if name not in ("data", "input", "output", "rt_info")]
    yield data(named) + "".join(children) + least
    yield data(named) + "<unheard_of/>" + least
    yield data(named) + "text" + least
    yield least + data(named)


def data(attributes: dict[str, str]) -> str:
    return f"<data {' '.join(f'{name}={quoteattr(text)}' for name, text in attributes.items())}/>"


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.stem)
def test_a_layer_is_refused_alike(definition: Definition, combined: Catalogue) -> None:
    alone = Catalogue()
    accepted = 0
    for content in layers(alone.interface(definition)):
        text = f'<layer id="1" name="n" type="{definition.type}" version="{definition.version}">{content}</layer>'
        expected = [entry.message for entry in alone.refusals(definition, etree.fromstring(text))]
        layer = etree.fromstring(text)
        assert [entry.message for entry in combined.refusals(definition, layer)] == expected, text
        assert layer.tag == "layer"
        accepted += not expected
    assert accepted
