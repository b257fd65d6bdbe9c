"""The layers on which operations on texts are held against OpenVINO's wheel of tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from random import Random
from typing import Any

import numpy as np

from tests.support.sample import In, const, param
from tests.support.text_inputs import broken, bytes_of, constants, decomposed, parameters, rows, text, texts


@dataclass(frozen=True)
class Case:
    """A layer with random inputs; those that are constants are the same for every seed."""

    type: str
    make: Callable[[Random], Sequence[In]]
    outputs: int
    attributes: Mapping[str, object] = field(default_factory=dict)
    version: str = "extension"


def _texts(rng: Random) -> list[In]:
    return parameters(decomposed(texts(rng)))


def _broken(rng: Random) -> list[In]:
    return parameters(decomposed(texts(rng, broken)))


def _rows(rng: Random, make: Callable[[Random], str | bytes] = text) -> list[In]:
    items = texts(rng, make, 1)
    return parameters([*rows(rng, len(items)), *decomposed(items)])


def _ragged(rng: Random, dtype: Any = np.int32) -> list[In]:
    count = rng.randrange(12)
    data = np.array([rng.randrange(-99, 99) for _ in range(count)], dtype)
    return parameters([*rows(rng, count), data])


def _dense(rng: Random) -> list[In]:
    dtype = np.int32
    return [*_ragged(rng, dtype), param(np.int32(rng.randrange(7))), param(dtype(7))]


def _dense_by_side(rng: Random) -> list[In]:
    return [*_dense(rng), param(np.bool_(rng.random() < 0.5))]


def _long_row(rng: Random) -> list[In]:
    count = rng.randrange(65, 80)
    positions = [np.array([position], np.int32) for position in (0, count)]
    data = np.arange(count, dtype=np.int32)
    return [*parameters([*positions, data]), param(np.int32(rng.randrange(60, 90))), param(np.int32(0))]


def _rows_of_elements(rng: Random) -> list[In]:
    count = rng.randrange(1, 7)
    numbers = sorted(rng.randrange(count) for _ in range(rng.randrange(1, 6)))
    return [param(np.array(numbers, np.int32)), param(np.array([count], np.int32))]


def _fuzed(rng: Random) -> list[In]:
    parts = [b"x" * rng.randrange(4) for _ in range(rng.randrange(1, 7))]
    bounds = sorted(rng.sample(range(1, len(parts)), rng.randrange(len(parts)))) if len(parts) > 1 else []
    edges = np.array([0, *bounds, len(parts)], np.int32)
    return parameters([edges[:-1], edges[1:], *decomposed(parts)[:2]])


def _truncated(rng: Random, side: str) -> list[In]:
    return [*_ragged(rng), param(np.int32(rng.randrange(8))), bytes_of(side), bytes_of("longest_first")]


def _truncated_pairs(rng: Random, side: str, mode: str) -> list[In]:
    pairs = []
    count = rng.randrange(1, 4)
    for _ in range(2):
        lengths = [rng.randrange(7) for _ in range(count)]
        ends = np.cumsum([0, *lengths]).astype(np.int32)
        pairs += parameters([ends[:-1], ends[1:], np.arange(ends[-1], dtype=np.int32)])
    return [*pairs, param(np.int32(rng.randrange(9))), bytes_of(side), bytes_of(mode)]


def _segments(rng: Random) -> list[In]:
    count = rng.randrange(2, 5)
    segments = []
    for number, length in enumerate((1, count, 1, count)):
        ends = np.cumsum([0, *[rng.randrange(5) for _ in range(length)]]).astype(np.int32)
        single = [ends[0], ends[1] if number else ends[1:]]
        offsets = single if length == 1 else [ends[:-1], ends[1:]]
        segments += parameters([*map(np.asarray, offsets), np.arange(ends[-1], dtype=np.int32) * 10])
    return [*segments, const(np.array([0, 1, 0, 2], np.int32))]


WORDS = [b"hello", b"world", b" ", b"a", b"ab", "é".encode(), b"", b"hello", "日本語".encode(), b"\xff\x80"]


def _encoded(rng: Random) -> list[In]:
    def word(rng: Random) -> bytes:
        return rng.choice([*WORDS, text(rng).encode()])

    items = parameters(decomposed(texts(rng, word)))
    values = const(np.arange(len(WORDS), dtype=np.int64) * 3)
    return [*items, *constants(decomposed(WORDS)), values, const(np.int64(-1))]


def _decoded(rng: Random, skipped: Sequence[int] | None) -> list[In]:
    shape = (rng.randrange(1, 4), rng.randrange(5))
    ids = np.array([rng.randrange(-3, 14) for _ in range(shape[0] * shape[1])], np.int32).reshape(shape)
    skips = [] if skipped is None else [const(np.array(skipped, np.int32))]
    return [*parameters([ids]), *constants(decomposed(WORDS)), *skips]


def _flagged_rows(rng: Random) -> list[In]:
    inputs = _rows(rng, broken)
    flags = np.array([rng.random() < 0.3 for _ in range(inputs[2].value.size)], np.bool_)
    return [*inputs, param(flags)]


def _byte_characters(rng: Random) -> str:
    characters = [chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324))]
    return "".join(rng.choice(characters) for _ in range(rng.randrange(6)))


def _two_texts(rng: Random) -> list[In]:
    shared = [text(rng, 1) for _ in range(3)]

    def word(rng: Random) -> str:
        return rng.choice(shared)

    return [*parameters(decomposed(texts(rng, word))), *parameters(decomposed(texts(rng, word)))]


def _byte_tokens(rng: Random) -> list[In]:
    def token(rng: Random) -> str:
        return rng.choice([f"<0x{rng.randrange(256):02X}>", f"<0x{rng.randrange(256):02X}>", "<s>", text(rng, 2)])

    return parameters(decomposed(texts(rng, token)))


def _hashed(rng: Random) -> list[In]:
    return parameters(decomposed(texts(rng, lambda rng: rng.randbytes(rng.randrange(200)))))


def _numbers(rng: Random, dtype: Any) -> list[In]:
    count = rng.randrange(5)
    if np.dtype(dtype).kind == "f":
        numbers = [
            rng.choice([rng.gauss(0, 1), rng.gauss(0, 1) * 10 ** rng.randrange(-30, 30), 0.1, 1e10])
            for _ in range(count)
        ]
    else:
        limits = np.iinfo(np.int32 if dtype is np.int64 else dtype)
        numbers = [rng.choice([int(limits.min), int(limits.max), 7]) for _ in range(count)]
    return [param(np.array(numbers, np.float32 if np.dtype(dtype).kind == "f" else dtype).astype(dtype))]


def _strings(rng: Random) -> list[In]:
    items = [text(rng).replace("\0", "") for _ in range(rng.randrange(4))]
    return [param(np.array(items, object), "string")]


def packing_cases() -> Iterator[Case]:
    """Yield the layers that pack, unpack, compare and hash."""
    yield Case("StringTensorPack", lambda rng: parameters(decomposed([*texts(rng), b"x"])), 1)
    yield Case("StringTensorUnpack", _strings, 3)
    yield Case("RaggedTensorPack", _ragged, 1)
    for pad_right in (True, False):
        yield Case("RaggedToDense", _dense, 2, {"pad_right": pad_right})
    yield Case("RaggedToDense", _dense_by_side, 2)
    yield Case("RaggedToDense", _long_row, 2)
    yield Case("RaggedToSparse", lambda rng: _ragged(rng)[:2], 1)
    yield Case("RaggedToRagged", _rows_of_elements, 2)
    yield Case("FuzeRagged", _fuzed, 2)
    for side in ("left", "right"):
        yield Case("Truncate", partial(_truncated, side=side), 3)
        for mode in ("only_first", "only_second", "longest_first"):
            yield Case("Truncate", partial(_truncated_pairs, side=side, mode=mode), 6, {"m_num_inputs": 2})
    yield Case("CombineSegments", _segments, 6)
    yield Case("VocabEncoder", _encoded, 1)
    yield Case("VocabDecoder", lambda rng: _decoded(rng, None), 5, {"skip_tokens": (1, 3)})
    yield Case("VocabDecoder", lambda rng: _decoded(rng, [0, 2]), 5)
    yield Case("EqualStr", _two_texts, 1)
    yield Case("StringToHashBucket", _hashed, 1, {"num_buckets": 2**40})
    for dtype in (np.int32, np.int64, np.uint8, np.float32, np.float64):
        yield Case("NumericToString", partial(_numbers, dtype=dtype), 1, version="openvino_tokenizers")


def byte_cases() -> Iterator[Case]:
    """Yield the layers that change the bytes of texts."""
    for mode in (True, False):
        yield Case("UTF8Validate", _broken, 3, {"replace_mode": mode})
    yield Case("ByteFallback", _byte_tokens, 3)
    yield Case("BytesToChars", lambda rng: _rows(rng, broken), 5)
    yield Case("BytesToChars", _flagged_rows, 6)
    yield Case("CharsToBytes", lambda rng: _rows(rng, _byte_characters), 3)


def _flagged(rng: Random, make: Callable[[Random], list[In]] = _texts) -> list[In]:
    inputs = make(rng)
    return [*inputs, param(np.array([rng.random() < 0.3 for _ in range(inputs[0].value.size)], np.bool_))]


def normalization_cases() -> Iterator[Case]:
    """Yield the layers that normalize texts."""
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        yield Case("NormalizeUnicode", _texts, 3, {"normalization_form": form})
        yield Case("CharsMapNormalization", _texts, 3, {"normalization_form": form.lower()})
        yield Case("CharsMapNormalization", _flagged, 4, {"normalization_form": form.lower(), "case_fold": True})
    yield Case("NormalizeUnicode", _flagged, 4, {"normalization_form": "NFKC"})
    yield Case("CaseFold", _texts, 3, {"encoding": "utf-8"})
    yield Case("CaseFold", _flagged, 4, {"encoding": "utf-8"})
    for lower in (True, False):
        yield Case("CaseFold", _texts, 3, {"encoding": "", "lower": lower})
    for prefix, extra, escape in product((True, False), repeat=3):
        options = {"add_dummy_prefix": prefix, "remove_extra_whitespaces": extra, "escape_whitespaces": escape}
        yield Case("CharsMapNormalization", _broken, 3, {"normalization_form": "nfkc", **options})


LETTERS = "abcdefgh"


def _tokens(rng: Random, longest: int, fewest: int = 1) -> list[bytes]:
    """Return different tokens of few letters, which overlap in many ways."""
    tokens = {"".join(rng.choice(LETTERS) for _ in range(rng.randint(fewest, longest))) for _ in range(60)}
    return [token.encode() for token in sorted(tokens)]


def _word(rng: Random) -> str:
    word = "".join(rng.choice(LETTERS) for _ in range(rng.randrange(12)))
    return word if rng.random() < 0.8 else word + text(rng, 2)


def _padded_rows(rng: Random) -> list[In]:
    """Return rows of texts and bytes that none reads: the wheel has no memory for more ids than there are bytes.

    No text is empty: in an empty word the wheel reads the bytes that follow it."""
    items = [item or b"a" for item in texts(rng, _word, 1)]
    return parameters([*rows(rng, len(items)), *decomposed([*items, b"x" * 99])])


def _wordpiece(rng: Random, dtype: Any) -> list[In]:
    pieces = _tokens(Random(1), 3)
    vocabulary = [b"[UNK]", *pieces[::2], *[b"##" + piece for piece in pieces], "##é".encode(), "日".encode()]
    return [*_padded_rows(rng), *constants(decomposed(vocabulary)), const(dtype(0))]


def _learned_merges() -> tuple[list[bytes], list[tuple[bytes, bytes]]]:
    """Return a vocabulary of letters and the results of merges, and the merges."""
    rng = Random(2)
    vocabulary = [letter.encode() for letter in LETTERS] + [b"<0x%02X>" % byte for byte in range(0x80, 0xA0)]
    merges: list[tuple[bytes, bytes]] = []
    while len(merges) < 80:
        left, right = (rng.choice([token for token in vocabulary if not token.startswith(b"<")]) for _ in range(2))
        if left + right not in vocabulary and len(left + right) < 7:
            vocabulary.append(left + right)
            merges.append((left, right))
    return vocabulary, merges


def _byte_pairs(rng: Random, are_pairs: bool, has_added: bool) -> list[In]:
    vocabulary, merges = _learned_merges()
    texts_of_merges = [left + b" " + right for left, right in merges]
    parts = [[left for left, _ in merges], [right for _, right in merges]] if are_pairs else [texts_of_merges]
    added = [*constants(decomposed([b"<s>", b"ab"])), const(np.array([500, 501], np.int32))] if has_added else []
    merged = [item for part in parts for item in constants(decomposed(part))]
    return [*_padded_rows(rng), *constants(decomposed([*vocabulary, b"<unk>"])), *merged, *added]


def _unigram(rng: Random) -> list[In]:
    fixed = Random(3)
    vocabulary = [b"<unk>", *_tokens(fixed, 4), *[letter.encode() for letter in LETTERS[:6]], "é".encode()]
    vocabulary = list(dict.fromkeys(vocabulary))
    scores = np.array([-fixed.random() * 9 for _ in vocabulary], np.float32)
    return [*_rows(rng, _word), *constants(decomposed(vocabulary)), const(scores)]


def _trie(rng: Random) -> list[In]:
    vocabulary = list(dict.fromkeys([*[bytes([byte]) for byte in range(256)], *_tokens(Random(4), 4, 2)]))
    items = texts(rng, _word, 1)
    begins = np.arange(len(items), dtype=np.int32)
    ids = const(np.arange(len(vocabulary), dtype=np.int32) + 7)
    return [*parameters([begins, begins + 1, *decomposed(items)]), *constants(decomposed(vocabulary)), ids]


def encoding_cases() -> Iterator[Case]:
    """Yield the layers that turn texts into ids."""
    for dtype in (np.int32, np.int64):
        yield Case("WordpieceTokenizer", partial(_wordpiece, dtype=dtype), 3)
    for are_pairs, has_added in product((False, True), repeat=2):
        make = partial(_byte_pairs, are_pairs=are_pairs, has_added=has_added)
        yield Case("BPETokenizer", make, 3, {"unk_token": "<unk>"})
        yield Case("BPETokenizer", make, 3, {"byte_fallback": True, "end_suffix": "a" if has_added else ""})
    yield Case("UnigramTokenizer", _unigram, 3, {"unk_token_id": 0, "min_score": "inf"})
    yield Case("TrieTokenizer", _trie, 3)


NORMALIZED = (
    (r"\p{Mn}", ""), (r"^(\S)", " $1"), (r"\s", " "), (r"([\p{Han}])", " $1 "), (r"^([^ ])", " $1"), (" ", "▁"),
    (r"(?:^)([\s\S])", "▁$1"), (r"(^)([^▁])", "▁$2"), (r"([\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\p{Cf}])", ""),
    (r"^\s*|\s*$", ""), ("▁", " "), ("^ ", ""), (" $", ""), ("(^ )([^ ])", "$2"), ("##", ""), (r"\w+", "$$\\0"),
    (r" ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't)", r"\1"), (r"(a)|(b)", "$1"), (r"\b", "|"), (r"x*", "-"),
    (r"(^)((?!<s>|ab| |$)|(?=[\r\n\t\f\v]))", "▁"), (r"[\S\n]+", "w"), (r"[^\S\n]+", "w"), (r"\d+", "0"),
)  # fmt: skip
"""Patterns with their replacements."""
CASES = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
SPLIT = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", r"\s+",
    r"\w+|[^\w\s]+", r"\p{Nd}|\p{Nl}|\p{No}",
    r"[!-/]|[:-@]|[\[-`]|[{-~]|[\p{P}]|[\x{4E00}-\x{9FFF}]", r"\p{P}", "▁",
    CASES + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{N}{1,3}|\s+",
)  # fmt: skip
SPECIAL = (r"(<s>|ab|\#\#)", r"(?:\s*)(<s>)|(ab)(?:\s*)|(?:\s*)(▁)(?:\s*)", r"(\ \ )")


def _normalized(rng: Random, pattern: str, replacement: str, has_flags: bool) -> list[In]:
    inputs = _flagged(rng) if has_flags else _texts(rng)
    return [*inputs, bytes_of(pattern), bytes_of(replacement)]


def _split(rng: Random, pattern: str, has_flags: bool) -> list[In]:
    items = [*texts(rng, fewest=1), b"x"]
    begins = np.arange(len(items), dtype=np.int32)
    bounds = rows(rng, len(items)) if has_flags else [begins, begins + 1]  # else the wheel reads beyond its flags
    inputs = parameters([*bounds, *decomposed(items)])
    flags = [param(np.array([rng.random() < 0.2 for _ in items], np.bool_))] if has_flags else []
    return [*inputs, *flags, bytes_of(pattern)]


def pattern_cases() -> Iterator[Case]:
    """Yield the layers that need regular expressions."""
    for number, (pattern, replacement) in enumerate(NORMALIZED):
        make = partial(_normalized, pattern=pattern, replacement=replacement, has_flags=number % 2 == 1)
        for is_global in (True, False):
            yield Case("RegexNormalization", make, 3 + number % 2, {"global_replace": is_global})
    for number, pattern in enumerate(SPLIT):
        split = partial(_split, pattern=pattern, has_flags=number % 2 == 1)
        for behaviour in ("remove", "isolate", "contiguous"):
            for invert in (False, True):
                yield Case("RegexSplit", split, 5 + number % 2, {"behaviour": behaviour, "invert": invert})
    for number, pattern in enumerate(SPECIAL):
        yield Case("SpecialTokensSplit", partial(_split, pattern=pattern, has_flags=number > 0), 6)
