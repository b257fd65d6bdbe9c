"""The types that OpenVINO's reader compares letter by letter, and the finding for another spelling of one."""

from __future__ import annotations

from lxml import etree

from ir_plugin.model import Node
from ir_plugin.reader.reading import Reading
from ir_plugin.schema.values import shown

_CONSEQUENCES = {
    "Const": "refuses the file",
    "Result": "drops the output of the model",
    "Assign": "drops the layer",
    "Parameter": "may order the inputs of the model otherwise",
}
"""What OpenVINO does with another letter case, which it accepts for every other type."""

EXACT_TYPES = {type.lower(): type for type in _CONSEQUENCES} | {"constant": "Const"}
"""The types that have to be written exactly so, by their spellings in lower case."""


def report_letter_case(reading: Reading, node: Node, layer: etree._Element) -> None:
    """Report a type in another spelling than OpenVINO knows it in."""
    exact = EXACT_TYPES.get(node.type.lower(), node.type)
    if not reading.strict or node.type == exact:
        return
    because = f"OpenVINO knows this type in no other letter case, and {_CONSEQUENCES[exact]}"
    if node.type.lower() == "constant":
        because = "OpenVINO reads such a layer without its values, and crashes when they are needed"
    reading.report(
        "IR106", f"the type {shown(node.type)} is written {exact!r}", layer, attribute="type", layer=node.ref(),
        because=because, severity=None if exact == "Parameter" else "error",
    )  # fmt: skip
