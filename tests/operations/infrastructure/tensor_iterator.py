"""TensorIterator-1 has bodies, which one-layer samples cannot show."""

from __future__ import annotations

COVERED_BY = {("TensorIterator", 1): "test_control_flow.py"}
