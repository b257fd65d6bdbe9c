"""A target for atheris: all faults of an IR are found and shown; nothing may leave.

The input is the XML, up to the first 0 byte, and the weights behind it.
"""

import sys

import atheris

with atheris.instrument_imports(include=["ir_plugin"]):
    import ir_plugin as ov
    from ir_plugin.diagnostics.render import FORMATS, render

CORE = ov.Core()


def one_input(data: bytes) -> None:
    """Check one input, and show what is found in every format."""
    xml, _, weights = data.partition(b"\0")
    report = CORE.validate(xml, weights)
    for format in FORMATS:
        render(report.findings, format)


atheris.Setup(sys.argv, one_input)
with atheris.instrument_imports(include=["ir_plugin"]):  # modules are imported when they are first used
    atheris.Fuzz()
