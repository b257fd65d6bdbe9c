"""Contents of layers that a schema accepts and that it refuses, made from its interface."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from ir_plugin.schema import Interface
from ir_plugin.schema.interface import Count

TEXTS = (
    "1", "-1", "0.5", "true", "1,2", "f32", "a word", "", "-0", "007", "+1", " 1", "1 , 2", "1,,2", "1e5", "1e999",
    "nan", "-inf", "TRUE", "0", "?,-1", "1..5", "5..1", "3..", "...", "[1]", "f32 ", "F32", "99999999999999999999",
)  # fmt: skip


def ports(direction: str, count: int) -> str:
    port = '<port id="0" precision="FP32"><dim>1</dim></port>'
    return f"<{direction}>{port * count}</{direction}>" if count else ""


def counts(count: Count) -> set[int]:
    return {max(count.least - 1, 0), count.least, (count.most or count.least) + 1}


def layers(interface: Interface) -> Iterator[str]:
    """Yield layers of a definition: with attributes of all texts, without each, and with other numbers of ports."""
    named = {spec.name: spec.spellings[0] if spec.spellings else "1" for spec in interface.attributes.values()}
    own = {name: text for name, text in named.items() if interface.attributes[name].type != "extra"}
    variants = [{}, own, named, {**named, "unheard_of": "1"}]
    variants += [{name: text for name, text in named.items() if name != left_out} for left_out in named]
    variants += [{**base, name: text} for base in (own, named) for name in base for text in TEXTS]
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
