"""Schemas that are compiled as one refuse what each of them refuses."""

from __future__ import annotations

import pytest
from lxml import etree

from ir_plugin.operations.registry import Definition, Registry
from ir_plugin.schema import Catalogue
from tests.support.layer_texts import layers

DEFINITIONS = [definition for definition in Registry().all() if definition.family]


@pytest.fixture(scope="module")
def combined() -> Catalogue:
    catalogue = Catalogue()
    catalogue.prepare(DEFINITIONS[::2])
    catalogue.prepare(DEFINITIONS)
    return catalogue


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
