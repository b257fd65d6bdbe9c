"""A target for atheris: an ONNX model is checked and translated; nothing but our errors may leave."""

import sys
import warnings
from contextlib import suppress

import atheris

with atheris.instrument_imports(include=["ir_plugin"]):
    import ir_plugin as ov

CORE = ov.Core()
warnings.simplefilter("ignore")


def one_input(data: bytes) -> None:
    """Check and translate the bytes of a model; by their first one they are known to be ONNX."""
    if not data.startswith(b"\x08"):
        return
    CORE.validate(data)
    with suppress(ov.Error):
        CORE.read_model(data)


atheris.Setup(sys.argv, one_input)
with atheris.instrument_imports(include=["ir_plugin"]):  # modules are imported when they are first used
    atheris.Fuzz()
