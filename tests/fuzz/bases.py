"""Valid IRs to mutate: the bases of the hostile variants, the shipped samples, and the layers of all operations."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.hostile.bases import BASES
from tests.support.collect import samples
from tests.support.ir import build

ROOT = Path(__file__).parents[2]
LONGEST = 60_000


@cache
def all_bases() -> tuple[tuple[str, bytes, bytes], ...]:
    """Return every base with its name, XML and weights."""
    found = [(f"base {name}", made().xml.encode(), made().weights) for name, made in BASES.items()]
    for path in sorted((ROOT / "samples").glob("*/*.xml")):
        weights = path.with_suffix(".bin")
        found.append((path.stem, path.read_bytes(), weights.read_bytes() if weights.is_file() else b""))
    for name, sample in samples():
        ir = build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs)
        found.append((name, ir.xml, ir.weights))
    return tuple(base for base in found if len(base[1]) < LONGEST and len(base[2]) < 4 * LONGEST)
