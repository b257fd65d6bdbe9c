"""The reasons for which CI may skip a test; any other skip fails there."""

from __future__ import annotations

import os

import pytest

from ir_plugin.kernels.numba.availability import numba_installed

COMPILED = "numba compiles what is tested, and is not installed"
ROOT = "root may read everything"
NO_DOCS = "the extra docs is not installed"
NO_CLUSTERS = "the extra clusters is not installed"
NO_AMX = "the processor has no AMX; test_integers.py holds the same products in registers"
NO_TEXT = "the extra text is not installed"

needs_numba = pytest.mark.skipif(not numba_installed(), reason=COMPILED)
not_as_root = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason=ROOT)


def allowed() -> list[str]:
    """Return the reasons that CI accepts; the one for want of numba only in the run with NumPy alone."""
    compiled = [COMPILED] if os.environ.get("PROVIDER_UNDER_TEST") != "numba" else []
    return [*compiled, ROOT, NO_DOCS, NO_CLUSTERS, NO_AMX, NO_TEXT]


def refusal(reason: str) -> str | None:
    """Return why CI refuses a skip for this reason, or None where it is allowed."""
    if any(text in reason for text in allowed()):
        return None
    return f"with CI=true nothing is skipped but for: {'; '.join(allowed())}; this is skipped: {reason}"
