"""Writer of models as OpenVINO IR: XML and weights."""

from ir_plugin.writer.compress import compress
from ir_plugin.writer.write import VERSIONS, ir_bytes, write_ir

__all__ = ["VERSIONS", "compress", "ir_bytes", "write_ir"]
