"""A target for atheris: `pip install atheris; python -m tests.fuzz.atheris_reader corpus/`.

The input is the XML, up to the first 0 byte, and the weights behind it. A folder of IRs makes a good corpus:
`samples/` and `tests/findings/` hold some.
"""

from __future__ import annotations

import sys
from importlib import import_module


def one_input(data: bytes) -> None:
    """Feed one input to every public entry."""
    from tests.fuzz.entries import feed

    xml, _, weights = data.partition(b"\0")
    feed(xml, weights)


def main() -> None:
    """Fuzz until something other than our errors leaves the public API."""
    import atheris

    with atheris.instrument_imports():
        import_module("ir_plugin.openvino.api")
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
