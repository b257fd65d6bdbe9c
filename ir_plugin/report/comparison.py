"""A comparison of a run with a reference, as data, text and HTML."""

from __future__ import annotations

from ir_plugin.report.comparison_data import ComparisonData


class Comparison(ComparisonData):
    """How a run of a model compares with a reference, layer by layer."""

    def to_html(self) -> str:
        """Return the comparison as a page."""
        from ir_plugin.report.comparison_html import page_of

        return page_of(self)

    def __str__(self) -> str:
        from ir_plugin.report.comparison_text import text_of

        return text_of(self)

    def _repr_html_(self) -> str:
        from ir_plugin.report.comparison_html import cell_of

        return cell_of(self)
