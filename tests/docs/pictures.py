"""Write the pictures of the README from real runs: `python -m tests.docs.pictures`; the PNGs need Chromium."""

from __future__ import annotations

import io
import os
import re
import tempfile
from pathlib import Path
from shutil import copyfile

import numpy as np
from click.testing import CliRunner
from rich.console import Console
from rich.text import Text

from ir_plugin.cli.app import app
from tests.support.browser import CHROMIUM, picture
from tests.support.changed import DIGITS, change_weight

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
SAMPLES = DIGITS.parents[1]
SIZES = {"graph": (1100, 620), "comparison": (1100, 620)}
_COLUMNS = 96
_PORT = 'names="gathered">\n          <dim>3</dim>\n          <dim>10</dim>'


def finding() -> str:
    """Return what `ir-plugin check` prints of a wrong dimension, as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        broken = Path(folder) / "broken.xml"
        text = (SAMPLES / "gather_elements" / "gather_elements.xml").read_text("utf-8")
        broken.write_text(text.replace(_PORT, _PORT.replace("10", "12")), "utf-8")
        result = CliRunner().invoke(app, ["check", str(broken)], env={"FORCE_COLOR": "1", "COLUMNS": "200"}, color=True)
        printed = result.output.replace(f"{folder}/", "").rstrip()
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ ir-plugin check broken.xml", style="bold"))
    console.print(Text.from_ansi(printed))
    svg = console.export_svg(title="ir-plugin check", unique_id="finding")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL).strip() + "\n"


def pages(folder: Path) -> dict[str, tuple[Path, str]]:
    """Write the pages that are pictured, and return each with the script that runs before its picture."""
    np.save(folder / "images.npy", np.load(DIGITS.with_name("images.npy"))[:20])
    for path in (DIGITS, DIGITS.with_suffix(".bin")):
        copyfile(path, folder / path.name)
    change_weight(DIGITS, "conv2/weight", 77, 0.5, folder / "changed.xml")
    before = Path.cwd()
    os.chdir(folder)
    try:
        _run("graph digits.xml --input images.npy --out graph.html", 0)
        _run("compare changed.xml --with digits.xml --input images=images.npy --html comparison.html", 1)
    finally:
        os.chdir(before)
    return {"graph": (folder / "graph.html", "irGraph.choose(4);"), "comparison": (folder / "comparison.html", "")}


def _run(command: str, status: int) -> None:
    result = CliRunner().invoke(app, command.split())
    if result.exit_code != status:
        raise SystemExit(result.output)


def write(folder: Path) -> None:
    """Write all pictures to a folder."""
    folder.mkdir(exist_ok=True)
    (folder / "finding.svg").write_text(finding(), "utf-8")
    if CHROMIUM is None:
        raise SystemExit("the PNGs need Chromium, which is not installed")
    with tempfile.TemporaryDirectory() as name:
        for title, (page, script) in pages(Path(name)).items():
            size = ",".join(map(str, SIZES[title]))
            shot = picture(page, f"readme-{title}", script, Path(name), f"--window-size={size}")
            (folder / f"{title}.png").write_bytes(shot.read_bytes())


if __name__ == "__main__":
    write(FOLDER)
