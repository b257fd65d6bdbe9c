"""Pictures of the page of `ir-plugin graph`, kept in `.artifacts/` to be looked at."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from tests.hostile.bases import choice, conv, loop
from tests.hostile.table import VARIANTS
from tests.report.test_graph import CLICK, draw, written
from tests.support.browser import DARK, SIZE, in_browser, needs_browser, picture
from tests.support.changed import DIGITS
from tests.support.residual import residual

pytestmark = needs_browser

NAMES = ("&lt;b>&amp;&quot;'", "emoji 🎉 λ", "long/" * 40 + "end", "tab&#9;newline&#10;end", "\u202eright to left")


Make = Callable[[Path], Path]
Pages = Callable[[Make], Path]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """Return what makes a page when it is first asked for."""
    written: dict[Make, Path] = {}

    def page(make: Make) -> Path:
        if make not in written:
            written[make] = make(tmp_path_factory.mktemp("page"))
        return written[make]

    return page


def classifier(folder: Path) -> Path:
    page = folder / "digits.html"
    np.save(folder / "images.npy", np.load(DIGITS.with_name("images.npy"))[:20])
    draw(DIGITS, "--out", page, "--input", f"images={folder / 'images.npy'}")
    return page


def wrong(folder: Path) -> Path:
    variant = VARIANTS["shapes and types: a wrong declared output dimension"]
    draw(written(folder, "wrong", variant.xml, conv().weights), "--out", folder / "wrong.html")
    return folder / "wrong.html"


def body(folder: Path) -> Path:
    base = loop()
    draw(written(folder, "loop", base.xml, base.weights), "--out", folder / "loop.html", "--run")
    return folder / "loop.html"


def branches(folder: Path) -> Path:
    base = choice()
    draw(written(folder, "if", base.xml, base.weights), "--out", folder / "if.html", "--run")
    return folder / "if.html"


def large(folder: Path) -> Path:
    draw(written(folder, "large", residual(500), b""), "--out", folder / "large.html")
    return folder / "large.html"


def odd_names(folder: Path) -> Path:
    text = residual(2)
    for index, name in enumerate(NAMES):
        text = text.replace(f'name="l{index + 1}"', f'name="{name}"')
    draw(written(folder, "odd", text, b""), "--out", folder / "odd.html", "--run")
    return folder / "odd.html"


PICTURES = {
    "classifier": (classifier, ""),
    "classifier-layer": (classifier, "irGraph.choose(2);"),
    "classifier-image": (classifier, "irGraph.choose(0);"),
    "classifier-dark": (classifier, "irGraph.choose(indexOf('Softmax'));"),
    "findings": (wrong, "key('n');"),
    "findings-all": (wrong, ""),
    "loop": (body, "click(indexOf('TensorIterator'));"),
    "loop-body": (body, "irGraph.open(1); irGraph.choose(2);"),
    "if": (branches, "irGraph.choose(2);"),
    "large": (large, "irGraph.choose(750);"),
    "odd-names": (odd_names, "irGraph.choose(3);"),
    "search": (
        classifier,
        "const field = document.getElementById('search'); field.focus(); field.value = 'conv';"
        "field.dispatchEvent(new Event('input'));",
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name: str, pages: Pages, tmp_path: Path) -> None:
    make, script = PICTURES[name]
    script = f"{CLICK} const indexOf = (type) => doc.graphs[0].nodes.findIndex((node) => node.type === type); {script}"
    path = picture(pages(make), f"graph-{name}", script, tmp_path, *([DARK] if "dark" in name else []))
    head = path.read_bytes()[:24]
    assert struct.unpack(">II", head[16:]) == SIZE


SEEN = """
irGraph.choose(3); irGraph.draw();
const view = document.querySelector("canvas"), column = document.getElementById("panel");
const pixels = view.getContext("2d").getImageData(0, 0, view.width, view.height).data;
let inked = 0;
for (let at = 3; at < pixels.length; at += 4) inked += pixels[at] > 0;
const over = [column.scrollWidth - column.clientWidth, document.documentElement.scrollWidth - innerWidth];
return [inked, column.innerText.length, ...over];
"""


@pytest.mark.parametrize("make", [classifier, wrong, body, branches, large, odd_names])
def test_nothing_is_empty_or_spills_over(make: Make, pages: Pages, tmp_path: Path) -> None:
    inked, text, *over = in_browser(pages(make), SEEN, tmp_path)
    assert inked > 1000
    assert text > 50
    assert over == [0, 0]


def test_drawings_of_bodies(tmp_path: Path) -> None:
    base = choice()
    model = written(tmp_path, "if", base.xml, base.weights)
    result = CliRunner().invoke(app, ["graph", str(model), "--out", str(tmp_path / "if.svg")])
    assert result.exit_code == 0
    text = (tmp_path / "if.svg").read_text("utf-8")
    assert picture(_page(tmp_path, text), "graph-if-svg", "", tmp_path).is_file()


def _page(folder: Path, svg: str) -> Path:
    page = folder / "svg.html"
    page.write_text(f"<html><body>{svg}</body></html>", "utf-8")
    return page
