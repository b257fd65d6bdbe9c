"""Take the facts out of the `<layer>` examples of specification pages: types, attributes, dimensions and values.

`python -m tests.spec.extract FOLDER` reads the pages `FOLDER/<family>/<Type>_<n>.md` of a checkout of the specification
and writes `examples.json` beside this file. The pages themselves are not kept here.
"""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path
from typing import Any

from lxml import etree

TARGET = Path(__file__).with_name("examples.json")
_NOT_ALONE = ("If", "Loop", "TensorIterator", "Assign", "ReadValue", "Result", "Parameter", "Const", "Constant", "")
"""Types of which a layer alone is no model; their bodies are examples in a page, too."""

_BLOCK = re.compile(r"<layer\b.*?</layer>", re.DOTALL)
_VALUE = re.compile(r"\[\s*-?\d+(?:\s*,\s*-?\d+)*\s*\]|(?<![\w.])-?\d+(?![\w.])")


def examples(page: Path) -> list[dict[str, Any]]:
    """Return the examples of one page."""
    name, _, version = page.stem.rpartition("_")
    found = []
    for number, block in enumerate(_BLOCK.findall(html.unescape(page.read_text("utf-8")))):
        made = _example(block)
        if made is not None:
            found.append(
                {"page": f"{page.parent.name}/{name}_{version}", "number": number, "version": int(version)} | made
            )
    return found


def _example(block: str) -> dict[str, Any] | None:
    text = re.sub(r"\.\.\.|…", " ", block)
    text = re.sub(r"(?<=\s)([\w-]+)=([\w.]+)(?=[\s/>])", r'\1="\2"', text)
    layer = etree.fromstring(text.encode(), etree.XMLParser(recover=True, remove_comments=False))
    if layer is None or layer.find("input") is None or str(layer.get("type", "")) in _NOT_ALONE:
        return None
    data = layer.find("data")
    attributes = {} if data is None else {str(key): str(value) for key, value in data.attrib.items()}
    ports = [_port(port) for part in layer.findall("input") for port in part.findall("port")]
    outputs = [_port(port)["dims"] for port in layer.iterfind("output/port")]
    return {"type": str(layer.get("type", "")), "attributes": attributes, "inputs": ports, "outputs": outputs}


def _port(port: etree._Element) -> dict[str, Any]:
    dims = [(dim.text or "").strip() for dim in port.findall("dim")]
    notes = " ".join(str(note.text) for note in port.iter(etree.Comment))
    following = port.getnext()
    while isinstance(following, etree._Comment):
        notes += f" {following.text}"
        following = following.getnext()
    return {"dims": dims, "value": _value(notes, dims)}


def _value(notes: str, dims: list[str]) -> Any:
    """Return the numbers that a comment gives for an input, where they are as many as its dimensions say."""
    count = 1
    for dim in dims:
        count *= int(dim) if dim.isdigit() else 10**9
    for text in _VALUE.findall(notes):
        value = json.loads(text)
        if (isinstance(value, list) and len(value) == count and len(dims) == 1) or (
            isinstance(value, int) and not dims
        ):
            return value
    return None


def main() -> None:
    """Write the examples of all pages."""
    pages = sorted(Path(sys.argv[1]).glob("*/*_*.md"))
    found = [example for page in pages for example in examples(page)]
    lines = ",\n".join(json.dumps(example) for example in found)
    TARGET.write_text(f"[\n{lines}\n]\n", "utf-8")


if __name__ == "__main__":
    main()
