"""What all tests share: profiles of hypothesis, and what may not be missing where CI runs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Mapping
from importlib.util import find_spec
from random import Random
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from ir_plugin.compiler.selection.kernel import PROVIDERS
from ir_plugin.kernels.numba.availability import numba_fault
from ir_plugin.kernels.numba.provider import NUMBA
from tests.support.skips import refusal
from tests.support.verified import verify_after_every_pass

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

settings.register_profile(
    "default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], max_examples=60
)
settings.register_profile(
    "fuzz", deadline=None, suppress_health_check=list(HealthCheck), max_examples=10_000, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

verify_after_every_pass()

sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
"""OpenVINO's converter does without it; it sends what tests do over the network, in threads of its own."""


def pytest_configure() -> None:
    """Refuse an environment in which `dev.py` tests one provider and plans would use the other."""
    provider = os.environ.get("PROVIDER_UNDER_TEST")
    if provider == "numpy" and find_spec("numba") is not None:
        raise pytest.UsageError("NumPy's kernels are to be tested, and numba is installed here; python3 dev.py test")
    fault = numba_fault() if provider == "numba" else None
    if fault is not None:
        raise pytest.UsageError(f"compiled kernels are to be tested, and cannot be used: {fault}")
    if provider == "numba":
        PROVIDERS["auto"] = NUMBA  # what a test compiles is tested, whatever is in the cache


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffle the tests by the seed in TEST_ORDER, so that each holds whatever ran before it."""
    if os.environ.get("TEST_ORDER"):
        Random(os.environ["TEST_ORDER"]).shuffle(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Spare the collector the tests and modules, of which each full collection would visit a million objects."""
    for module in {item.module for item in session.items if isinstance(item, pytest.Function)}:
        if isinstance(generator := vars(module).get("RNG"), np.random.Generator):
            INITIAL[module] = generator, generator.bit_generator.state
    gc.collect()
    gc.freeze()


INITIAL: dict[ModuleType, tuple[np.random.Generator, Mapping[str, Any]]] = {}
"""The generator `RNG` of each module of tests, with its state after the import."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let every test draw the same numbers, whatever ran before it."""
    if isinstance(item, pytest.Function) and item.module in INITIAL:
        generator, state = INITIAL[item.module]
        generator.bit_generator.state = state


def counted(report: Report) -> Report:
    """Return the report of a test or of a file, failed in CI where it is skipped for a reason that is not allowed."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        fault = refusal(reason)
        if fault is not None:
            report.outcome, report.longrepr = "failed", fault
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count the skips of tests."""
    return counted((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Count the skips of whole files."""
    return counted((yield))
