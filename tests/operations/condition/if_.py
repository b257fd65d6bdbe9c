"""If-8 has bodies, which one-layer samples cannot show."""

from __future__ import annotations

COVERED_BY = {("If", 8): "infrastructure/test_control_flow.py"}
