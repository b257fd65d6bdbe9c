"""Text that is streamed: it is the text of all tokens, and each token is decoded a bounded number of times."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import genai, opset13
from tests.genai.cases import TINY
from tests.support.sentencepiece_file import UNIGRAM, small_model

pytest.importorskip("regex")
FOLDER = Path(__file__).parents[1] / "operations" / "tokenizers"
BYTE_FALLBACK = {"bytes and blanks": {"extra": 0}, "bytes and no blank": {"extra": 1}}
KINDS = ("story", "byte_pairs", "sentencepiece", "unigram", "word_pieces", "words", *BYTE_FALLBACK)
DECODED_PER_TOKEN = 26
"""The longest window of 24 tokens, and what is decoded when it is shortened."""


@pytest.fixture(scope="module", params=KINDS)
def tokenizer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> genai.Tokenizer:
    """Return the tokenizer of the story, the detokenizer of one that the wheel converted, or a SentencePiece model."""
    kind = request.param
    if kind == "story":
        return genai.Tokenizer(TINY)
    folder = tmp_path_factory.mktemp("detokenizer")
    if kind == "sentencepiece" or kind in BYTE_FALLBACK:
        blob = small_model(UNIGRAM, True, **BYTE_FALLBACK[kind]) if kind in BYTE_FALLBACK else None
        ov.save_model(sentencepiece(blob), folder / "openvino_detokenizer.xml")
    else:
        for suffix in ("xml", "bin"):
            shutil.copy(FOLDER / f"{kind}_detokenizer.{suffix}", folder / f"openvino_detokenizer.{suffix}")
    return genai.Tokenizer(folder)


def sentencepiece(blob: bytes | None) -> ov.Model:
    """Return a detokenizer of i64 ids with another SentencePiece model, or with that of the file."""
    model = ov.Core().read_model(FOLDER / "sentencepiece_detokenizer.xml")
    (decoder,) = (node for node in model.get_ordered_ops() if node.get_type_name() == "SentencepieceDetokenizer")
    if blob is not None:
        decoder.input(0).replace_source_output(opset13.constant(np.frombuffer(blob, np.uint8)).output(0))
    (narrow,) = model.get_parameters()
    ids = opset13.parameter([-1, -1], "i64")
    decoder.input(1).replace_source_output(opset13.convert(ids, "i32").output(0))
    model.add_parameters([ids])
    model.remove_parameter(narrow)
    model.validate_nodes_and_infer_types()
    return model


def streamed(tokenizer: genai.Tokenizer, writes: Sequence[int | list[int]], **options: bool) -> list[str]:
    """Return the pieces of tokens that are written one by one, or several at once."""
    pieces: list[str] = []
    streamer = genai.TextStreamer(tokenizer, pieces.append, options)
    for tokens in writes:
        streamer.write(tokens)
    streamer.end()
    return pieces


def choices(tokenizer: genai.Tokenizer) -> list[Sequence[int]]:
    """Return tokens of several kinds: any, those of few characters, bytes, those without text, and blanks."""
    vocabulary = tokenizer.get_vocab_vector()
    textless = tokenizer.textless()
    parts: list[Sequence[int]] = [
        range(len(vocabulary)),
        [id for id, text in enumerate(vocabulary) if len(text) < 4],
        [id for id, text in enumerate(vocabulary) if "\ufffd" in text or text.startswith("<0x")],
        [id for id in range(len(vocabulary)) if textless(id)],
        [id for id, text in enumerate(vocabulary) if text in {"\n", " ", "▁", "a"}],
    ]
    return [part for part in parts if part]


@pytest.mark.parametrize("skip_special_tokens", [True, False])
def test_pieces_are_the_text_of_all_tokens(tokenizer: genai.Tokenizer, skip_special_tokens: bool) -> None:
    rng, parts = Random(39), choices(tokenizer)
    for _ in range(12):
        ids = [rng.choice(part) for part in rng.choices(parts, k=rng.randrange(9)) for _ in range(rng.randrange(16))]
        expected = tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
        cuts = sorted({0, len(ids), *(rng.randrange(len(ids) + 1) for _ in range(3))})
        several = [ids[first:end] for first, end in pairwise(cuts)]
        for writes in (ids, several):
            pieces = streamed(tokenizer, writes, skip_special_tokens=skip_special_tokens)
            assert "".join(pieces) == expected, writes
            assert all(pieces)


@pytest.fixture
def counts(tokenizer: genai.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which the numbers of tokens are added that are decoded."""
    noted, decode = list[int](), tokenizer.decode

    def counted(tokens: list[int], **options: bool) -> str:
        noted.append(len(tokens))
        return str(decode(tokens, **options))

    monkeypatch.setattr(tokenizer, "decode", counted)
    return noted


def test_a_token_is_decoded_a_bounded_number_of_times(tokenizer: genai.Tokenizer, counts: list[int]) -> None:
    """Also where tokens have no text, are bytes of no character, or end no line."""
    rng = Random(40)
    for part in choices(tokenizer):
        counts.clear()
        streamed(tokenizer, [rng.choice(part) for _ in range(120)])
        assert sum(counts) <= DECODED_PER_TOKEN * 120


def test_a_prompt_that_is_echoed_is_decoded_once_or_twice(tokenizer: genai.Tokenizer, counts: list[int]) -> None:
    part, rng = choices(tokenizer)[-1], Random(41)
    ids = [rng.choice(part) for _ in range(300)]
    pieces = streamed(tokenizer, [ids[:200], *ids[200:]])
    assert sum(counts) <= 2 * 200 + DECODED_PER_TOKEN * 100
    assert "".join(pieces) == tokenizer.decode(ids)
