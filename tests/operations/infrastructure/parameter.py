"""Parameter-1 is part of every sample."""

from __future__ import annotations

COVERED_BY = {("Parameter", 1): "test_samples.py"}
