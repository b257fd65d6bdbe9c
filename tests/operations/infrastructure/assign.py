"""Assign-6 and Assign-3 keep a state, which one-layer samples cannot show."""

from __future__ import annotations

COVERED_BY = {("Assign", 6): "test_state.py", ("Assign", 3): "test_state.py"}
