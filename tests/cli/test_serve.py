"""`serve`: what has happened before the server is ready."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from ir_plugin import CompiledModel
from ir_plugin.cli.app import app
from ir_plugin.kernels.numba.availability import numba_installed
from tests.support.changed import DIGITS


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list that each inference, and a server that is ready, adds a word to; the server ends at once."""
    events: list[str] = []
    infer = CompiledModel.__call__

    def noted(compiled: CompiledModel, *arguments: Any) -> Any:
        results = infer(compiled, *arguments)
        events.append(f"run by {compiled.get_property('PROVIDER')}")
        return results

    monkeypatch.setattr(CompiledModel, "__call__", noted)
    monkeypatch.setattr("ir_plugin.serving.application", lambda model, *_, **__: model)
    monkeypatch.setattr("ir_plugin.serving.serve", lambda model, **_: events.append(f"ready, {type(model).__name__}"))
    return events


def test_a_warm_server_has_run_its_model_before_it_is_ready(events: list[str]) -> None:
    done = CliRunner().invoke(app, ["serve", str(DIGITS), "--warm"])
    assert done.exit_code == 0, done.output
    assert events == [f"run by {'numba' if numba_installed() else 'auto'}", "ready, CompiledModel"]


def test_another_server_runs_nothing_unasked(events: list[str]) -> None:
    assert CliRunner().invoke(app, ["serve", str(DIGITS)]).exit_code == 0
    assert [event.split(",")[0] for event in events] == ["ready"]
