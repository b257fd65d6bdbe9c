"""PairwiseProbabilities, of the extension: class probabilities from pairwise ones. ONNX: SVMClassifier-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, TensorInfo


class PairwiseProbabilities(Operation, version="extension"):
    """The probability of each class, from the probabilities that the first of two classes wins, pair by pair.

    The columns are the pairs (0, 1), (0, 2), … (1, 2), …. The method is the second of Wu, Lin and Weng (2004), as in
    libsvm.
    """

    classes: int

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return a column for each class."""
        require_type("data", data, "f32")
        require_rank("data", data.shape, 2)
        pairs = self.classes * (self.classes - 1) // 2
        if self.classes < 2 or (data.shape.dims is not None and not data.shape[1].contains(pairs)):
            raise ShapeError("classes", f"{self.classes} classes have {pairs} pairs; data is {data.shape}")
        return TensorInfo(data.element_type, [data.shape[0] if data.shape.dims is not None else -1, self.classes])

    def evaluate(self, data: Array) -> Array:
        """Return the probabilities."""
        number = self.classes
        pairs = np.zeros((len(data), number, number))
        first, second = np.triu_indices(number, 1)
        pairs[:, first, second] = data
        pairs[:, second, first] = 1 - data
        return np.array([_coupled(matrix) for matrix in pairs], data.dtype).reshape(len(data), number)


def _coupled(pairs: Array) -> Array:
    """Return the class probabilities that fit the pairwise probabilities [classes, classes] best, as libsvm does."""
    number = len(pairs)
    products = -pairs.T * pairs
    np.fill_diagonal(products, (pairs**2).sum(0))
    chances = np.full(number, 1 / number)
    for _ in range(max(100, number)):
        gains = products @ chances
        total = float(chances @ gains)
        if np.abs(gains - total).max() < 0.005 / number:
            break
        for position in range(number):
            change = (total - gains[position]) / products[position, position]
            chances[position] += change
            total = (total + change * (change * products[position, position] + 2 * gains[position])) / (1 + change) ** 2
            gains = (gains + change * products[position]) / (1 + change)
            chances /= 1 + change
    return chances
