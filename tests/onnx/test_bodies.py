"""If, Loop and Scan, held against onnxruntime; functions of the model inside and around them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import onnx

import ir_plugin as ov
from ir_plugin import onnx_backend
from ir_plugin.model import MAX_BODIES
from tests.onnx.judged import judge, of_text

X = np.arange(6, dtype=np.float32).reshape(2, 3)
TRUE, FALSE = np.array(True), np.array(False)

IF = """agraph (float[2, 3] x, bool c) => (float[N, M] y, float[K] z) {
    two = Constant <value = float {2.0}> ()
    outer = Mul(x, two)
    y, z = If (c) <
        then_branch = then () => (float[N, M] a, float[K] b) {
            a = Add(outer, two)  s = Constant <value = int64[1] {-1}> () b = Reshape(x, s) },
        else_branch = other () => (float[N, M] a, float[K] b) {
            a = Identity(x)  b = Constant <value = float[1] {7.0}> () }
    >
}"""
NESTED = """agraph (float[2, 3] x, bool c) => (float[N, M] y) {
    y = If (c) <
        then_branch = then () => (float[N, M] a) {
            a = If (c) < then_branch = g () => (float[N, M] p) {
                p = Neg(x) }, else_branch = h () => (float[N, M] q) { q = Abs(x) } >
        },
        else_branch = other () => (float[N, M] a) { a = Identity(x) }
    >
}"""
LOOP = """agraph (int64 n, bool c, float[2, 3] x) => (float[2, 3] y, float[K, 2, 3] steps, int64[K] counts) {
    limit = Constant <value = float {100.0}> ()
    y, steps, counts = Loop (n, c, x) <
            body = b (int64 i, bool go, float[2, 3] v) => (bool on, float[2, 3] w, float[2, 3] s, int64 k) {
        d = Add(v, v)  w = Add(d, x)
        total = ReduceSum <keepdims = 0> (w)  on = Less(total, limit)  s = Identity(v) k = Identity(i)
    }>
}"""
GROWING = """agraph (int64 n, float[1, 2] x) => (float[K, 2] y) {
    y = Loop (n, , x) <body = b (int64 i, bool go, float[K, 2] v) => (bool on, float[J, 2] w) {
        on = Identity(go) w = Concat <axis = 0> (v, x) }>
}"""
RANKS = """agraph (int64 n, float[2] x) => (float y) {
    v = Loop (n, , x) <body = b (int64 i, bool go, float v) => (bool on, float w) {
        on = Identity(go)  axes = Constant <value = int64[1] {0}> ()  w = Unsqueeze(v, axes)
    }>
    y = ReduceSum <keepdims = 0> (v)
}"""
SEQUENCES = """agraph (int64 n, float[2] x) => (float[K] y, int64 m) {
    empty = SequenceEmpty ()
    s = Loop (n, , empty) <body = b (int64 i, bool go, seq(float[K]) v) => (bool on, seq(float[K]) w) {
        on = Identity(go)  k = Cast <to = 1> (i)  item = Mul(x, k)  w = SequenceInsert(v, item)
    }>
    y = ConcatFromSequence <axis = 0> (s)
    m = SequenceLength(s)
}"""
SCAN = """agraph (float[2] a, float[3, 2] x, float[2, 3] z) => (float[2] last, float[3, 2] sums, float[2, 3] back) {
    last, sums, back = Scan <num_scan_inputs = 2, scan_input_axes = [0, -1], scan_input_directions = [0, 1],
            scan_output_axes = [0, -1], scan_output_directions = [1, 0],
            body = b (float[2] s, float[2] u, float[2] v) => (float[2] t, float[2] o, float[2] p) {
        t = Add(s, u)  o = Add(t, v)  p = Mul(v, a)
    }> (a, x, z)
}"""
EITHER = """agraph (bool c, float[2] x) => (float[K] y) {
    s = If (c) <
        then_branch = then () => (seq(float[K]) a) { a = SequenceConstruct(x, x) },
        else_branch = other () => (seq(float[K]) a) { a = SequenceConstruct(x) }
    >
    y = ConcatFromSequence <axis = 0> (s)
}"""


def i64(number: int) -> Any:
    return np.array(number, np.int64)


A = np.array([1, -1], np.float32)
CASES: list[tuple[str, dict[str, Any]]] = [
    (IF, {"x": X, "c": TRUE}),
    (IF, {"x": X, "c": FALSE}),
    (NESTED, {"x": X, "c": TRUE}),
    (NESTED, {"x": X, "c": FALSE}),
    (LOOP, {"n": i64(10), "c": TRUE, "x": X}),
    (LOOP, {"n": i64(2), "c": TRUE, "x": X}),
    (LOOP, {"n": i64(0), "c": TRUE, "x": X}),
    (LOOP, {"n": i64(3), "c": FALSE, "x": X}),
    (GROWING, {"n": i64(3), "x": X[:1, :2]}),
    (GROWING, {"n": i64(0), "x": X[:1, :2]}),
    (SEQUENCES, {"n": i64(3), "x": A}),
    (SCAN, {"a": A, "x": X.reshape(3, 2), "z": X}),
    (EITHER, {"c": TRUE, "x": A}),
    (EITHER, {"c": FALSE, "x": A}),
]


@pytest.mark.parametrize(("text", "feeds"), CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("opset", [13, 16, 19, 21])
def test_as_in_onnxruntime(text: str, feeds: dict[str, Any], opset: int) -> None:
    judge(of_text(text, ir_version=10, opset=opset), feeds)


def test_a_state_may_change_its_rank() -> None:
    outputs = onnx_backend.run_model(of_text(RANKS), {"n": i64(3), "x": A})
    np.testing.assert_array_equal(outputs[0], 0)


def test_scan_8_runs_each_entry_of_a_batch_and_its_own_length() -> None:
    text = """agraph (int64[2] lengths, float[2, 2] a, float[2, 3, 2] x) => (float[2, 2] last, float[2, 3, 2] sums) {
        last, sums = Scan <num_scan_inputs = 1, directions = [1],
            body = b (float[2] s, float[2] u) => (float[2] t, float[2] o) {
            t = Add(s, u)  o = Identity(t)
        }> (lengths, a, x)
    }"""
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    feeds = {"lengths": np.array([3, 2], np.int64), "a": np.zeros((2, 2), np.float32), "x": x}
    last, sums = onnx_backend.run_model(of_text(text, opset=8), feeds)
    np.testing.assert_array_equal(last, [x[0].sum(0), x[1, :2].sum(0)])
    np.testing.assert_array_equal(sums[0], np.cumsum(x[0, ::-1], 0))
    np.testing.assert_array_equal(sums[1], [*np.cumsum(x[1, 1::-1], 0), [0, 0]])


def test_a_loop_without_end_is_refused() -> None:
    text = """agraph (float[2] x) => (float[2] y) {
        y = Loop (, , x) <body = b (int64 i, bool go, float[2] v) => (bool on, float[2] w) {
            on = Identity(go) w = Neg(v) }>
    }"""
    with pytest.raises(ov.Error, match="never ends"):
        onnx_backend.run_model(of_text(text), [A])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            IF.replace("other () => (float[N, M] a, float[K] b)", "other () => (float[N, M] a)"),
            "then_branch has 2 outputs",
        ),
        (LOOP.replace("(int64 i, bool go, float[2, 3] v)", "(int64 i, bool go)"), "graph 'body' has 2 inputs"),
        (SCAN.replace("num_scan_inputs = 2", "num_scan_inputs = 4"), "num_scan_inputs is 4"),
        (SCAN.replace("[0, -1], scan_input_d", "[0, 2], scan_input_d"), "scan_input_axes is 2"),
        (SCAN.replace("scan_output_directions = [1, 0]", "scan_output_directions = [1]"), "has 1 elements"),
    ],
)
def test_graphs_that_do_not_fit_are_refused(text: str, says: str) -> None:
    with pytest.raises(ov.Error, match=says):
        ov.Core().read_model(of_text(text))


FUNCTIONS = """<ir_version: 9, opset_import: ["" : 17, "local" : 1]>
agraph (float[2, 3] x, bool c) => (float[2, 3] y) {
    y = If (c) <
        then_branch = then () => (float[2, 3] a) { a = local.outer <slope = 0.5> (x) },
        else_branch = other () => (float[2, 3] a) { a = local.outer (x) }
    >
}
<domain: "local", opset_import: ["" : 17, "local" : 1]>
outer <slope : float = 0.25> (x) => (y) { z = local.inner <alpha : float = @slope> (x)  y = Add(z, x) }
<domain: "local", opset_import: ["" : 17]>
inner <alpha> (x) => (y) { n = Neg(x)  y = LeakyRelu <alpha : float = @alpha> (n) }
"""


@pytest.mark.parametrize("condition", [True, False])
def test_functions_in_bodies_call_functions_with_attributes(condition: bool) -> None:
    judge(onnx.parser.parse_model(FUNCTIONS), {"x": X, "c": np.array(condition)})


def nested(depth: int) -> str:
    """Return loops inside each other, each of which makes its state longer."""
    if not depth:
        return "w0 = Concat <axis = 0> (v0, x)"
    return f"""w{depth} = Loop (n, , v{depth}) <body = b{depth} (int64 i{depth}, bool go{depth}, float[A] v{depth - 1})
        => (bool on{depth}, float[B] w{depth - 1}) {{ {nested(depth - 1)} on{depth} = Identity(go{depth}) }}>"""


@pytest.mark.parametrize("depth", [3, 20])
def test_loops_are_nested(depth: int) -> None:
    text = f"agraph (int64 n, float[2] x) => (float[N] w{depth}) {{ v{depth} = Identity(x) {nested(depth)} }}"
    assert onnx_backend.run_model(of_text(text), {"n": i64(1), "x": A})[0].tolist() == [*A, *A]


def test_loops_whose_states_all_grow_take_no_exponential_time(tmp_path: Path) -> None:
    inside = re.sub(r"\(n, , v\d+\)", "(n, , x)", nested(31))
    proto = of_text(f"agraph (int64 n, float[2] x) => (float[N] w31) {{ {inside} }}")
    onnx.save(proto, tmp_path / "grows.onnx")
    ov.save_model(ov.convert_model(tmp_path / "grows.onnx"), tmp_path / "grows.xml")
    assert ov.validate(tmp_path / "grows.xml").ok
    assert ov.Core().compile_model(tmp_path / "grows.xml")([i64(1), A])[0].tolist() == [*A, *A]


def choices(depth: int, inmost: str) -> str:
    """Return Ifs inside each other, whose innermost branch has one node."""
    if not depth:
        return f"w0 = {inmost}"
    return f"""w{depth} = If (c) <then_branch = t () => (float[2] w{depth - 1}) {{ {choices(depth - 1, inmost)} }},
        else_branch = e () => (float[2] u{depth}) {{ u{depth} = Neg(x) }}>"""


def choices_in_a_function(depth: int) -> Any:
    """Return a model of 20 Ifs, the innermost of which calls a function of further ones."""
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 16, "local" : 1]>
        agraph (bool c, float[2] x) => (float[2] w20) {{ {choices(20, "local.more(c, x)")} }}
        <domain: "local", opset_import: ["" : 16]>
        more (c, x) => (w{depth - 20}) {{ {choices(depth - 20, "Abs(x)")} }}""")


def test_bodies_at_the_limit_are_read_and_deeper_ones_are_refused(tmp_path: Path) -> None:
    read = ov.Core().read_model
    model = read(choices_in_a_function(MAX_BODIES).SerializeToString())
    ov.save_model(model, tmp_path / "deep.xml")
    assert ov.validate(tmp_path / "deep.xml").ok
    assert ov.Core().compile_model(tmp_path / "deep.xml")([TRUE, A])[0].tolist() == np.abs(A).tolist()
    deeper = choices_in_a_function(MAX_BODIES + 1)
    with pytest.raises(ov.Error, match=rf'ONNX node "w20" \(If-16\): .*nested more than {MAX_BODIES} deep'):
        read(deeper.SerializeToString())
    onnx.save(deeper, tmp_path / "deeper.onnx")
    (finding,) = ov.validate(tmp_path / "deeper.onnx").findings
    assert "nested more than" in finding.message
    assert "w20" in str(finding.layer)


UNFIT = """agraph (float[N, M] x, int64 k) => (float[A] y) {
    axes = Constant <value = int64[1] {1}> ()
    rows = Constant <value = int64[1] {2}> ()
    two = Constant <value = int64 {2}> ()
    c = Equal(k, two)
    y = If (c) <
        then_branch = flat () => (float[A] t) { t = Reshape(x, rows) },
        else_branch = summed () => (float[A] e) { e = ReduceSum <keepdims = 0> (x, axes) }
    >
}"""


@pytest.mark.parametrize("optimize", [True, False])
def test_a_branch_that_is_not_taken_need_not_fit_the_shapes(optimize: bool) -> None:
    compiled = ov.Core().compile_model(of_text(UNFIT), config={"OPTIMIZE": optimize})
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(compiled([x, np.array(1)])[0], x.sum(1))
    np.testing.assert_array_equal(compiled([x[:, :1], np.array(2)])[0], x[:, 0])
    with pytest.raises(ov.Error, match="Reshape"):
        compiled([x, np.array(2)])
