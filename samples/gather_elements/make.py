"""Write data.npy, indices.npy and expected.npy of the GatherElements sample.

Run: python samples/gather_elements/make.py (needs NumPy only; gather_elements.xml is written by hand).
"""

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent


def main() -> None:
    """Fill data with its own element numbers, so that each expected value tells where it was taken from."""
    data = np.arange(3 * 7 * 5, dtype=np.float32).reshape(3, 7, 5)
    indices = np.empty((3, 10, 5), np.int64)
    expected = np.empty((3, 10, 5), np.float32)
    for i in range(3):
        for j in range(10):
            for k in range(5):
                indices[i, j, k] = (i + 3 * j + 2 * k) % 7
                expected[i, j, k] = data[i, indices[i, j, k], k]
    np.save(FOLDER / "data.npy", data)
    np.save(FOLDER / "indices.npy", indices)
    np.save(FOLDER / "expected.npy", expected)


if __name__ == "__main__":
    main()
