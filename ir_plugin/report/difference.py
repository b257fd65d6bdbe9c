"""The structural difference of two models, as data, text and HTML."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

from ir_plugin.errors import require
from ir_plugin.openvino.api import Core, Model
from ir_plugin.openvino.surgery.changes import compare_graphs
from ir_plugin.report.difference_data import DifferenceData

ModelLike: TypeAlias = "Model | str | os.PathLike[str]"


class Difference(DifferenceData):
    """The changes from one model to another, in the order of the first; false where the models are equal."""

    def to_html(self) -> str:
        """Return the difference as a page."""
        from ir_plugin.report.difference_html import page_of

        return page_of(self)

    def __str__(self) -> str:
        from ir_plugin.report.difference_text import text_of

        return text_of(self)

    def _repr_html_(self) -> str:
        from ir_plugin.report.difference_html import cell_of

        return cell_of(self)


def diff(first: ModelLike, second: ModelLike, *, rt_info: bool = False) -> Difference:
    """Return the structural differences of two models or files: layers, edges, attributes, constants, shapes.

    Layers are matched by what they are computed from and what is computed from them; ids, the order of layers and their
    names do not count, tensor names do. A constant in half precision that is decompressed is one constant. Bodies are
    compared too. With `rt_info` runtime information counts as well.
    """
    comparison = compare_graphs(_model(first), _model(second), rt_info)
    return Difference(_name(first), _name(second), comparison.changes, comparison.consequences, comparison.layers)


def _model(source: ModelLike) -> Model:
    require(source, (Model, str, os.PathLike), "a model of ir_plugin or a path", "model")
    return source if isinstance(source, Model) else Core().read_model(Path(source), validate=False)


def _name(source: ModelLike) -> str:
    return source.name if isinstance(source, Model) else os.fspath(source)
