"""A comparison as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_plugin.diagnostics.escape import safe
from ir_plugin.report.comparison_data import ComparedOutput, ComparisonData
from ir_plugin.report.statistics import shown_shape

COLUMNS = ("", "layer", "operation", ">max abs", ">max rel", ">cosine", "shape", "worst", ">here", ">there", "type")
_MAX_ROWS = 40
_MAX_CONSTANTS = 4


def chosen(comparison: ComparisonData, everything: bool = False) -> list[ComparedOutput]:
    """Return the entries to show: all of a small model, else the first to differ and the largest errors that agree."""
    outputs = list(comparison.outputs)
    if everything or len(outputs) <= _MAX_ROWS:
        return outputs
    differing = [output for output in outputs if output.differs]
    shown = list(comparison.ties[: _MAX_ROWS // 4])
    shown += [output for output in differing if output.is_culprit][: _MAX_ROWS // 2]
    shown += [output for output in differing if not output.is_culprit][: _MAX_ROWS // 2 - len(shown)]
    rest = sorted((output for output in outputs if output.agrees), key=_error, reverse=True)
    labels = {output.label for output in [*shown, *rest[: _MAX_ROWS // 4]]}
    return [output for output in outputs if output.label in labels]


def _error(output: ComparedOutput) -> float:
    return output.measures.max_rel if output.measures is not None else 0.0


def row(output: ComparedOutput) -> tuple[str, ...]:
    """Return the cells of one entry, as `COLUMNS` names them."""
    name = safe(output.label, 60)
    head = (mark(output), name, output.type)
    shape, type, measures = shown_shape(output.shape), output.element_type, output.measures
    if measures is None:
        return *head, "", "", "", shape, "", shape, shown_shape(output.reference_shape), type
    errors = (f"{measures.max_abs:.3g}", f"{measures.max_rel:.3g}", f"{measures.cosine:.7f}")
    worst = "[" + ",".join(map(str, measures.worst)) + "]" if measures.max_abs else ""
    values = (_value(measures.mine), _value(measures.theirs)) if measures.max_abs else ("", "")
    return *head, *errors, shape, worst, *values, type


def mark(output: ComparedOutput) -> str:
    """Return `ok`, `CULPRIT`, `follows` or `tie`."""
    if not output.differs:
        return "tie" if output.is_tie else "ok"
    return "CULPRIT" if output.is_culprit else "follows"


def _value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else safe(str(value), 20)


def verdict(comparison: ComparisonData) -> list[str]:
    """Return the result of the comparison in a few sentences; names from the file are not escaped."""
    count = len(comparison.outputs)
    if not count:
        return [f"nothing to compare: {comparison.reference} has a value for none of the layers"]
    lines = [*_rounding(comparison), _first(comparison)]
    more = [f'"{output.label}"' for output in comparison.culprits if output is not comparison.first]
    if more:
        names = ", ".join(more[:_MAX_CONSTANTS])
        lines.append(f"{len(more)} more differ{'s' if len(more) == 1 else ''} though the inputs agree: {names}")
    lines += _ties(comparison)
    agreeing = [output for output in comparison.outputs if output.agrees]
    silent = [(constant, output) for output in agreeing for constant in output.constants if not constant.rounded_to]
    if silent:
        shown = [f'"{constant.name}" of "{output.label}" by {constant.max_abs:.3g}' for constant, output in silent]
        rest = ", …" if len(shown) > _MAX_CONSTANTS else ""
        lines.append(f"constants that differ upstream of outputs that agree: {', '.join(shown[:_MAX_CONSTANTS])}{rest}")
    if comparison.unmatched:
        names = ", ".join(f'"{name}"' for name in comparison.unmatched[:_MAX_CONSTANTS])
        rest = ", …" if len(comparison.unmatched) > _MAX_CONSTANTS else ""
        lines.append(f"{len(comparison.unmatched)} not compared, as {comparison.reference} has no value: {names}{rest}")
    return lines


def _rounding(comparison: ComparisonData) -> list[str]:
    """Return a sentence about the constants that differ because they are stored in a smaller type."""
    rounded = [constant for constant in comparison.constants if constant.rounded_to]
    if not rounded:
        return []
    types = " and ".join(sorted({constant.rounded_to for constant in rounded}))
    most = max(rounded, key=lambda constant: constant.max_abs)
    total = comparison.constant_count
    differ = "differs" if len(rounded) == 1 else "differ"
    return [
        f"{len(rounded)} of {total} constants {differ} from the reference's only by what {types} rounds off, "
        f'the most "{most.name}", by {most.max_abs:.3g}'
    ]


def _ties(comparison: ComparisonData) -> list[str]:
    """Return a sentence about the layers that select elements of equal value in another order."""
    own = list(dict.fromkeys(output.name for output in comparison.ties if output.inputs_agree))
    if not own:
        return []
    names = ", ".join(f'"{name}"' for name in own[:_MAX_CONSTANTS]) + (", …" if len(own) > _MAX_CONSTANTS else "")
    inheriting = sum(not output.inputs_agree for output in comparison.ties)
    inherited = f"; {inheriting} downstream inherit{'s' if inheriting == 1 else ''} that" if inheriting else ""
    many = "a tie" if len(own) == 1 else f"{len(own)} ties"
    return [f"{many}, no fault: {names} select{'s' if len(own) == 1 else ''} other elements of equal value{inherited}"]


def _first(comparison: ComparisonData) -> str:
    first, count = comparison.first, len(comparison.outputs)
    if first is None:
        ties = " but for ties" if comparison.ties else ""
        return f"all {count} outputs of layers agree with {comparison.reference}{ties}"
    over = sum(output.differs for output in comparison.outputs)
    where = f'"{first.label}" (id {first.id}, {first.type})'
    if first.measures is None:
        what = f"has the shape {shown_shape(first.shape)}, there {shown_shape(first.reference_shape)}"
    else:
        is_first = first is next(output for output in comparison.outputs if output.differs)
        what = (
            f"differs{' first' if is_first else ''}, by {first.measures.max_abs:.3g} in {first.measures.over} elements"
        )
    return f"{where} {what}; {_why(comparison, first)}; {over} of {count} outputs are over the tolerance"


def _why(comparison: ComparisonData, first: ComparedOutput) -> str:
    if not first.inputs_agree:
        return "its inputs differ already"
    if first.magnifies and any(constant.rounded_to for constant in comparison.constants):
        return "given the reference's inputs and constants it agrees: the layer is right, the rounding adds up"
    if first.magnifies:
        return "given the reference's inputs it agrees: it magnifies what they differ by within the tolerance"
    if first.constants:
        wrong = [constant for constant in first.constants if not constant.rounded_to] or list(first.constants)
        shown = [f'"{constant.name}" by {constant.max_abs:.3g}' for constant in wrong[:_MAX_CONSTANTS]]
        return f"its inputs agree, but its constants differ: {', '.join(shown)}"
    agree = "its inputs are the reference's" if comparison.fed else "its inputs agree"
    if first.through:
        names = ", ".join(f'"{name}"' for name in first.through[-_MAX_CONSTANTS:])
        return f"what was compared before agrees, so it is this layer or one that was not compared: {names}"
    return agree


def text_of(comparison: ComparisonData) -> str:
    """Return the comparison as plain text."""
    rows: list[Sequence[str]] = [[column.removeprefix(">") for column in COLUMNS], *map(row, chosen(comparison))]
    widths = [max(len(cells[index]) for cells in rows) for index in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip() for cells in rows]
    return "\n".join([*lines, "", *(safe(line, 1000) for line in verdict(comparison))])
