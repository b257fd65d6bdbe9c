"""A ranking of quantizers, as data, text and HTML."""

from __future__ import annotations

from ir_plugin.report.ranking_data import RankingData


class Ranking(RankingData):
    """The quantizers of a model, the worst first."""

    def to_html(self) -> str:
        """Return the ranking as a page."""
        from ir_plugin.report.ranking_text import page_of

        return page_of(self)

    def __str__(self) -> str:
        from ir_plugin.report.ranking_text import text_of

        return text_of(self)

    def _repr_html_(self) -> str:
        from ir_plugin.report.ranking_text import fragment_of

        return fragment_of(self)
