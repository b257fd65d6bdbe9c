"""Writing models as OpenVINO IR: XML and weights."""

from ir_plugin.writer.compress import compress
from ir_plugin.writer.write import VERSIONS, write_ir

__all__ = ["VERSIONS", "compress", "write_ir"]
