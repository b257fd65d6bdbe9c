"""ReadValue-6 and ReadValue-3 keep a state, which one-layer samples cannot show."""

from __future__ import annotations

COVERED_BY = {("ReadValue", 6): "test_state.py", ("ReadValue", 3): "test_state.py"}
