"""The modules of passes have the names of OpenVINO's."""

from __future__ import annotations

from importlib import import_module

import pytest


@pytest.mark.parametrize("module", ["passes", "passes.manager", "passes.graph_rewrite", "_offline_transformations"])
def test_the_modules_have_openvinos_names(module: str) -> None:
    pytest.importorskip("openvino")
    theirs, ours = import_module(f"openvino.{module}"), import_module(f"ir_plugin.{module}")
    internal = {"GraphRewriteBase", "BackwardGraphRewriteBase", "ManagerBase"}
    assert {name for name in dir(theirs) if not name.startswith("_")} - internal - set(dir(ours)) == set()


def test_the_methods_are_openvinos() -> None:
    pytest.importorskip("openvino")
    theirs, ours = import_module("openvino.passes"), import_module("ir_plugin.passes")
    classes = ["Matcher", "MatcherPass", "ModelPass", "GraphRewrite", "BackwardGraphRewrite", "Manager", "PassBase"]
    for name in classes:
        public = {method for method in dir(getattr(theirs, name)) if not method.startswith("_")}
        assert public - set(dir(getattr(ours, name))) == set(), name
