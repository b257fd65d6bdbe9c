"""The pieces of several answers, which are decoded together."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from ir_plugin import genai
from ir_plugin.serving import Limits
from ir_plugin.serving.text_messages import TextRequest
from ir_plugin.serving.text_model import TextModel
from tests.serving.test_texts import FOLDER

TEXTS = ("Once upon a time there was a naïve \N{SLICE OF PIZZA}.\nThe end", "A king, who\n\nhad", "x" * 40, "of the")


@pytest.fixture(scope="module")
def model() -> TextModel:
    return TextModel(FOLDER, "story", Limits(), {})


def answers(model: TextModel) -> list[str]:
    """Return the pieces, joined, of answers that are these texts, of which each step brings a token."""
    tokenizer = genai.Tokenizer(FOLDER)
    tokens = [genai.token_ids(tokenizer, text, add_special_tokens=False) for text in TEXTS]
    parameters = {"ignore_eos": True}
    prompts = model.prepared(TextRequest(["Once"] * len(TEXTS), parameters, max_tokens=99, is_stream=True))
    joined = [""] * len(TEXTS)
    for step in range(max(map(len, tokens))):
        going = [number for number, ids in enumerate(tokens) if step < len(ids)]
        for number in going:
            logits = np.zeros((1, len(tokenizer.get_vocab_vector())), np.float32)
            logits[0, tokens[number][step]] = 1
            prompts[number].generation.advance(logits)
        pieces = model.next_pieces([prompts[number] for number in going])
        for number, piece in zip(going, pieces, strict=True):
            joined[number] += "" if piece is None else piece.text
    return [text + model.answer(prompt, 0).rest.text for text, prompt in zip(joined, prompts, strict=True)]


def test_pieces_of_several_answers_are_their_texts(model: TextModel) -> None:
    tokenizer = genai.Tokenizer(FOLDER)
    assert answers(model) == [
        tokenizer.decode(genai.token_ids(tokenizer, text, add_special_tokens=False)) for text in TEXTS
    ]


def test_a_step_decodes_all_streams_at_once(model: TextModel) -> None:
    rows: list[Any] = []
    decode = genai.Tokenizer.decode

    def noted(tokenizer: genai.Tokenizer, tokens: Any, **options: Any) -> Any:
        rows.append(tokens)
        return decode(tokenizer, tokens, **options)

    with patch.object(genai.Tokenizer, "decode", noted):
        answers(model)
    together = [row for row in rows if row and isinstance(row[0], list)]
    assert max(map(len, together)) == len(TEXTS)
    assert all(len(row) > 1 for row in together)
