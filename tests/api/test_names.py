"""Every public name of OpenVINO's objects is ours as well, or is listed with what to use instead."""

from __future__ import annotations

import json
from types import ModuleType

import openvino
import pytest

import ir_plugin
from ir_plugin import errors
from ir_plugin.diagnostics.absent import ABSENT
from ir_plugin.errors import AbsentError, Error
from tests.api.models import WEIGHTS, two_inputs
from tests.api.names import PAGE, objects, public
from tests.support.changed import DIGITS

REFERENCE = PAGE.with_name("reference.md")


def test_every_name_is_offered_or_listed() -> None:
    for (owner, theirs), (_, ours) in zip(objects(openvino), objects(ir_plugin), strict=True):
        missing = public(theirs) - public(ours) - set(ABSENT.get(owner, {}))
        assert not missing, owner


def test_what_is_listed_is_not_offered() -> None:
    for owner, ours in objects(ir_plugin):
        assert not public(ours) & set(ABSENT.get(owner, {})), owner


def test_what_is_not_offered_says_what_to_use() -> None:
    seen = set()
    for owner, ours in objects(ir_plugin):
        for name in ABSENT.get(owner, {}):
            seen.add((owner, name))
            assert hasattr(ours, name) == isinstance(ours, ModuleType)
            with pytest.raises(AbsentError, match=f"{owner}.{name} is not offered: "):
                getattr(ours, name)()
        with pytest.raises(AttributeError) as caught:
            ours.nonsense_of_nobody  # noqa: B018 (the access is what fails)
        assert not isinstance(caught.value, AbsentError)
    assert seen == {(owner, name) for owner, names in ABSENT.items() for name in names}


def test_what_another_type_of_node_has_says_which() -> None:
    model = ir_plugin.Core().read_model(two_inputs(), WEIGHTS)
    relu = next(node for node in model.get_ordered_ops() if node.name == "relu")
    for name, owner in (("layout", "a Parameter or Result"), ("data", "a Constant")):
        assert not hasattr(relu, name)
        with pytest.raises(AbsentError, match=f'"relu" \\(Relu\\) has no {name}; only {owner} has it'):
            getattr(relu, name)


def test_every_error_is_public_and_on_the_page() -> None:
    classes = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Error)}
    assert {name for name in ir_plugin.__all__ if name in classes} == classes
    rows = [line.split("`")[1] for line in REFERENCE.read_text().splitlines() if line.startswith("| `")]
    assert {name for name in rows if name.endswith("Error")} == classes


def test_the_page_is_what_is_listed() -> None:
    from tests.api.names import page

    assert PAGE.read_text() == page()


def test_enumerations_are_openvinos() -> None:
    pairs = ((openvino.properties, ir_plugin.properties), *(
        (getattr(openvino.properties, name), getattr(ir_plugin.properties, name))
        for name in ("hint", "device", "log", "intel_auto", "intel_cpu", "intel_gpu")
    ))  # fmt: skip
    for theirs, ours in pairs:
        for name in (name for name in public(theirs) & public(ours) if hasattr(getattr(theirs, name), "__members__")):
            members = {key: int(value) for key, value in getattr(theirs, name).__members__.items()}
            assert {key: value.value for key, value in getattr(ours, name).__members__.items()} == members, name


def test_a_model_comes_back_from_bytes() -> None:
    compiled = ir_plugin.compile_model(DIGITS, config={"OPTIMIZE": False, "WINOGRAD": 2})
    data = compiled.export_model()
    assert data is not None
    again = ir_plugin.Core().import_model(data.getvalue(), config={"WINOGRAD": 0})
    assert (again.config["OPTIMIZE"], again.config["WINOGRAD"]) == (False, 0)
    assert repr(again.inputs) == repr(compiled.inputs)
    for broken in (b"", data.getvalue()[:40], data.getvalue()[:-1], data.getvalue() + b"x"):
        with pytest.raises(ir_plugin.ReadError):
            ir_plugin.Core().import_model(broken)
    for position in (60, 300, -1):
        damaged = bytearray(data.getvalue())
        damaged[position] ^= 1
        with pytest.raises(ir_plugin.ReadError):
            ir_plugin.Core().import_model(damaged)
    for wrong in (3, None):
        with pytest.raises(TypeError, match="'model_stream': bytes, or a binary file, is needed"):
            ir_plugin.Core().import_model(wrong)


@pytest.mark.parametrize(
    "settings",
    [b"[" * 100_000, b'{"a":' * 100_000, b'{"INFERENCE_NUM_THREADS": 1e400}', b'{"NUM_STREAMS": %s}' % (b"9" * 5000)],
)
def test_hostile_settings_of_an_exported_model_are_errors_of_ours(
    settings: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = ir_plugin.compile_model(DIGITS)
    monkeypatch.setattr(json, "dumps", lambda _value: settings.decode())
    data = compiled.export_model()
    assert data is not None
    with pytest.raises(ir_plugin.Error):
        ir_plugin.Core().import_model(data.getvalue())
