"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from tests.support.verified import verify_after_every_pass

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
settings.register_profile(
    "fuzz", deadline=None, suppress_health_check=list(HealthCheck), max_examples=10_000, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

verify_after_every_pass()
