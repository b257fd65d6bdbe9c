"""Write the model, tokens.npy and expected.npy of the embedding sample.

Run: python samples/embedding/make.py (needs NumPy and openvino).
"""

from pathlib import Path

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset8

FOLDER = Path(__file__).parent
ROWS, WIDTH = 32, 8

Floats = NDArray[np.float32]
Tokens = NDArray[np.int64]


def build(table: Floats) -> ov.Model:
    """Return the model: rows of the table chosen by tokens of any two-dimensional shape."""
    tokens = opset8.parameter([-1, -1], np.int64)
    tokens.set_friendly_name("tokens")
    tokens.output(0).set_names({"tokens"})
    rows = opset8.constant(table)
    rows.set_friendly_name("table")
    axis = opset8.constant(np.array(0, np.int64))
    axis.set_friendly_name("axis")
    lookup = opset8.gather(rows, tokens, axis)
    lookup.set_friendly_name("lookup")
    lookup.output(0).set_names({"vectors"})
    result = opset8.result(lookup)
    result.set_friendly_name("vectors")
    return ov.Model([result], [tokens], "embedding")


def look_up(table: Floats, tokens: Tokens) -> Floats:
    """Return the row of each token: -32 to -1 count from the end, all else outside 0 to 31 gives zeros."""
    vectors = np.zeros((*tokens.shape, WIDTH), np.float32)
    for place in np.ndindex(tokens.shape):
        token = int(tokens[place])
        if token < 0:
            token += ROWS
        if 0 <= token < ROWS:
            vectors[place] = table[token]
    return vectors


def main() -> None:
    """Write all files; no element of the table is zero, so zeros mean a token outside the table."""
    table = np.arange(1, ROWS * WIDTH + 1, dtype=np.float32).reshape(ROWS, WIDTH) / np.float32(8)
    tokens = np.array([[0, 1, 31, 7, 7, 16], [-1, -32, -33, 32, 100, -100]], np.int64)
    ov.serialize(build(table), FOLDER / "embedding.xml")
    np.save(FOLDER / "tokens.npy", tokens)
    np.save(FOLDER / "expected.npy", look_up(table, tokens))


if __name__ == "__main__":
    main()
