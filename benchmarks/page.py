"""Measure the page of a graph: `python -m benchmarks.page [MODEL.xml …]`.

Writes the page of a residual model of 1,500 layers, of a decoder of 20,000, and of each model in the arguments (without
any, of BERT if `benchmarks.run` has written it), opens each in headless Chromium several times, and prints medians:
from the start of loading until the graph is drawn, for one frame while moving, for a search, for unfolding one group
and all groups, and for one frame that then shows the whole graph.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from ir_plugin.openvino.api import Core
from ir_plugin.report.graph_data import views
from ir_plugin.report.graph_html import page_of
from tests.support.browser import in_browser
from tests.support.decoder import WEIGHTS, decoder
from tests.support.residual import residual

FOLDER = Path(__file__).parents[1] / ".benchmarks"
RUNS = 5
SCRIPT = """
const ready = performance.now();
const draws = [];
for (let frame = 0; frame < 30; frame++) {
  irGraph.state.y -= 100;
  const start = performance.now(); irGraph.draw(); draws.push(performance.now() - start);
}
const time = (act) => { const start = performance.now(); act(); return performance.now() - start; };
const count = irGraph.state.layout.count, isFolded = irGraph.state.groups.anyFolded();
const field = document.getElementById("search");
field.value = "relu 1";
const search = time(() => field.dispatchEvent(new Event("input")));
const unfold = isFolded ? time(() => { irGraph.fold(0, false); irGraph.draw(); }) : 0;
const all = isFolded ? time(() => { irGraph.foldAll(); irGraph.draw(); }) : 0;
irGraph.state.scale = 0.02;
return [count, ready, draws.sort((a, b) => a - b)[15], search, unfold, all, time(() => irGraph.draw())];
"""


def written(path: Path, folder: Path) -> Path:
    """Write the page of a model, and return its path."""
    report = Core().validate(path)
    if report.model is None:
        raise SystemExit(f"{path} cannot be read")
    page = folder / f"{path.stem}.html"
    page.write_text(page_of(path.stem, views(report.model, report.findings), list(report.findings)), "utf-8")
    return page


def measured(page: Path, folder: Path) -> str:
    """Return a row of the table: the medians of opening a page several times."""
    rows = [in_browser(page, SCRIPT, folder) for _ in range(RUNS)]
    count, ready, *times = (statistics.median(values) for values in zip(*rows, strict=True))
    size = page.stat().st_size / 1e6
    cells = " | ".join(f"{milliseconds:.1f}" for milliseconds in times)
    return f"| {page.stem} | {count:,.0f} | {size:.1f} | {ready / 1e3:.2f} | {cells} |"


def main() -> None:
    """Measure every page, and print a table."""
    bert = FOLDER / "bert.xml"
    models = [Path(text) for text in sys.argv[1:]] or ([bert] if bert.exists() else [])
    print("| page | boxes shown | MB | ready s | frame ms | search ms | unfold one ms | all ms | whole graph ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large = folder / "residual.xml"
        large.write_text(residual(500))
        large.with_suffix(".bin").write_bytes(b"")
        deep = folder / "decoder.xml"
        deep.write_text(decoder(32, 625))
        deep.with_suffix(".bin").write_bytes(WEIGHTS)
        for model in [large, deep, *models]:
            print(measured(written(model, folder), folder), flush=True)


if __name__ == "__main__":
    main()
