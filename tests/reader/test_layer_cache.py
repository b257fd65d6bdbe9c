"""Layers of equal texts are read once in a process, with names, ids and findings of their own."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from ir_plugin import Core
from ir_plugin.reader import graph, layer_cache
from ir_plugin.reader.layer_cache import CachedLayer, LayerCache
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
    new_node = CachedLayer.new_node

    def counted(layer: CachedLayer, text: Any) -> Any:
        taken.append(text.name)
        return new_node(layer, text)

    monkeypatch.setattr(CachedLayer, "new_node", counted)
    cache = LayerCache()
    monkeypatch.setattr(graph, "LAYERS", cache)
    layers = [clamp(1, names=' names="a,b"'), clamp(2, names=' names="c"'), clamp(3), clamp(4), clamp(5, high="7")]
    model = Core().read_model(net(*layers), b"")
    assert taken == ["clamp2", "clamp4"]
    assert len(cache._layers) == 5
    again = Core().read_model(net(*layers), b"")
    assert taken == ["clamp2", "clamp4", "x", *(f"clamp{id}" for id in range(1, 6)), "r"]
    assert {*map(id, model.get_ops())}.isdisjoint(map(id, again.get_ops()))
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
    data, frozen = net(*(clamp(id) for id in range(1, 3000))), gc.get_freeze_count()
    Core().read_model(data, b"")
    assert gc.isenabled()
    assert gc.get_freeze_count() <= frozen
    gc.disable()
    try:
        Core().read_model(data, b"")
        assert not gc.isenabled()
    finally:
        gc.enable()
    moved = check._COLLECTOR._full_collections
    Core().read_model(data, b"")
    assert check._COLLECTOR._full_collections in (moved, gc.get_stats()[-1]["collections"])


def test_a_text_with_a_finding_has_it_each_time() -> None:
    layers = [clamp(1).replace(' precision="FP32"', ""), clamp(2)]
    for _ in range(2):
        findings = Core().validate(net(*layers), b"").findings
        assert [(finding.code, finding.severity) for finding in findings] == [("IR103", "warning")]


def test_what_is_written_between_quotes_is_read_as_the_parser_does() -> None:
    for _ in range(2):
        model = Core().read_model(net(clamp(1, names=' names="a&amp;b,c"'), clamp(2, name="&lt;x&gt;")), b"")
        assert [node.friendly_name for node in model.get_ordered_ops()] == ["x", "clamp1", "<x>", "r"]
        assert model.get_ordered_ops()[1].outputs[0].names == {"a&b", "c"}
    for name in ("a<b", "a&b"):
        findings = Core().validate(net(clamp(1, name=name)), b"").findings
        assert [finding.code for finding in findings] == ["IR002"]


def test_findings_of_shapes_have_their_lines() -> None:
    text = net(clamp(1), clamp(2), clamp(3, dims="<dim>1</dim><dim>5</dim>"))
    lines = text.replace(b"<layer ", b"\n<layer ")
    findings = Core().validate(lines, b"").findings
    assert [(finding.code, finding.span.line) for finding in findings] == [("IR302", 5)]


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = LayerCache()
    monkeypatch.setattr(graph, "LAYERS", cache)
    monkeypatch.setattr(layer_cache, "_MAX_LAYERS", 8)
    model = Core().read_model(net(*(clamp(id, high=str(id)) for id in range(1, 100))), b"")
    assert len(model.get_ops()) == 101
    assert len(cache._layers) <= 8
