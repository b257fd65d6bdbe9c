"""Small tokenizers as the wheel of tokenizers converts them, and what its operations compute for texts.

`python -m tests.support.tokenizer_files --python PYTHON` writes the results by a Python that has the wheel.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.support.text_inputs import text
from tests.support.wheel import WORKER

FOLDER = Path(__file__).parents[1] / "operations" / "tokenizers"
RESULTS = FOLDER / "results.json"
NAMES = ("byte_pairs", "sentencepiece", "unigram", "word_pieces", "words")


def batches() -> list[Array]:
    """Return batches of texts, the same in every run.

    Each ends with one that has a known word: of texts that are all empty the wheel returns what is in its memory.
    """
    rng = Random(39)
    lines = [
        "", " ", "\n", "Hello, world!", "def f(x):\n    return x + 1\n", "  two  blanks  ", "<s>a</s> <tool>  b",
        "[CLS] the [SEP] quick [PAD] brown", "1234567 + 89 = 0.5e10", "don't, I'LL, we're", "ﬁ ① Å e\u0301 Ünï",
    ]  # fmt: skip
    lines += [text(rng, 14).replace("\0", "").replace("▁", "_") for _ in range(60)]
    return [np.array([*lines[first : first + first % 3], "the " + lines[first]], object) for first in range(len(lines))]


def read(name: str, part: str) -> tuple[bytes, bytes]:
    """Return the XML and the weights of a tokenizer or a detokenizer."""
    path = FOLDER / f"{name}_{part}.xml"
    return path.read_bytes(), path.with_suffix(".bin").read_bytes()


def results(python: str, name: str) -> list[list[Any]]:
    """Return the wheel's outputs of a tokenizer for each batch, then the texts of the ids."""
    encoded = _by_wheel(python, [(*read(name, "tokenizer"), [[batch] for batch in batches()])])[0]
    dtype = np.int32 if name == "sentencepiece" else np.int64
    ids = [[outputs[0].astype(dtype)] for outputs in encoded]
    decoded = _by_wheel(python, [(*read(name, "detokenizer"), ids)])[0]
    return [[*outputs, texts[0]] for outputs, texts in zip(encoded, decoded, strict=True)]


def _by_wheel(python: str, models: list[Any]) -> Any:
    done = subprocess.run([python, str(WORKER)], input=pickle.dumps(models), capture_output=True, check=True, env={})
    return pickle.loads(done.stdout)


def listed(array: Array) -> list[Any]:
    """Return the shape and the elements of an array, of bytes as text."""
    items = array.reshape(-1).tolist()
    texts = [item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else item for item in items]
    return [list(array.shape), texts]


def main() -> None:
    """Write the wheel's results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    python = parser.parse_args().python
    rows = {name: [[listed(array) for array in outputs] for outputs in results(python, name)] for name in NAMES}
    RESULTS.write_text(json.dumps(rows, indent=None) + "\n", "utf-8")


if __name__ == "__main__":
    main()
