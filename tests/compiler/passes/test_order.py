"""Each pass says which one it follows, and none is left out."""

from __future__ import annotations

import pkgutil

import pytest

from ir_plugin.compiler import pass_order, passes
from ir_plugin.compiler.graph import Graph


def test_every_module_of_passes_has_its_place() -> None:
    assert sorted(passes.PASSES) == sorted(module.name for module in pkgutil.iter_modules(passes.__path__))


def test_a_pass_runs_directly_after_the_one_that_it_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    def added(graph: Graph) -> None:
        raise NotImplementedError(graph)

    before = list(passes.PASSES)
    monkeypatch.setattr(pass_order, "_PARTS", pass_order._PARTS.copy())
    monkeypatch.setattr(pass_order, "_FOLLOWERS", pass_order._FOLLOWERS.copy())
    pass_order._FOLLOWERS["power_to_multiply"] = {*pass_order._FOLLOWERS["power_to_multiply"]}
    added.__module__ = "zebra"
    pass_order.follows("power_to_multiply")(added)
    at = before.index("power_to_multiply") + 1
    assert list(pass_order.ordered_passes()) == [*before[:at], "zebra", *before[at:]]
