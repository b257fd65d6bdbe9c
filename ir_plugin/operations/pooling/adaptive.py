"""What adaptive poolings share: windows that depend on the lengths of input and output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from ir_plugin.errors import ShapeError
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.windows import wanted_lengths
from ir_plugin.tensors import Array, Dimension, PartialShape, Tensor


def adapted(data: Tensor, output_shape: Tensor) -> PartialShape:
    """Return the first two dimensions of `data` and the lengths of `output_shape`."""
    require_type("data", data, "float")
    require_type("output_shape", output_shape, "i32", "i64")
    require_rank("data", data.shape, 3, 4, 5)
    require_rank("output_shape", output_shape.shape, 1)
    count = output_shape.shape[0] if output_shape.shape.dims is not None else Dimension()
    if data.shape.dims is None:
        return PartialShape(None)
    axes = len(data.shape) - 2
    if not count.contains(axes):
        raise ShapeError("output_shape", f"output_shape has {count} values; data {data.shape} has {axes} spatial axes")
    if any(length == 0 for length in data.shape[2:]):
        raise ShapeError("data", f"data has the shape {data.shape}; a region needs elements")
    return data.shape[:2] + wanted_lengths("output_shape", output_shape, axes)


def regions(lengths: Sequence[int], outputs: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Yield every output position with the slices it covers: `floor(i * n / m)` to `ceil((i + 1) * n / m)`."""
    axes = [
        [slice(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]
        for length, count in zip(lengths, outputs, strict=True)
    ]
    for position in product(*(range(count) for count in outputs)):
        yield position, tuple(slices[i] for slices, i in zip(axes, position, strict=True))


def wanted(output_shape: Array) -> tuple[int, ...]:
    """Return the output's spatial lengths."""
    return tuple(int(length) for length in output_shape.reshape(-1))
