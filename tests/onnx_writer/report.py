"""Write docs/onnx-export.md: `python -m tests.onnx_writer.report`."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from pathlib import Path

from ir_plugin.operations.registry import LIBRARIES, Definition, built_in
from tests.onnx_writer.cases import SAMPLES, Outcome, outcomes

PAGE = Path(__file__).parents[2] / "docs" / "onnx-export.md"
_HEAD = """# Operations as ONNX

Written by `python -m tests.onnx_writer.report` from the samples of the operations, each written as ONNX of opset 21,
checked by `onnx.checker` with full inference of shapes, run by onnxruntime or onnx.reference, and compared with our
result. Of {all} definitions of OpenVINO's opsets, {written} can be written in all or some of their samples; of {own}
definitions that are this library's own, {own_written}. A layer that cannot be written is an error that names the layer
and the reason, of all layers at once.

* **samples**: whether all of the definition's samples are written, some, or none
* **operators**: those of ONNX that the samples are written by; Constant tensors and Cast are not counted
* **not written**: reasons why other samples are refused
"""
STRUCTURE = ("Const", "Parameter", "Result")
"""Operations that are no nodes in ONNX: initializers, inputs and outputs."""


ELSEWHERE = {
    "Assign": "Identity, an output of the model", "ReadValue": "an input of the model", "If": "If", "Loop": "Loop",
    "TensorIterator": "Loop",
}  # fmt: skip
"""Operations without samples of one layer, which `test_bodies` writes, and what they become."""


def definition_of(name: str) -> tuple[str, str]:
    """Return the type and version of a sample."""
    sample = SAMPLES[name]
    version = sample.version
    return sample.type, f"opset{version}" if isinstance(version, int) else version


def by_definition() -> dict[tuple[str, str], list[Outcome]]:
    """Return the outcomes of the samples of each definition."""
    grouped: dict[tuple[str, str], list[Outcome]] = {}
    for name, outcome in outcomes().items():
        grouped.setdefault(definition_of(name), []).append(outcome)
    return grouped


def is_written(definition: Definition, results: list[Outcome]) -> bool:
    """Return whether a definition can be written."""
    return definition.type in (*STRUCTURE, *ELSEWHERE) or any(outcome.kind == "equal" for outcome in results)


def text() -> str:
    """Return the page as Markdown."""
    warnings.simplefilter("ignore")
    grouped = by_definition()
    definitions = [*built_in().values()]
    public = [item for item in definitions if item.version not in LIBRARIES]
    own = [item for item in definitions if item.version in LIBRARIES]
    counts = [
        sum(is_written(item, grouped.get((item.type, item.version), [])) for item in part) for part in (public, own)
    ]
    lines = [_HEAD.format(all=len(public), written=counts[0], own=len(own), own_written=counts[1])]
    for family in dict.fromkeys(item.family for item in definitions):
        lines += [f"\n## {family}\n", "| operation | samples | operators | not written |", "|---|---|---|---|"]
        members = sorted((item for item in definitions if item.family == family), key=lambda item: item.stem)
        lines += [_row(item, grouped.get((item.type, item.version), [])) for item in members]
    return "\n".join(lines) + "\n"


def _row(definition: Definition, results: list[Outcome]) -> str:
    if definition.type in STRUCTURE:
        return f"| {definition.stem} | | an initializer, input or output | |"
    if definition.type in ELSEWHERE:
        return f"| {definition.stem} | some | {ELSEWHERE[definition.type]} | |"
    written = [outcome for outcome in results if outcome.kind in ("equal", "unrun", "wrong")]
    operators = sorted({op for outcome in written for op in outcome.operators} - {"Cast", "Identity"})
    if written and not operators:
        operators = ["Cast" if any("Cast" in outcome.operators for outcome in written) else "Identity"]
    reasons = Counter(_reason(outcome) for outcome in results if outcome.kind == "refused")
    amount = "none" if not written else "all" if len(written) == len(results) else "some"
    return f"| {definition.stem} | {amount} | {', '.join(operators)} | {'; '.join(sorted(reasons))} |"


def _reason(outcome: Outcome) -> str:
    """Return why a sample is refused, without the layer's name."""
    first = outcome.reason.split("\n")[0].strip()
    return re.sub(r'^(layer|input|output) "[^"]*"( \([^)]*\))?: ', "", first).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
