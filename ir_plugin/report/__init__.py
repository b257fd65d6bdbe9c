"""Views of a model, of a run and of a comparison, as data, text and HTML."""

from ir_plugin.report.compare import compare
from ir_plugin.report.comparison import ComparedOutput, Comparison
from ir_plugin.report.measures import Tolerance

__all__ = ["ComparedOutput", "Comparison", "Tolerance", "compare"]
