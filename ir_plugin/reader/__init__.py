"""Reader of an IR: XML and weights become a model, and every fault becomes a finding."""

from ir_plugin.reader.read import read_ir

__all__ = ["read_ir"]
