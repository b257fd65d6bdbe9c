"""All variants, by class, and the table of what we and OpenVINO say of them: `python -m tests.hostile.table`."""

from __future__ import annotations

from tests.hostile import documents, graphs, values
from tests.hostile.variant import Variant

GROUPS: dict[str, list[Variant]] = documents.GROUPS | graphs.GROUPS | values.GROUPS

VARIANTS = {f"{group}: {variant.name}": variant for group, found in GROUPS.items() for variant in found}
"""Every variant, by class and name."""
