"""`ir-plugin report`: one page with facts, findings, graph, profile and comparison."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import ir_plugin as ov
from ir_plugin.cli.app import app
from ir_plugin.report.profile import profile
from tests.hostile.bases import conv
from tests.hostile.table import VARIANTS
from tests.report.test_graph import written
from tests.report.test_graph_pictures import SEEN
from tests.support.browser import DARK, in_browser, needs_browser, picture
from tests.support.changed import DIGITS

HEADINGS = re.compile(r'<h2 id="\w+">(\w+)</h2>')


def report(model: Path, out: Path, *options: object) -> str:
    result = CliRunner().invoke(app, ["report", str(model), "-o", str(out), *map(str, options)])
    assert result.exit_code == 0, result.output
    return out.read_text("utf-8")


def faulty(folder: Path) -> Path:
    variant = VARIANTS["shapes and types: a wrong declared output dimension"]
    return written(folder, "wrong", variant.xml, conv().weights)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "digits.html"
    np.save(path.with_name("images.npy"), np.load(DIGITS.with_name("images.npy"))[:4])
    report(DIGITS, path, "--with", "openvino", "-i", path.with_name("images.npy"))
    return path


def test_a_page_has_everything(page: Path) -> None:
    text = page.read_text("utf-8")
    assert HEADINGS.findall(text) == ["Model", "Findings", "Profile", "Comparison", "Graph"]
    for part in ("26,332 in 105,336 bytes", "No findings.", "agree with openvino", "one run:", "srcdoc="):
        assert part in text
    assert not re.search(r"""(?:src|href)=["'](?!#)(?:https?:|//)""", re.sub(r'srcdoc="[^"]*"', "", text))


def test_a_model_with_errors_has_its_findings_and_its_graph(tmp_path: Path) -> None:
    text = report(faulty(tmp_path), tmp_path / "wrong.html")
    assert HEADINGS.findall(text) == ["Findings", "Graph"]
    assert "IR302" in text


def test_nothing_is_run_unless_wanted(tmp_path: Path) -> None:
    text = report(DIGITS, tmp_path / "digits.html", "--no-run")
    assert HEADINGS.findall(text) == ["Model", "Findings", "Graph"]


def test_names_from_files_are_escaped(tmp_path: Path) -> None:
    text = DIGITS.read_text("utf-8").replace('"conv1"', '"&lt;script>alert(1)&lt;/script>&quot;"')
    (tmp_path / "a&b.xml").write_text(text, "utf-8")
    (tmp_path / "a&b.bin").write_bytes(DIGITS.with_suffix(".bin").read_bytes())
    page = report(tmp_path / "a&b.xml", tmp_path / "a.html", "-n", 1)
    assert "<script>alert" not in page
    assert "<h1>a&amp;b.xml</h1>" in page


def test_json(tmp_path: Path) -> None:
    out = tmp_path / "digits.html"
    result = CliRunner().invoke(app, ["report", str(DIGITS), "-o", str(out), "--no-run", "--json"])
    assert json.loads(result.stdout) == {"out": str(out)}


@needs_browser
def test_the_graph_is_drawn_and_nothing_spills_over(page: Path, tmp_path: Path) -> None:
    assert in_browser(page, "return document.documentElement.scrollWidth - innerWidth;", tmp_path) <= 0
    found = re.search(r'srcdoc="([^"]*)"', page.read_text("utf-8"))
    assert found is not None
    (tmp_path / "graph.html").write_text(unescape(found[1]), "utf-8")
    inked, text, *over = in_browser(tmp_path / "graph.html", SEEN, tmp_path)
    assert inked > 1000
    assert text > 50
    assert over == [0, 0]


@needs_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_picture(page: Path, tmp_path: Path, theme: str) -> None:
    assert picture(page, f"report-{theme}", "", tmp_path, *([DARK] if theme == "dark" else [])).is_file()


def test_what_a_notebook_shows(tmp_path: Path) -> None:
    shown = profile(ov.compile_model(DIGITS), runs=1)._repr_html_()
    assert "conv1" in shown
    assert "<rect" in shown
    findings = ov.validate(faulty(tmp_path)).findings
    assert ">error[IR302]</td>" in findings._repr_html_()
    assert findings[0]._repr_html_() == findings._repr_html_()
    assert ov.validate(DIGITS).findings._repr_html_() == "<div>no findings</div>"
