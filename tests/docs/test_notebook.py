"""The sample notebook runs, and each of its results shows itself as HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = Path(__file__).parents[2] / "samples" / "notebook" / "first_look.ipynb"
SHOWN = ("digits", "IR302", "probabilities", "conv1/relu", "ir-plugin-profile", "ir-plugin", "ir-plugin-diff")
"""A word of each result, in the order of the cells."""


@pytest.fixture(scope="module")
def executed() -> Any:
    notebook = nbformat.read(NOTEBOOK, 4)
    folder = {"metadata": {"path": str(NOTEBOOK.parent)}}
    return nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=folder).execute()


@pytest.mark.filterwarnings("default")
def test_every_result_is_a_table(executed: Any) -> None:
    pages = [
        output["data"].get("text/html", "")
        for cell in executed.cells
        for output in cell.get("outputs", ())
        if output["output_type"] == "execute_result"
    ]
    assert len(pages) == len(SHOWN)
    for page, word in zip(pages, SHOWN, strict=True):
        assert word in page


def test_the_notebook_is_kept_without_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, 4)
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in notebook.cells)
