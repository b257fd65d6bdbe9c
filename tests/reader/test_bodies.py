"""Layers of bodies are cached as those of the model, and bodies are read alike from the cache and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.model import Model
from ir_plugin.reader import graph
from ir_plugin.reader.layer_cache import CachedLayer, LayerCache
from tests.schema.test_plain_layers import described


def looped(inner: Any = None) -> ov.Model:
    """Return a Loop whose body adds and limits, and holds another layer with a body if there is one."""
    data, x, state = (ops.parameter([1, 4], np.float32) for _ in range(3))
    total = ops.clamp(ops.add(state, x), 0, 6)
    results = [total if inner is None else inner(total), ops.constant(np.array(True))]
    body = ov.Model([ops.result(value) for value in results], [x, state], "body")
    loop = ops.loop(ops.constant(np.int64(3)), ops.constant(np.array(True)))
    loop.set_function(body)
    loop.set_special_body_ports([-1, 1])
    loop.set_invariant_input(x, data.output(0))
    loop.set_merged_input(state, ops.constant(np.zeros((1, 4), np.float32)).output(0), body.results[0].output(0))
    return ov.Model([loop.get_iter_value(body.results[0].output(0), -1)], [data], "model")


def branched(data: Any) -> Any:
    """Return an If with two bodies of one layer."""
    branches = ops.if_op(ops.constant(np.array(True)))
    inputs = [ops.parameter([1, 4], np.float32) for _ in range(2)]
    bodies = [
        ov.Model([function(value)], [value]) for function, value in zip((ops.relu, ops.tanh), inputs, strict=True)
    ]
    branches.set_then_body(bodies[0])
    branches.set_else_body(bodies[1])
    branches.set_input(data.output(0), *inputs)
    return branches.set_output(*(body.results[0] for body in bodies))


def text_of(model: ov.Model, folder: Path) -> str:
    ov.serialize(model, folder / "model.xml")
    return (folder / "model.xml").read_text("utf-8")


def all_layers(model: Model) -> list[Any]:
    bodies = [subgraph.body for _, _, subgraph in model.bodies()]
    return [*model.nodes, *(node for body in bodies for node in all_layers(body))]


def read_twice(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Return the report of a text, read from the cache and without it."""
    (folder / "changed.xml").write_text(text, "utf-8")
    (folder / "changed.bin").write_bytes((folder / "model.bin").read_bytes())
    Core().validate(folder / "changed.xml")
    cached = Core().validate(folder / "changed.xml")
    with monkeypatch.context() as patched:
        patched.setattr(LayerCache, "get", lambda *_: None)
        return cached, Core().validate(folder / "changed.xml")


@pytest.mark.parametrize("inner", [None, branched], ids=["loop", "if in a loop"])
def test_layers_of_bodies_are_cached(inner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    new_node = CachedLayer.new_node

    def counted(layer: CachedLayer, text: Any) -> Any:
        made.append(text.name)
        return new_node(layer, text)

    text = text_of(looped(inner), tmp_path)
    monkeypatch.setattr(graph, "LAYERS", LayerCache())
    Core().validate(tmp_path / "model.xml")
    monkeypatch.setattr(CachedLayer, "new_node", counted)
    report = Core().validate(tmp_path / "model.xml")
    assert report.model is not None
    leaves = [node for node in all_layers(report.model) if not node.operation.subgraphs]
    assert sorted(made) == sorted(node.name for node in leaves)
    cached, anew = read_twice(text, tmp_path, monkeypatch)
    layers = all_layers(cached.model)
    parsed = all_layers(anew.model)
    assert [(node.path, node.span()) for node in layers] == [(node.path, node.span()) for node in parsed]
    leaves, parsed_leaves = ([node for node in nodes if not node.operation.subgraphs] for nodes in (layers, parsed))
    assert list(map(described, leaves)) == list(map(described, parsed_leaves))


def test_findings_in_bodies_have_their_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(looped(branched), tmp_path)
    before, relu, behind = text.partition('type="ReLU"')
    output, first, rest = behind.partition("<dim>4</dim>")
    changed = before + relu + output + "<dim>5</dim>" + rest
    cached, anew = read_twice(changed, tmp_path, monkeypatch)
    assert [str(finding) for finding in cached.findings] == [str(finding) for finding in anew.findings]
    (finding,) = cached.findings.errors
    assert finding.span.line == (before + relu + output).count("\n") + 1
    assert first


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<body>", "<body><!-- a comment -->"),
        ("<body>", '<body name="other">'),
        ("<then_body>", "text<then_body>"),
        ("</then_body>", "</then_body><then_body/>"),
        ("</else_body>", "</body>"),
        ("<else_body>", "<else_body/><other>"),
        ("<rt_info />\n\t\t\t</body>", '<rt_info><a value="1"/></rt_info></body>'),
        ("<then_body>", "<then_body><layers></layers>"),
        ('type="ReLU"', 'type="Relu"'),
    ],
)
def test_other_forms_are_read_alike(old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(looped(branched), tmp_path)
    assert old in text
    cached, anew = read_twice(text.replace(old, new), tmp_path, monkeypatch)
    assert [str(finding) for finding in cached.findings] == [str(finding) for finding in anew.findings]
    assert (cached.model is None) == (anew.model is None)


def test_a_body_is_inferred_again_for_other_parameters(tmp_path: Path) -> None:
    """Its state grows from iteration to iteration, so that its length is dynamic from the second inference on."""
    x, state = ops.parameter([1, 4], np.float32), ops.parameter([-1, 4], np.float32)
    body = ov.Model([ops.concat([ops.relu(state), x], 0), ops.constant(np.array(True))], [x, state], "body")
    data = ops.parameter([1, 4], np.float32)
    loop = ops.loop(ops.constant(np.int64(3)), ops.constant(np.array(True)))
    loop.set_function(body)
    loop.set_special_body_ports([-1, 1])
    loop.set_invariant_input(x, data.output(0))
    loop.set_merged_input(state, data.output(0), body.results[0].output(0))
    text_of(ov.Model([loop.get_iter_value(body.results[0].output(0), -1)], [data], "model"), tmp_path)
    for _ in range(3):
        model = Core().read_model(tmp_path / "model.xml")
        assert not Core().validate(tmp_path / "model.xml").findings
        theirs = ov.Core().read_model(tmp_path / "model.xml")
        assert str(model.outputs[0].partial_shape) == str(theirs.output().partial_shape)
        relu = next(node for node in all_layers(model) if node.type == "ReLU")
        assert str(relu.outputs[0].partial_shape) == "[?,4]"
