"""The Gather family's worked examples with every element type and both index types, from ports without precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ir_plugin import Core
from ir_plugin.operations.indices import boxed
from ir_plugin.tensors import Array, ElementType
from tests.operations.movement import gather, gather_elements, gather_nd
from tests.support.ir import build
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


def run(sample: Sample, inputs: list[In | None], attributes: Any) -> Array:
    ir = build(sample.type, sample.version, inputs, attributes, 1, precision=False)
    arrays = [item.value for item in (inputs[position] for position in ir.parameters) if item is not None]
    result: Array = Core().compile_model(ir.xml, weights=ir.weights)(arrays)[0]
    return result


@pytest.mark.parametrize("type", TYPES, ids=str)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_type(name: str, type: ElementType) -> None:
    sample = EXAMPLES[name]
    data, indices, *axes = sample.inputs
    assert data is not None
    assert indices is not None
    shape = np.shape(data.value)
    numbered = In(np.arange(1, np.size(data.value) + 1).reshape(shape), ElementType.i64)
    positions = run(sample, [numbered, indices, *axes], sample.attributes)
    values = data_of(type, shape)
    empty = np.array([""], object) if type is ElementType.string else np.zeros(1, type.dtype)
    expected = boxed(np.concatenate([empty, values.reshape(-1)])[positions], type.dtype)
    numbers = [int(index) for index in np.reshape(indices.value, -1)]
    for index_type in (ElementType.i32, ElementType.i64):
        if any(abs(number) >= 2 ** (index_type.bits - 1) for number in numbers):
            continue
        chosen = In(np.asarray(indices.value).astype(index_type.dtype), index_type, indices.constant)
        for constant in (False, True) if index_type is ElementType.i64 else (False,):
            result = run(sample, [In(values, type, constant), chosen, *axes], sample.attributes)
            assert result.shape == expected.shape
            comparable = result.astype(object) if type is ElementType.string else result
            assert np.array_equal(comparable.astype(object), expected.astype(object))
