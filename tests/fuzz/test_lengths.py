"""Lengths and counts beyond all memory, put at each place of each base: none makes a shape rule take memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import settings
from lxml import etree

from ir_plugin import Core
from tests.fuzz.bases import all_bases
from tests.fuzz.entries import feed
from tests.support.memory import reset_peak, status

EVERY = 1 if settings().max_examples >= 1000 else 32
"""Which share of the cases is tried."""
BEYOND = (2**31, 2**63 - 1)
MAX_BYTES = 1 << 27
"""That this process takes for a small model with `LIMITS`; an array of a length of `BEYOND` has at least 2 GiB."""
_NUMBERS = re.compile(r"\s*-?\d+(\s*,\s*-?\d+)*\s*")


def places(xml: bytes) -> Iterator[tuple[int, str, int]]:
    """Yield the layers, the names of their attributes, and the numbers to put there."""
    for layer, element in enumerate(etree.fromstring(xml).iterfind("layers/layer")):
        data = element.find("data")
        for name in [] if data is None else data.attrib:
            for number in BEYOND:
                yield layer, str(name), number


def beyond(xml: bytes, layer: int, name: str, number: int) -> bytes | None:
    """Return the IR with a 1-D input as long as can be, or a number as great; None where the attribute has none."""
    root = etree.fromstring(xml)
    changed = root.findall("layers/layer")[layer]
    return etree.tostring(root) if _put(changed, name, str(number)) else None


def _put(layer: etree._Element, name: str, number: str) -> bool:
    data = layer.find("data")
    assert data is not None
    text = str(data.get(name))
    if layer.get("type") not in ("Parameter", "Const"):
        data.set(name, number)
        return _NUMBERS.fullmatch(text) is not None
    if name != "shape" or not text or "," in text:
        return False
    layer.set("type", "Parameter")
    kept = {"shape": number, "element_type": str(data.get("element_type"))}
    data.attrib.clear()
    data.attrib.update(kept)
    for dim in layer.iter("dim"):
        dim.text = number
    return True


@pytest.mark.parametrize("part", range(4))
def test_no_length_makes_a_shape_rule_take_memory(part: int) -> None:
    bases = all_bases()[part::4]
    chosen = [(base, place) for base in bases for place in places(base[1])][::EVERY]
    fed = 0
    for (name, xml, weights), place in chosen:
        made = beyond(xml, *place)
        if made is not None:
            fed += 1
            reset_peak()
            before = status("VmRSS")
            feed(made, weights)
            messages = [found.message for found in Core().validate(made, weights).findings]
            assert not any("MemoryError" in message for message in messages), (name, place, messages)
            assert status("VmHWM") - before < MAX_BYTES, (name, place)
    assert fed > 1000 // EVERY
