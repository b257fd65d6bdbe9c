"""Layers that equal an earlier one are taken from it: with names, ids and findings of their own."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from ir_plugin import Core
from ir_plugin.reader.repeated import LayerContent
from ir_plugin.validation import check

DIMS = "<dim>1</dim><dim>4</dim>"


def clamp(id: int, *, high: str = "6", names: str = "", dims: str = DIMS, name: str = "") -> str:
    out = f'<port id="1" precision="FP32"{names}>{dims}</port>'
    return (
        f'<layer id="{id}" name="{name or f"clamp{id}"}" type="Clamp" version="opset1"><data min="0" max="{high}"/>'
        f'<input><port id="0">{DIMS}</port></input><output>{out}</output></layer>'
    )


def net(*layers: str) -> bytes:
    """Return a chain of layers between a Parameter and a Result."""
    last = len(layers) + 1
    parameter = (
        '<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,4" element_type="f32"/>'
        f'<output><port id="1" precision="FP32">{DIMS}</port></output></layer>'
    )
    result = (
        f'<layer id="{last}" name="r" type="Result" version="opset1"><input><port id="0">{DIMS}</port></input></layer>'
    )
    edges = "".join(f'<edge from-layer="{id}" from-port="1" to-layer="{id + 1}" to-port="0"/>' for id in range(last))
    text = f"<layers>{parameter}{''.join(layers)}{result}</layers><edges>{edges}</edges>"
    return f'<net name="n" version="11">{text}</net>'.encode()


def test_equal_layers_have_ids_and_names_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    write = LayerContent.write_to

    def write_to(*arguments: Any) -> None:
        taken.append(arguments[1].id)
        write(*arguments)

    monkeypatch.setattr(LayerContent, "write_to", write_to)
    layers = [clamp(1, names=' names="a,b"'), clamp(2, names=' names="c"'), clamp(3), clamp(4), clamp(5, high="7")]
    model = Core().read_model(net(*layers), b"")
    assert taken == ["2", "4"]
    nodes = {node.friendly_name: node for node in model.get_ops()}
    assert [nodes[f"clamp{id}"].outputs[0].names for id in range(1, 6)] == [{"a", "b"}, {"c"}, set(), set(), set()]
    assert [nodes[f"clamp{id}"].get_attributes()["max"] for id in range(1, 6)] == [6, 6, 6, 6, 7]
    nodes["clamp2"].attributes["max"] = "9"
    assert nodes["clamp1"].attributes["max"] == "6"


def test_each_faulty_layer_has_its_finding() -> None:
    faulty = [clamp(1, high="a"), clamp(2, high="a"), clamp(3, dims=DIMS + "<dim>b</dim>"), clamp(4)]
    findings = Core().validate(net(*faulty), b"").findings
    assert [finding.layer.name for finding in findings if finding.layer is not None][:2] == ["clamp1", "clamp2"]
    assert {finding.code for finding in findings} >= {"IR102", "IR111"}


def test_other_spellings_are_no_equal_layers() -> None:
    text = clamp(2).replace("<data ", "stray<data ")
    findings = Core().validate(net(clamp(1), text, clamp(3, dims="<dim>1</dim><dim>5</dim>")), b"").findings
    assert [finding.code for finding in findings] == ["IR107", "IR302"]


def test_the_collector_is_as_it_was_and_full_collections_come() -> None:
    data = net(*(clamp(id) for id in range(1, 3000)))
    Core().read_model(data, b"")
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    gc.disable()
    try:
        Core().read_model(data, b"")
        assert not gc.isenabled()
    finally:
        gc.enable()
    moved = check._COLLECTOR._full_collections
    Core().read_model(data, b"")
    assert check._COLLECTOR._full_collections in (moved, gc.get_stats()[-1]["collections"])
