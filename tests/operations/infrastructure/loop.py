"""Loop-5 has bodies, which one-layer samples cannot show."""

from __future__ import annotations

COVERED_BY = {("Loop", 5): "test_control_flow.py"}
