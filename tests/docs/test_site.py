"""The site is built without a warning, where the extra `docs` is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.skips import NO_DOCS

pytest.importorskip("material", reason=NO_DOCS)
pytest.importorskip("mkdocstrings", reason=NO_DOCS)

ROOT = Path(__file__).parents[2]


def test_the_site_is_built(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for page in ("index.html", "tour/index.html", "reference/index.html", "operations/index.html"):
        assert (tmp_path / page).stat().st_size > 10_000
    assert "InferRequest" in (tmp_path / "reference/index.html").read_text("utf-8")
