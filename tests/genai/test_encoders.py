"""Embeddings and ranks are openvino_genai's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import genai
from tests.genai import encoder_cases


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("encoders")
    encoder_cases.write(path)
    return path


@pytest.fixture(scope="module")
def expected(folder: Path) -> Any:
    program = [sys.executable, str(encoder_cases.__file__), "openvino_genai", str(folder)]
    return json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)


def flattened(value: Any) -> list[float]:
    return [number for item in value for number in flattened(item)] if isinstance(value, (list, tuple)) else [value]


@pytest.mark.parametrize("name", encoder_cases.CASES)
def test_numbers_are_those_of_openvino_genai(name: str, folder: Path, expected: Any) -> None:
    numbers = flattened(encoder_cases.CASES[name](genai, folder))
    np.testing.assert_allclose(numbers, flattened(expected[name]), rtol=1e-4, atol=1e-6)


def test_refuses_what_does_not_fit(folder: Path, tmp_path: Path) -> None:
    config = genai.TextEmbeddingPipeline.Config
    with pytest.raises(AttributeError, match="has no parameter 'pooling'"):
        config(pooling=1)
    with pytest.raises(ov.errors.ArgumentTypeError, match="'max_length'"):
        config(max_length="5")
    with pytest.raises(ov.errors.ArgumentValueError, match="max_length is 0"):
        config(max_length=0).validate()
    pipeline = genai.TextEmbeddingPipeline(folder / "embedding", "CPU", batch_size=2)
    with pytest.raises(ov.errors.InputError, match="batch_size is 2"):
        pipeline.embed_documents(["a"])
    with pytest.raises(ov.errors.ArgumentTypeError, match="a list of texts"):
        pipeline.embed_documents("a")
    with pytest.raises(ov.errors.UnsupportedError, match="number_of_inputs=2"):
        genai.TextRerankPipeline(folder / "embedding", "CPU")
    with pytest.raises(FileNotFoundError, match=r"no openvino_model\.xml"):
        genai.TextEmbeddingPipeline(tmp_path, "CPU")


def test_pairs_are_broadcast(folder: Path) -> None:
    tokenizer = genai.Tokenizer(folder / "pairs")
    assert tokenizer.supports_paired_input()
    for inputs in (tokenizer.encode(["ab"], ["c", "def"]), tokenizer.encode([["ab", "c"], ["ab", "def"]])):
        assert inputs.input_ids.data.tolist() == [[2, 1], [2, 3]]
    with pytest.raises(ov.errors.InputError, match="2 texts cannot be paired with 3"):
        tokenizer.encode(["a", "b"], ["a", "b", "c"])
