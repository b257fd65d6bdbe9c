"""All variants, by class, and the table of what we and OpenVINO say of them: `python -m tests.hostile.table`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ir_plugin import Core
from ir_plugin.diagnostics.escape import safe
from tests.hostile import documents, graphs, oddities, slips, values
from tests.hostile.variant import Variant

GROUPS: dict[str, list[Variant]] = documents.GROUPS | graphs.GROUPS | values.GROUPS | slips.GROUPS | oddities.GROUPS

VARIANTS = {f"{group}: {variant.name}": variant for group, found in GROUPS.items() for variant in found}
"""Every variant, by class and name."""

PAGE = Path(__file__).parents[2] / "docs" / "malformed.md"

_HEAD = """# Malformed and hostile IRs

This page shows what a wrong file costs you with each reader. It takes valid IRs, makes one mistake in each, and
quotes what `ir-plugin check` and OpenVINO {version} say: {count} files, from a lost quote to a hostile shape.

Read it to look up a message that you got, or to see which mistakes OpenVINO reads without complaint. "accepts" means
that OpenVINO compiled the file; then it shows the shape that it inferred. A dash means that there is nothing to find.
The tests in `tests/hostile` hold the code and the line of every row; `python -m tests.hostile.table` writes the page.
"""


def main() -> None:
    """Write the page."""
    import openvino

    from tests.hostile.verdicts import openvino_verdicts

    verdicts = openvino_verdicts(VARIANTS.values())
    version = openvino.get_version().partition("-")[0]
    lines = [_HEAD.format(count=len(VARIANTS), version=version)]
    for group, found in GROUPS.items():
        lines.append(f"\n## {group[0].upper()}{group[1:]}\n\n| variant | ir_plugin | OpenVINO |\n|---|---|---|\n")
        lines += [f"| {_cell(found.name)} | {_cell(ours(found))} | {_cell(next(verdicts))} |\n" for found in found]
    PAGE.write_text("".join(lines), "utf-8")


def rows() -> Iterator[tuple[str, str]]:
    """Yield the name of every variant and what the page must say of ours."""
    for variant in VARIANTS.values():
        yield _cell(variant.name), _cell(ours(variant))


def ours(variant: Variant) -> str:
    """Return our finding in a few words."""
    found = Core().validate(variant.xml, variant.bin).findings.sorted()
    if not found:
        return "–"
    first = next((finding for finding in found if finding.severity == "error"), found[0])
    line = f", line {first.span.line}" if first.span.line else ""
    message = first.label or first.message
    return f"**{first.code}** {safe(message, 90)}{line}"


def _cell(text: str) -> str:
    return safe(text, 200).replace("|", "\\|").replace("<", "&lt;").replace("*/", "*\\/").replace("`", "'")


if __name__ == "__main__":
    main()
