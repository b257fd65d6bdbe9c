"""What an installation without optional packages can do: `python -m tests.support.bare` says it by counts.

Each sample is read, checked, planned and evaluated by NumPy, and compared with what it expects.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from ir_plugin import Core
from ir_plugin.tensors import Array, ElementType
from tests.support.collect import errors, samples
from tests.support.ir import build
from tests.support.results import values_by_port
from tests.support.sample import ErrorSample, In, Sample

OPTIONAL = ("ml_dtypes", "threadpoolctl", "numba", "onnx", "openvino")
SMALL = frozenset(["bf16", "f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1", "nf4", "i2", "i4", "u1", "u2", "u3", "u4", "u6"])


def results_of(sample: Sample, optimize: bool = True) -> list[tuple[ElementType, Array]]:
    """Return the outputs of a sample with their element types."""
    ir = build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs, {})
    compiled = Core().compile_model(ir.xml, config={"OPTIMIZE": optimize}, weights=ir.weights)
    operands = [sample.inputs[position] for position in ir.parameters]
    outputs = values_by_port(compiled, [item.value for item in operands if isinstance(item, In)])
    return [(port.element_type, array) for port, array in outputs.items()]


def faults_of(name: str, sample: Sample) -> Iterator[str]:
    """Yield what is wrong with the results of a sample: a plan's against those of its layers, and the expected ones."""
    planned, plain = results_of(sample), results_of(sample, optimize=False)
    arrays = [None if operand is None else operand.value for operand in sample.inputs]
    oracle = None if sample.oracle is None else sample.oracle(*arrays)
    stated = [reference for reference in (sample.expected, oracle) if reference is not None]
    several = [list(item) if isinstance(item, (list, tuple)) and sample.outputs > 1 else [item] for item in stated]
    for reference in (*several, [array for _, array in plain]):
        for (type, array), right in zip(planned, reference, strict=True):
            if not _is_close(type, array, right, sample):
                yield f"{name}: {array} of {type.name} instead of {right}"


def _is_close(type: ElementType, array: Array, right: Any, sample: Sample) -> bool:
    expected = np.asarray(right, array.dtype if array.dtype.kind in "biu" else None)
    if array.dtype.kind in "biuOS":
        return array.shape == expected.shape and _items(array) == _items(expected)
    rtol = max(sample.rtol, {16: 1e-3 if type is ElementType.f16 else 8e-3, 8: 0.13}.get(type.bits, 0))
    wide = array.astype(np.float64), expected.astype(np.float64)
    return array.shape == expected.shape and np.allclose(*wide, rtol, sample.atol, equal_nan=True)


def _items(array: Array) -> list[object]:
    """Return the elements, texts decoded."""
    items = array.reshape(-1).tolist()
    return [item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else item for item in items]


def refusal_faults(name: str, sample: ErrorSample) -> Iterator[str]:
    """Yield what is wrong with the findings of a wrong sample."""
    inputs = [item if isinstance(item, In) else _declared(item) for item in sample.inputs]
    ir = build(sample.type, sample.version, inputs, sample.attributes, sample.outputs)
    codes = [finding.code for finding in Core().validate(ir.xml, ir.weights).findings.errors]
    if codes != ([] if sample.code == "IR701" else [sample.code]):
        yield f"{name}: {codes} instead of {sample.code}"


def _declared(text: str) -> tuple[ElementType, str]:
    type, _, shape = text.partition("[")
    return ElementType(type), shape.removesuffix("]")


def small_samples() -> dict[str, Sample]:
    """Return the samples with a type that NumPy lacks among their inputs or attributes."""
    return {
        name: sample
        for name, sample in samples()
        if any(item is not None and item.type.name in SMALL for item in sample.inputs)
        or any(value in SMALL for value in sample.attributes.values() if isinstance(value, str))
    }


def main() -> int:
    """Compute all samples and check all wrong ones, or one of as many as the argument says; return 1 for a fault."""
    missing = " ".join(name for name in OPTIONAL if find_spec(name) is None)
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    named, wrong = dict(list(samples())[::step]), dict(list(errors())[::step])
    faults = [fault for name, sample in named.items() for fault in faults_of(name, sample)]
    faults += [fault for name, error in wrong.items() for fault in refusal_faults(name, error)]
    counts = f"{len(named)} samples computed, {len(wrong)} wrong ones checked: {len(faults)} faults"
    sys.stdout.write("\n".join([f"not importable: {missing}", counts, *faults[:20], ""]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
