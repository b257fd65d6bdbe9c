"""What was read from layers before in this process, by their texts without what is of one layer only."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, NamedTuple

from lxml import etree

from ir_plugin.model import Input, Node, Output
from ir_plugin.model.type_info import RTMap, plain_info
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.registry import Definition
from ir_plugin.tensors import ElementType

_TAG = re.compile(
    r'<layer id="(0|[1-9][0-9]{0,17})" name="([^"&]*)" type="([^"&]*)" version="([^"&]*)"(?: output_names="([^"&]*)")?>'
)
"""The tag of a layer that is cached, as lxml writes it; characters that it writes as entities are left out."""
_NAMES = re.compile(r' names="([^"]*)"')
_NO_NAMES = ' names=""'
_OFFSET = ' offset="'
_DIGITS = 18
_NO_ATTRIBUTES = frozenset(["is_compiled", "subgraphs", "load", "load_packed", "backing"])
"""Fields of an operation that its layer does not write."""
_MAX_LAYERS = 4096
_MAX_CHARACTERS = 2**22
_LONGEST = 2**16
"""The most characters of a text that is cached."""

Key = tuple[type, bool, str, str, bool, str]


class LayerText(NamedTuple):
    """A layer as a key of the cache, and what of it the key leaves out."""

    definition: Definition
    key: Key
    id: str
    name: str
    names: list[str]
    """The tensor names of its outputs."""
    offset: str
    """The offset of a constant in the weights."""


def text_of(layer: etree._Element, resolve: Callable[[str, str], Definition | None], strict: bool) -> LayerText | None:
    """Return the text of a layer, None for one that is not cached; `resolve` gives the definition of its type."""
    text, offset = etree.tostring(layer, encoding="unicode", with_tail=False), ""
    tag = _TAG.match(text)
    if tag is None or len(text) > _LONGEST:
        return None
    id, name, type, version, output_names = tag.groups()
    text, definition = text[tag.end() :], resolve(type, version)
    if definition is None or not definition.cls.is_built_in:
        return None
    if definition.cls is Const:
        before, _, rest = text.partition(_OFFSET)
        offset, _, rest = rest.partition('"')
        text = f"{before}{_OFFSET}{rest}"
        if not (offset.isascii() and offset.isdigit() and len(offset) <= _DIGITS):
            return None
    names = [] if output_names is None else [output_names]
    if " names=" in text:
        parts = _NAMES.split(text)
        names, text = names + parts[1::2], _NO_NAMES.join(parts[::2])
    if names and "&" in "".join(names):
        return None
    key = definition.cls, strict, type, version, output_names is None, text
    return LayerText(definition, key, id, name, names, offset)


class CachedLayer:
    """What a layer holds apart from id, name, tensor names and its offset in the weights."""

    __slots__ = (
        "_attributes", "_definition", "_info", "_inputs", "_outputs", "_type", "_values", "_version", "bounds",
        "inferred", "is_inferred_alike", "used",
    )  # fmt: skip

    def __init__(self, node: Node, definition: Definition, used: int) -> None:
        self._definition = definition
        self._type, self._version = node.type, node.version
        self._attributes = dict(node.attributes)
        self._values = {name: value for name, value in vars(node.operation).items() if name not in _NO_ATTRIBUTES}
        self._inputs = [(port.port_id, port.declared) for port in node.inputs]
        self._outputs = [
            (port.port_id, port.declared, bool(port.names), _copied(plain_info(port.rt_info))) for port in node.outputs
        ]
        self._info = _copied(plain_info(node.rt_info))
        self.used = used
        """The number of bytes that a constant's values occupy."""
        self.is_inferred_alike = not definition.cls.wants_inference
        """Whether inputs of equal types, shapes and values give equal outputs."""
        self.inferred: dict[tuple[Hashable, ...], Any] = {}
        """What was inferred, by the types and shapes of the inputs; `validation.reuse` fills it."""
        self.bounds: dict[tuple[Any, ...], list[Any]] = {}
        """The inferred bounds of the outputs, by the bytes of the inputs' bounds; `validation.reuse` fills it."""

    def new_node(self, text: LayerText) -> Node:
        """Build a node; its mutable parts are copies."""
        node = Node.of(text.id, text.name, self._type, self._version)
        node.attributes = attributes = dict(self._attributes)
        values = self._values
        if text.offset:
            attributes["offset"], values = text.offset, values | {"offset": int(text.offset)}
        self._definition.cls.attach(node, values)
        node.inputs += [Input(node, index, *declaration) for index, declaration in enumerate(self._inputs)]
        names = iter(text.names)
        for index, (port_id, declared, is_named, info) in enumerate(self._outputs):
            port = Output(node, index, port_id, declared, split_names(next(names)) if is_named else ())
            node.outputs.append(port)
            if info:
                port.rt_info = RTMap(_copied(info))
        if self._info:
            node.rt_info = RTMap(_copied(self._info))
        return node


def _copied(info: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of nested dictionaries of texts."""
    return {name: _copied(value) if isinstance(value, dict) else value for name, value in info.items()}


class LayerCache:
    """The layers of a process by their texts; all are dropped when they have become too many."""

    def __init__(self) -> None:
        self._layers: dict[Key, CachedLayer] = {}
        self._characters = 0
        self._lock = Lock()

    def get(self, text: LayerText) -> CachedLayer | None:
        """Return the cached layer of the same text, or None."""
        return self._layers.get(text.key)

    def add(self, text: LayerText, node: Node, used: int) -> CachedLayer:
        """Keep what was read from a layer without a finding, unless its text does not say all of it."""
        layer = CachedLayer(node, text.definition, used)
        with self._lock:
            if _says_all(text, node, used):
                self._characters += len(text.key[-1])
                if len(self._layers) == _MAX_LAYERS or self._characters > _MAX_CHARACTERS:
                    self._layers, self._characters = {}, len(text.key[-1])
                self._layers[text.key] = layer
        return layer


LAYERS = LayerCache()


def _says_all(text: LayerText, node: Node, used: int) -> bool:
    """Return whether layers of the same key are read alike, whatever is in the weights."""
    operation = node.operation
    if isinstance(operation, Const):
        is_exact = operation.element_type is not ElementType.string and operation.size == used
        if not is_exact or text.offset != node.attributes.get("offset") or text.key[-1].count(_OFFSET) > 1:
            return False
    return [port.names for port in node.outputs if port.names] == [set(split_names(names)) for names in text.names]


def split_names(text: str) -> list[str]:
    r"""Return the tensor names of a port, separated by commas; a comma within a name is written `\,`."""
    if "\\" not in text:
        return [name for name in text.split(",") if name]
    names, name = [], ""
    letters = iter(text)
    for letter in letters:
        if letter == ",":
            names.append(name)
            name = ""
        elif letter == "\\":
            following = next(letters, "")
            name += following if following == "," else letter + following
        else:
            name += letter
    return [name for name in (*names, name) if name]
