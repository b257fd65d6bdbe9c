"""Reading an IR: XML and weights to a model, with everything that is wrong as findings."""

from ir_plugin.reader.read import read_ir

__all__ = ["read_ir"]
