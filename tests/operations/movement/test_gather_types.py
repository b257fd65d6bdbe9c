"""The Gather family's worked examples with every element type and both index types, from ports without precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from ir_plugin import Core
from ir_plugin.operations.indices import boxed
from ir_plugin.tensors import Array, ElementType
from tests.operations.movement import gather, gather_elements, gather_nd
from tests.support.ir import build_together
from tests.support.oracle import fed
from tests.support.results import values_by_port
from tests.support.sample import In, Sample

EXAMPLES = {
    f"{sample.type}-{sample.version}-{sample.name or number}": sample
    for module in (gather, gather_elements, gather_nd)
    for number, sample in enumerate(module.SAMPLES)
    if sample.expected is not None and np.size(sample.expected)
}
TYPES = [type for type in ElementType.all if type.is_static]
RNG = np.random.default_rng(5)


def data_of(type: ElementType, shape: tuple[int, ...]) -> Array:
    """Return arbitrary values that the type holds exactly."""
    if type is ElementType.string:
        return np.array([f"text {number}, é" for number in range(int(np.prod(shape)))], object).reshape(shape)
    if type is ElementType.boolean:
        return RNG.integers(0, 2, shape).astype(bool)
    if type is ElementType.nf4:
        from ir_plugin.tensors.packing import NF4_VALUES

        return np.asarray(NF4_VALUES)[RNG.integers(0, 16, shape)].astype(np.float32)
    if type.is_integer:
        info = np.iinfo(np.uint64 if not type.has_sign else np.int64)
        low, high = (-(2 ** (type.bits - 1)), 2 ** (type.bits - 1)) if type.has_sign else (0, 2**type.bits)
        return RNG.integers(low, high, shape, info.dtype, endpoint=False).astype(type.dtype)
    return RNG.choice([0.5, 1.0, 2.0, 4.0], shape).astype(type.dtype)


def results_of(layers: Sequence[Sample]) -> list[Array]:
    """Return what one model computes whose ports have no precision and whose layers share nothing."""
    ir = build_together([(layer, {}) for layer in layers], precision=False)
    compiled = Core().compile_model(ir.xml, weights=ir.weights)
    results = values_by_port(compiled, [item.value for layer in layers for item in fed(layer)]).values()
    return [np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array for array in results]


def gathered(values: Array, type: ElementType, indices: In) -> Iterator[list[In]]:
    """Yield data and indices of each type that holds these, and with the wider one data that are a constant too."""
    largest = max((abs(int(index)) for index in np.reshape(indices.value, -1)), default=0)
    signed = [index_type for index_type in (ElementType.i32, ElementType.i64) if largest < 2 ** (index_type.bits - 1)]
    for index_type in signed or [indices.type]:
        chosen = In(np.asarray(indices.value).astype(index_type.dtype), index_type, indices.constant)
        for constant in (False,) if index_type is ElementType.i32 else (False, True):
            yield [In(values, type, constant), chosen]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_type(name: str) -> None:
    sample = EXAMPLES[name]
    data, indices, *axes = sample.inputs
    assert data is not None
    assert indices is not None
    shape = np.shape(data.value)
    numbered = In(np.arange(1, np.size(data.value) + 1).reshape(shape), ElementType.i64)
    (positions,) = results_of([replace(sample, inputs=[numbered, indices, *axes])])
    layers, expected = [], []
    for type in TYPES:
        values = data_of(type, shape)
        empty = np.array([""], object) if type is ElementType.string else np.zeros(1, type.dtype)
        right = boxed(np.concatenate([empty, values.reshape(-1)])[positions], type.dtype)
        for pair in gathered(values, type, indices):
            layers.append(replace(sample, inputs=[*pair, *axes]))
            expected.append(right)
    for layer, result, right in zip(layers, results_of(layers), expected, strict=True):
        assert result.shape == right.shape, layer
        assert np.array_equal(result.astype(object), right.astype(object)), layer
