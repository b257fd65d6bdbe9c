"""Which F(m, 3) convolutions take: the estimate chooses what `python -m benchmarks.winograd` measures as fastest."""

from __future__ import annotations

import dataclasses

import pytest

from ir_plugin.compiler.selection.winograd_cost import NUMBA, NUMPY, NUMPY_SHARED, Costs, winograd_size
from ir_plugin.kernels.numpy.convolution import Geometry


def geometry(depth: int, outputs: int, length: int) -> Geometry:
    size = (length, length)
    return Geometry((1, *size, depth), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), size, 1, outputs)


@pytest.mark.parametrize(
    ("costs", "depth", "length", "size"),
    [
        (NUMBA, 512, 7, 2),
        (NUMBA, 128, 28, 4),
        (NUMBA, 16, 112, 0),
        (NUMPY, 512, 7, 2),
        (NUMPY, 128, 28, 4),
        (NUMPY, 64, 12, 0),
        (NUMPY, 16, 112, 0),
        (NUMPY_SHARED, 512, 14, 2),
        (NUMPY_SHARED, 256, 28, 4),
        (NUMPY_SHARED, 64, 40, 0),
    ],
)
def test_the_fastest_is_chosen(costs: Costs, depth: int, length: int, size: int) -> None:
    assert winograd_size(geometry(depth, depth, length), 4, costs) == size


@pytest.mark.parametrize("costs", [NUMBA, NUMPY], ids=["numba", "NumPy"])
def test_the_configuration_limits_the_choice(costs: Costs) -> None:
    large = geometry(128, 128, 28)
    assert [winograd_size(large, largest, costs) for largest in (4, 2, 0)] == [4, 2, 0]


@pytest.mark.parametrize("costs", [NUMBA, NUMPY], ids=["numba", "NumPy"])
@pytest.mark.parametrize("changes", [{"kernel": (5, 5)}, {"strides": (2, 2)}, {"dilations": (1, 2)}, {"channels": 8}])
def test_other_convolutions_take_none(costs: Costs, changes: dict[str, object]) -> None:
    assert winograd_size(dataclasses.replace(geometry(128, 128, 28), **changes), 4, costs) == 0  # type: ignore[arg-type]


@pytest.mark.parametrize("costs", [NUMBA, NUMPY], ids=["numba", "NumPy"])
def test_packed_filters_are_used_again_unless_others_are_much_faster(costs: Costs) -> None:
    small, large = geometry(512, 512, 7), geometry(512, 512, 56)
    four = dataclasses.replace(small, data=(4, 7, 7, 512))
    assert winograd_size(four, 4, costs, [2]) == 2
    assert winograd_size(four, 4, costs, [2, 4]) == winograd_size(four, 4, costs)
    assert winograd_size(large, 4, costs, [2]) == 4
