"""Runs one pass on a small graph that OpenVINO's API builds, and shows the graph before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import openvino as ov
from openvino import opset13 as ops

from ir_plugin import Core, Model
from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.passes import pass_observer
from ir_plugin.openvino.api import CompiledModel
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS, close


def constant(*shape: int) -> Any:
    """Return a constant of f32 with quarters from 0.25 to 2."""
    return ops.constant(np.random.default_rng(3).integers(1, 9, shape).astype(np.float32) / 4)


def number(value: float) -> Any:
    """Return a scalar of f32."""
    return ops.constant(np.float32(value))


def integers(*values: int) -> Any:
    """Return integers of i64."""
    return ops.constant(np.array(values, np.int64))


def data(*shape: int) -> Any:
    """Return a parameter of f32."""
    return ops.parameter(list(shape), np.float32)


def convolution(x: Any) -> Any:
    """Return a convolution 3x3 to four channels."""
    return ops.convolution(x, constant(4, x.shape[1], 3, 3), [1, 1], [0, 0], [0, 0], [1, 1])


def quantized_convolution(x: Any) -> Any:
    """Return a convolution 3x3 of four channels of quantized data with weights of i8."""
    levels = ops.fake_quantize(x, number(-1.28), number(1.27), number(-1.28), number(1.27), 256)
    filters = ops.multiply(ops.convert(ops.constant(np.ones((4, 4, 3, 3), np.int8)), np.float32), number(0.5))
    return ops.convolution(levels, filters, [1, 1], [1, 1], [1, 1], [1, 1])


class Rewrite(NamedTuple):
    """The graph that a pass gets and the graph that it leaves, as text."""

    before: str
    after: str

    @property
    def is_match(self) -> bool:
        """Whether the pass changed the graph."""
        return self.before != self.after

    def types(self) -> list[str]:
        """Return the types of the ops that the pass leaves, in order."""
        return [line.split(" = ")[1].split("(")[0] for line in self.after.splitlines() if "(" in line]


def model_of(results: Any, parameters: Sequence[Any], sinks: Sequence[Any] = ()) -> ov.Model:
    """Return a model of which the layers are named by their types, so that its text is the same in every run."""
    ends = [ops.result(result) for result in (results if isinstance(results, list) else [results])]
    model = ov.Model(ends, list(sinks), list(parameters), "small")
    counts: Counter[str] = Counter()
    for op in model.get_ordered_ops():
        kind = op.get_type_name().lower()
        counts[kind] += 1
        op.set_friendly_name(kind if counts[kind] == 1 else f"{kind}{counts[kind]}")
    return model


def read(model: ov.Model) -> Model:
    """Return a model of OpenVINO's API as this library reads it."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "m.xml")
        ov.serialize(model, path)
        return Core().read_model(path.read_bytes(), path.with_suffix(".bin").read_bytes())


def compiled(model: ov.Model | Model, **config: object) -> CompiledModel:
    """Compile a model of OpenVINO's API, or one that is read, with this library."""
    return Core().compile_model(model if isinstance(model, Model) else read(model), "CPU", config)


def rewrite(name: str, model: ov.Model, disabled: Sequence[str] = (), **config: object) -> Rewrite:
    """Return the graph that a pass gets and the one that it leaves when a model is compiled."""
    with _observed() as texts:
        compiled(model, PROVIDER="numpy", DISABLED_PASSES=list(disabled), **config)
    return _rewritten(name, texts)


def rewrite_in_run(name: str, model: ov.Model, inputs: Sequence[Array]) -> Rewrite:
    """Return the graph that a pass gets and the one that it leaves when a model meets inputs of these shapes."""
    with _observed() as texts:
        compiled(model, PROVIDER="numpy")(inputs)
    return _rewritten(name, texts)


@contextmanager
def _observed() -> Iterator[dict[str, str]]:
    """Keep the text of the graph that each pass leaves by the pass's name."""
    texts: dict[str, str] = {}

    def observe(passed: str, graph: Graph) -> None:
        texts[passed] = graph.to_text()

    with pass_observer(observe):
        yield texts


def _rewritten(name: str, texts: dict[str, str]) -> Rewrite:
    names = list(texts)
    return Rewrite(texts[names[names.index(name) - 1]], texts[name])


def run_pass(
    name: str,
    results: Any,
    parameters: Sequence[Any],
    inputs: Sequence[Array] | None = None,
    disabled: Sequence[str] = (),
    judge: str = "CPU",
) -> Rewrite:
    """Return what a pass does to a graph, after checking the plan's numbers with it and without it.

    They must be those of the plain evaluation, and within rounding those of OpenVINO's CPU, of its reference
    (`judge="reference"`) where the CPU's own fusions are at fault, or of neither where both refuse (`judge=""`).
    """
    model = model_of(results, parameters)
    if inputs is None:
        rng = np.random.default_rng(1)
        inputs = [rng.standard_normal(list(item.shape)).astype(item.element_type.to_dtype()) for item in parameters]
    ours = read(model)
    plain = compiled(ours, OPTIMIZE=False)(inputs).to_tuple()
    for array, expected in zip(plain if judge else (), _judged(model, inputs, judge), strict=True):
        close(array, expected, 1e-4, "OpenVINO")
    with _observed() as texts:
        plans = [compiled(ours, PROVIDER="numpy", DISABLED_PASSES=list(disabled))]
        if model.is_dynamic():  # its plan is made for the first inputs
            plans[0](inputs)
    others = [[name, *disabled], *([[]] if disabled else []), *([[*disabled]] if "numba" in PROVIDERS else [])]
    plans += [compiled(ours, DISABLED_PASSES=passes) for passes in others]
    for number, plan in enumerate(plans):
        for array, expected in zip(plan(inputs).to_tuple(), plain, strict=True):
            close(array, expected, 1e-5, f"plan {number}")
    return _rewritten(name, texts)


def _judged(model: ov.Model, inputs: Sequence[Array], judge: str) -> list[Array]:
    """Return the outputs that OpenVINO's CPU or its reference computes; none without a judge."""
    if judge == "CPU":
        return list(ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(inputs).to_tuple())
    outputs = [ov.Tensor(port.element_type, ov.Shape([])) for port in model.outputs] if judge else []
    assert not judge or model.evaluate(outputs, [ov.Tensor(array) for array in inputs])
    return [output.data for output in outputs]


def unknown_shape(x: Any) -> Any:
    """Return a value of f32 whose shape is only known in the run."""
    return ops.convert(ops.non_zero(x), np.float32)
