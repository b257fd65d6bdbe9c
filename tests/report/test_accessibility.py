"""Pages of models without a mouse, with poor sight, in the dark and at 200 %."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from ir_plugin.cli.app import app
from ir_plugin.report.page import STYLE
from tests.report.test_graph import CLICK, written
from tests.support.browser import DARK, in_browser, needs_browser, picture
from tests.support.changed import DIGITS, change_weight
from tests.support.decoder import WEIGHTS, decoder

TWICE = ("--force-device-scale-factor=2", "--window-size=700,450")
"""The window of 1400 x 900 pixels at 200 %."""
PALETTES = {
    theme: dict(re.findall(r"--(\w+): (#[0-9a-f]+)", text))
    for theme, text in zip(("light", "dark"), STYLE.split("@media"), strict=True)
}


def luminance(color: str) -> float:
    """Return the relative luminance of a colour as WCAG defines it."""
    digits = color.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    channels = np.array([int(digits[at : at + 2], 16) for at in (0, 2, 4)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", PALETTES)
def test_text_has_the_contrast_of_wcag_aa(theme: str) -> None:
    colors = PALETTES[theme]
    for name in ("fore", "soft", "bad", "good", "accent"):
        assert contrast(colors[name], colors["back"]) >= 4.5, name
    for name in ("fore", "bad"):
        assert contrast(colors[name], colors["badback"]) >= 4.5, name


def graph(folder: Path) -> Path:
    return _page(folder, "graph", DIGITS, "--run")


def groups(folder: Path) -> Path:
    return _page(folder, "graph", written(folder, "decoder", decoder(12, 60), WEIGHTS))


def report(folder: Path) -> Path:
    return _page(folder, "report", DIGITS, "--with", change_weight(DIGITS, "conv2/weight", 77, 0.5, folder / "c.xml"))


def comparison(folder: Path) -> Path:
    page, changed = folder / "comparison.html", change_weight(DIGITS, "conv2/weight", 77, 0.5, folder / "c.xml")
    CliRunner().invoke(app, ["compare", str(changed), "--with", str(DIGITS), "--html", str(page)])
    return page


def _page(folder: Path, verb: str, model: Path, *options: object) -> Path:
    page = folder / f"{verb}.html"
    result = CliRunner().invoke(app, [verb, str(model), "--out", str(page), *map(str, options)])
    assert result.exit_code == 0, result.output
    return page


PAGES = (graph, groups, report, comparison)
SEEN = """
const shown = [...document.querySelectorAll("button, input, a, label, h1, h2")].filter((item) => item.offsetParent);
const cut = shown.filter((item) => {
  const box = item.getBoundingClientRect();
  return box.right > innerWidth + 1 || box.left < -1;
}).map((item) => item.outerHTML);
const panel = document.getElementById("panel") || document.body;
return [Math.max(document.documentElement.scrollWidth - innerWidth, panel.scrollWidth - panel.clientWidth), cut];
"""


@needs_browser
@pytest.mark.parametrize("make", PAGES)
def test_nothing_is_cut_off_at_200_percent(make: Callable[[Path], Path], tmp_path: Path) -> None:
    over, cut = in_browser(make(tmp_path), SEEN, tmp_path, "", *TWICE)
    assert over <= 0
    assert cut == []


@needs_browser
@pytest.mark.parametrize("make", PAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_at_200_percent(make: Callable[[Path], Path], theme: str, tmp_path: Path) -> None:
    flags = [*TWICE, *([DARK] if theme == "dark" else [])]
    assert picture(make(tmp_path), f"200-{make.__name__}-{theme}", "", tmp_path, *flags).is_file()


NAMES = """
const all = [...document.querySelectorAll("button, input, a, canvas, svg, img, iframe, [tabindex]")];
const named = (item) => item.innerText || item.getAttribute("aria-label") || item.title || item.alt;
const unnamed = all.filter((item) => !named(item) && !item.closest("label, [aria-hidden]"));
const mouse = [...document.querySelectorAll("a:not([href])")].filter((item) => item.tabIndex < 0);
const texts = (items) => items.map((item) => item.outerHTML.slice(0, 200));
return [texts(unnamed), texts(mouse), document.documentElement.lang];
"""


@needs_browser
@pytest.mark.parametrize("make", PAGES)
def test_everything_has_a_name_and_can_be_reached_by_keys(make: Callable[[Path], Path], tmp_path: Path) -> None:
    assert in_browser(make(tmp_path), NAMES, tmp_path) == [[], [], "en"]


@needs_browser
def test_keys_alone_reach_layers_groups_and_the_panel(tmp_path: Path) -> None:
    script = """
    const canvas = document.getElementById("view"); canvas.focus();
    key("ArrowDown"); key("ArrowDown"); key("Enter");
    const focused = document.activeElement === canvas, layer = chosen();
    const fold = document.querySelector("#panel button"); fold.focus();
    const reached = document.activeElement === fold; fold.click();
    return [focused, layer, reached, irGraph.state.layout.count, document.activeElement === canvas];
    """
    seen = in_browser(groups(tmp_path), CLICK + script, tmp_path)
    assert seen == [True, "__module.model.layers.0.mlp.0/aten::relu/Relu", True, 14, True]
