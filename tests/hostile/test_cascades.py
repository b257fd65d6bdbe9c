"""One fault gives one error: every element of the bases is deleted and doubled, every attribute and text replaced."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import pytest
from lxml import etree

from ir_plugin import Core
from ir_plugin.diagnostics.render import render
from tests.hostile.bases import BASES

VALUES = (None, "zz", "99", "0", "1", "")


def single_faults(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """Yield every IR that differs in one place, with the place; each is undone before the next."""
    for element in list(root.iter())[1:]:
        parent = element.getparent()
        if parent is None:
            continue
        layer = next((found for found in (element, *element.iterancestors("layer")) if found.tag == "layer"), element)
        place = f"{layer.get('name', '')}: {element.tag!s} {dict(element.attrib)}"
        double = deepcopy(element)
        element.addnext(double)
        yield f"doubled {place}", root
        parent.remove(double)
        yield from _values(root, element, place)
        following = element.getnext()
        parent.remove(element)
        yield f"deleted {place}", root
        if following is None:
            parent.append(element)
        else:
            following.addprevious(element)


def _values(root: etree._Element, element: etree._Element, place: str) -> Iterator[tuple[str, etree._Element]]:
    for name, kept in [(str(name), str(value)) for name, value in element.attrib.items()]:
        for value in VALUES:
            if value is None:
                del element.attrib[name]
            else:
                element.set(name, value)
            yield f"{place}: {name}={value}", root
            element.set(name, kept)  # an attribute that was deleted is now the last one, which changes nothing
    if element.tag == "dim":
        kept_text, element.text = element.text, "99"
        yield f"{place}: 99", root
        element.text = "zz"
        yield f"{place}: zz", root
        element.text = kept_text


@pytest.mark.parametrize("name", BASES)
def test_one_fault_gives_at_most_one_error(name: str) -> None:
    base, core = BASES[name](), Core()
    cascades = []
    for place, root in single_faults(etree.fromstring(base.xml.encode())):
        found = core.validate(etree.tostring(root), base.weights).findings
        if len(found.errors) > 1:
            cascades.append((place, render(found, "concise")))
    assert cascades == []
