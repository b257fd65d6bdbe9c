"""A target for atheris: an IR is read, unchecked and checked; nothing but our errors may leave.

The input is the XML, up to the first 0 byte, and the weights behind it.
"""

import sys
from contextlib import suppress

import atheris

with atheris.instrument_imports(include=["ir_plugin"]):
    import ir_plugin as ov

CORE = ov.Core()


def one_input(data: bytes) -> None:
    """Read one input."""
    xml, _, weights = data.partition(b"\0")
    for validate in (True, False):
        with suppress(ov.Error):
            CORE.read_model(xml, weights, validate=validate)


atheris.Setup(sys.argv, one_input)
with atheris.instrument_imports(include=["ir_plugin"]):  # modules are imported when they are first used
    atheris.Fuzz()
