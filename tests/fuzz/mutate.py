"""Mutations of IRs: of elements and attributes, and of bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import deepcopy

from lxml import etree

NUMBERS = (
    "0", "1", "-1", "2", "3", "7", "64", "65", "-9", "1.5", "1e9", "0x10", "", " ", "nan", "inf", "-0", "+1", "true",
    "2147483648", "4611686018427387904", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
    "99999999999999999999999999", "a", "?", "...", "1,1", "1, 2, 3", "0,0,0,0,0", "1,,1", "[1]", "-1,-1", "?,?",
    "1..3", "3..1", "4294967296,4294967296", "dynamic", "\u0663", "\u202e", "x" * 300, ",".join(["2"] * 70),
)  # fmt: skip
WORDS = (
    "Const", "Parameter", "Result", "ReLU", "Add", "Gather", "Split", "Concat", "Convolution", "Reshape", "If", "Loop",
    "TensorIterator", "ReadValue", "Assign", "Frobnicate", "opset1", "opset8", "opset13", "opset99", "extension",
    "f32", "i64",
    "u4", "string", "boolean", "f16", "dynamic", "FP32", "FP16", "I64", "BOOL", "STRING", "same_upper", "valid", "none",
)  # fmt: skip

Mutation = Callable[[random.Random, etree._Element], None]


def _elements(root: etree._Element) -> list[etree._Element]:
    return [element for element in root.iter() if isinstance(element.tag, str)]


def _any(chance: random.Random, root: etree._Element) -> etree._Element:
    return chance.choice(_elements(root))


def _delete(chance: random.Random, root: etree._Element) -> None:
    element = _any(chance, root)
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _duplicate(chance: random.Random, root: etree._Element) -> None:
    element = _any(chance, root)
    if element.getparent() is not None:
        element.addnext(deepcopy(element))


def _swap(chance: random.Random, root: etree._Element) -> None:
    one, other = _any(chance, root), _any(chance, root)
    if one is not other and one not in other.iterancestors() and other not in one.iterancestors():
        mark = etree.Element("mark")
        for old, new in ((one, mark), (other, one), (mark, other)):
            parent = old.getparent()
            if parent is not None:
                parent.replace(old, new)


def _move(chance: random.Random, root: etree._Element) -> None:
    element, target = _any(chance, root), _any(chance, root)
    if element.getparent() is not None and element is not target and element not in target.iterancestors():
        target.append(element)


def _rename(chance: random.Random, root: etree._Element) -> None:
    element = _any(chance, root)
    element.tag = chance.choice(["layer", "port", "dim", "data", "edge", "input", "output", "body", "net", "x"])


def _attribute(chance: random.Random, root: etree._Element) -> None:
    holders = [element for element in _elements(root) if element.attrib]
    if not holders:
        return
    element = chance.choice(holders)
    name = chance.choice(sorted(element.attrib))
    kind = chance.randrange(6)
    if kind == 0:
        del element.attrib[name]
    elif kind == 1:
        other = chance.choice(holders)
        element.set(name, str(other.attrib[chance.choice(sorted(other.attrib))]))
    elif kind == 2:
        element.set(name, chance.choice(WORDS))
    elif kind == 3:
        element.set(f"{name}s", str(element.attrib.pop(name)))
    else:
        element.set(name, chance.choice(NUMBERS))


def _text(chance: random.Random, root: etree._Element) -> None:
    dims = root.findall(".//dim") or [root]
    chance.choice(dims).text = chance.choice(NUMBERS)


MUTATIONS: Sequence[Mutation] = (
    _delete, _duplicate, _swap, _move, _rename, _attribute, _attribute, _attribute, _attribute, _text, _text,
)  # fmt: skip


def mutated(xml: bytes, seed: int) -> bytes:
    """Return an IR with one to four mutations that `seed` chooses, well-formed but for the last one in sixteen."""
    chance = random.Random(seed)
    root = etree.fromstring(xml)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 4])):
        chance.choice(MUTATIONS)(chance, root)
    text = etree.tostring(root)
    return garbled(text, seed) if chance.randrange(16) == 0 else text


def garbled(data: bytes, seed: int) -> bytes:
    """Return bytes of which some are changed, taken away or doubled."""
    chance = random.Random(seed)
    found = bytearray(data)
    for _ in range(chance.choice([1, 2, 8])):
        if not found:
            break
        at = chance.randrange(len(found))
        kind = chance.randrange(4)
        if kind == 0:
            found[at] = chance.randrange(256)
        elif kind == 1:
            del found[at : at + chance.choice([1, 8, 200])]
        elif kind == 2:
            found[at:at] = found[at : at + chance.choice([1, 40])]
        else:
            found[at] ^= 1 << chance.randrange(8)
    return bytes(found)
