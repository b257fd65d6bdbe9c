"""The layers with a SentencePiece model, or of ai.onnx.contrib, for the comparison with the wheel, and all layers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from random import Random

import numpy as np

from tests.support import text_cases
from tests.support.sample import In, const, param
from tests.support.sentencepiece_file import BPE, CHAR, UNIGRAM, WORD, small_model
from tests.support.text_cases import Case
from tests.support.text_inputs import bytes_of, constants, decomposed, parameters, text, texts


def _spoken(rng: Random) -> str:
    words = ("a", "ab", "abc", "cab", " ", "  ", "é", "日本", "日", "x", "<x>", "▁", "<s>", "</s>", "ca", "😀", "bc")
    return "".join(rng.choice(words) for _ in range(rng.randrange(9)))


def _sentences(rng: Random, blob: bytes, are_strings: bool) -> list[In]:
    items = texts(rng, _spoken)
    strings = param(np.array([item.decode() for item in items], object), "string")
    return [bytes_of(blob), *([strings] if are_strings else parameters(decomposed(items)))]


def _sentences_with_tokens(rng: Random, blob: bytes, are_strings: bool) -> list[In]:
    ids = const(np.array([2, 1, 40, 41], np.int32))
    tokens = constants(decomposed([b"</s>", b"<s>", b"bc", b"(a)"]))
    return [*_sentences(rng, blob, are_strings), *tokens, ids]


def _piece_ids(rng: Random, blob: bytes, count: int) -> list[In]:
    shape = (rng.randrange(1, 4), rng.randrange(9))
    ids = [
        rng.choice([rng.randrange(3), rng.randrange(count + 3), rng.randrange(count)]) for _ in range(np.prod(shape))
    ]
    return [bytes_of(blob), *parameters([np.array(ids, np.int32).reshape(shape)])]


def sentencepiece_cases() -> Iterator[Case]:
    """Yield the layers that hold a SentencePiece model."""
    rules: list[dict[str, int]] = [{}, {"prefix": 0, "extra": 0}, {"suffix": 1, "escape": 1}]
    for algorithm, options in product((UNIGRAM, BPE, WORD, CHAR), rules):
        blob = small_model(algorithm, False, **options)
        make = partial(_sentences, blob=blob, are_strings=algorithm % 2 == 0)
        ends = {"add_bos": algorithm > 1, "add_eos": "extra" in options, "reverse": "suffix" in options}
        yield Case("SentencepieceTokenizer", make, 3, {"nbest_size": 1, **ends})
    blob = small_model(BPE, True, extra=0)
    yield Case("SentencepieceTokenizer", partial(_sentences, blob=blob, are_strings=False), 3)
    for byte_fallback, prefix in ((True, 1), (False, 0), (False, 1)):
        blob, count = small_model(UNIGRAM, byte_fallback, prefix=prefix, extra=1 - prefix), 19 + 256 * byte_fallback
        make = partial(_piece_ids, blob=blob, count=count)
        yield Case("SentencepieceDetokenizer", make, 3)
        yield Case("SentencepieceStreamDetokenizer", make, 3)


def contrib_cases() -> Iterator[Case]:
    """Yield the layers of ONNX's domain ai.onnx.contrib."""
    for shape, axis, mark in (
        ((3,), 0, "-"),
        ((2, 3), 0, ""),
        ((2, 3), -1, "é"),
        ((2, 1, 3), 1, "-"),
        ((2, 0), 1, "-"),
    ):
        make = partial(_joined_grid, shape=shape, axis=axis, separator=mark)
        yield Case("ContribStringJoin", make, 3)
    for delimiter, skips in product((" ", "", "é", ", "), (False, True)):
        yield Case("ContribStringSplit", partial(_divided_grid, delimiter=delimiter, skips=skips), 5)


def _texts_of_shape(rng: Random, shape: tuple[int, ...]) -> list[In]:
    begins, ends, chars = decomposed([text(rng, 3).encode() for _ in range(int(np.prod(shape)))])
    return parameters([begins.reshape(shape), ends.reshape(shape), chars])


def _joined_grid(rng: Random, shape: tuple[int, ...], axis: int, separator: str) -> list[In]:
    return [*_texts_of_shape(rng, shape), bytes_of(separator), const(np.int64(axis))]


def _divided_grid(rng: Random, delimiter: str, skips: bool) -> list[In]:
    shape = rng.choice([(3,), (1,), (4,)])
    return [*_texts_of_shape(rng, shape), bytes_of(delimiter), const(np.bool_(skips))]


def plain_cases() -> list[Case]:
    """Return the layers that need no regular expressions."""
    groups = [
        text_cases.packing_cases, text_cases.byte_cases, text_cases.normalization_cases, text_cases.encoding_cases,
        sentencepiece_cases, contrib_cases,
    ]  # fmt: skip
    return [case for group in groups for case in group()]


def pattern_cases() -> Iterator[Case]:
    """Yield the layers that need regular expressions."""
    yield from text_cases.pattern_cases()
    for algorithm, is_reversed in product((UNIGRAM, BPE), (False, True)):
        make = partial(_sentences_with_tokens, blob=small_model(algorithm, False), are_strings=is_reversed)
        attributes = {"nbest_size": 1, "reverse": is_reversed, "add_eos": is_reversed, "add_bos": algorithm == BPE}
        yield Case("SentencepieceTokenizer", make, 3, attributes)
