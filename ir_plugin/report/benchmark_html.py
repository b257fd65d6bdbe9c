"""A benchmark as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ir_plugin.report.benchmark_data import BenchmarkData
from ir_plugin.report.page import text

_STYLE = (
    ".ir-plugin-benchmark td, .ir-plugin-benchmark th { text-align: right; white-space: nowrap; padding: .15rem .6rem; "
    "font-variant-numeric: tabular-nums; } .ir-plugin-benchmark table { margin: .6rem 0; }"
)


def cell_of(benchmark: BenchmarkData) -> str:
    """Return the measurements of a benchmark as tables."""
    title = (
        f"<p><b>{benchmark.median:.3f} ms</b> (median of {benchmark.count:,}), {benchmark.throughput:,.1f} FPS with "
        f"{benchmark.requests} request{'' if benchmark.requests == 1 else 's'} at a time</p>"
    )
    numbers = (benchmark.first, benchmark.median, benchmark.average, benchmark.min, benchmark.max)
    memory = "" if benchmark.memory is None else f"{benchmark.memory:,.0f}"
    cells = [[*(f"{value:.3f}" for value in numbers), memory]]
    parts = [_table(("first ms", "median ms", "average ms", "min ms", "max ms", "peak MiB"), cells)]
    if benchmark.shapes:
        rows = [[row.shape, str(row.count), f"{row.first:.3f}", f"{row.median:.3f}"] for row in benchmark.shapes]
        parts.append(_table(("shapes", "runs", "first ms", "median ms"), rows))
    if benchmark.tokens is not None:
        tokens = benchmark.tokens
        further = ["" if value is None else f"{value:.3f}" for value in (tokens.next, tokens.slowest, tokens.rate)]
        row = [str(tokens.prompt), str(tokens.count), f"{tokens.first:.3f}", *further]
        parts.append(_table(("prompt", "tokens", "first ms", "next ms", "slowest ms", "tokens/s"), [row]))
    if benchmark.starts:
        starts = [
            [
                start.kind,
                *(f"{part:.0f}" for part in (start.import_, start.read, start.compile, start.first, start.total)),
            ]
            for start in benchmark.starts
        ]
        parts.append(_table(("start", "import ms", "read ms", "compile ms", "first ms", "total ms"), starts))
    return f'<div class="ir-plugin-benchmark"><style>{_STYLE}</style>{title}{"".join(parts)}</div>'


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    names = "".join(f'<th scope="col">{name}</th>' for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"
