"""Whole tokenizers against stored results of OpenVINO's wheel of tokenizers."""

from __future__ import annotations

import importlib.util
import json

import pytest

from ir_plugin import Core
from tests.support.results import values_by_port
from tests.support.skips import NO_TEXT
from tests.support.tokenizer_files import NAMES, RESULTS, batches, listed, read

needs_regex = pytest.mark.skipif(importlib.util.find_spec("regex") is None, reason=NO_TEXT)
EXPECTED = json.loads(RESULTS.read_text("utf-8"))


@needs_regex
@pytest.mark.parametrize("name", NAMES)
def test_ids_masks_and_texts_are_those_of_the_wheel(name: str) -> None:
    models = [read(name, part) for part in ("tokenizer", "detokenizer")]
    tokenizer, detokenizer = (Core().compile_model(xml, weights=weights) for xml, weights in models)
    for batch, expected in zip(batches(), EXPECTED[name], strict=True):
        outputs = list(values_by_port(tokenizer, [batch]).values())
        texts = values_by_port(detokenizer, [outputs[0]])
        assert [listed(array) for array in (*outputs, *texts.values())] == expected, batch
