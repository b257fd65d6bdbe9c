"""Lengths and counts beyond all memory, put at each place of each base: none makes a shape rule take memory."""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import settings
from lxml import etree

from ir_plugin import Core
from tests.fuzz.bases import all_bases
from tests.fuzz.entries import feed

EVERY = 1 if settings().max_examples >= 1000 else 16
"""Which share of the cases is tried."""
BEYOND = (2**31, 2**63 - 1)
ROOM = 4 << 30
_NUMBERS = re.compile(r"\s*-?\d+(\s*,\s*-?\d+)*\s*")


@contextmanager
def little_memory() -> Iterator[None]:
    """Let this process take no more than `ROOM` bytes more."""
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def beyond(xml: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the IR with one of its 1-D inputs as long as can be, or one number as great, for each of them."""
    for layer in range(len(etree.fromstring(xml).findall("layers/layer"))):
        data = etree.fromstring(xml).findall("layers/layer")[layer].find("data")
        for name in [] if data is None else data.attrib:
            for number in BEYOND:
                root = etree.fromstring(xml)
                changed = root.findall("layers/layer")[layer]
                if _put(changed, str(name), str(number)):
                    yield f"{changed.get('type')} {layer} {name} {number}", etree.tostring(root)


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
    count = 0
    for name, xml, weights in all_bases()[part::4]:
        for change, made in beyond(xml):
            count += 1
            if count % EVERY:
                continue
            with little_memory():
                feed(made, weights)
                messages = [found.message for found in Core().validate(made, weights).findings]
            assert not any("MemoryError" in message for message in messages), (name, change, messages)
    assert count > 1000
