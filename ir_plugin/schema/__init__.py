"""XSDs: locating, compiling and reading them as interfaces, and parsing attribute values."""

from ir_plugin.schema.catalogue import Catalogue
from ir_plugin.schema.interface import AttributeSpec, Interface
from ir_plugin.schema.values import ValueTextError, parse_loosely, parse_strictly

__all__ = [
    "AttributeSpec",
    "Catalogue",
    "Interface",
    "ValueTextError",
    "parse_loosely",
    "parse_strictly",
]
