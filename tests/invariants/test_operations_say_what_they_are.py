"""Invariant 2: what an operation is, it says itself, wherever its class is written."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

import ir_plugin
from ir_plugin.compiler import passes
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.base import Operation
from ir_plugin.operations.registry import Registry

SOURCES = sorted(Path(ir_plugin.__file__).parent.rglob("*.py"))


def test_no_code_asks_for_the_module_of_a_class() -> None:
    assert len(SOURCES) > 900
    texts = {str(path): path.read_text("utf-8") for path in SOURCES}
    asking = ("__module__.startswith", 'startswith("ir_plugin')
    wrong = [path for path, text in texts.items() if any(question in text for question in asking)]
    assert not wrong, "\n".join(wrong)


def test_operations_of_passes_have_types_of_their_own() -> None:
    for module in pkgutil.iter_modules(passes.__path__):
        for value in vars(import_module(f"{passes.__name__}.{module.name}")).values():
            if (
                isinstance(value, type)
                and issubclass(value, Operation)
                and value.__module__.startswith(passes.__name__)
            ):
                assert value.is_internal, value
                assert value.type == value.__name__
                assert Registry().resolve(value.type, "opset13") is None


def test_an_extension_that_replaces_a_built_in_operation_is_no_built_in_operation() -> None:
    class OwnClamp(Clamp, version="opset1", type="Clamp"):
        """A Clamp of a user's."""

    Registry().add(OwnClamp, "test")
    assert not OwnClamp.is_built_in
    assert Clamp.is_built_in
