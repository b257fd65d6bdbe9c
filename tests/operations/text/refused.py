"""Layers on texts that are refused, and results that the wheel of tokenizers leaves undefined."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.operations.text.stored import OURS
from tests.support.sample import ErrorSample, Sample, param
from tests.support.sentencepiece_file import BPE, CONTROLS, WORD, model, small_model
from tests.support.text_inputs import bytes_of, constants, decomposed, parameters

TEXTS = ["i32[2]", "i32[2]", "u8[9]"]
ROWS = ["i32[1]", "i32[1]", *TEXTS]


def refused(type: str, inputs: Any, part: str, says: str, outputs: int = 1, **attributes: Any) -> ErrorSample:
    return ErrorSample(type, "extension", inputs, attributes, part, says, outputs=outputs)


def failing(type: str, inputs: Any, says: str, outputs: int = 1, **attributes: Any) -> ErrorSample:
    return ErrorSample(type, "extension", inputs, attributes, says=says, code="IR701", outputs=outputs)


ROW = parameters([np.array([0], np.int32), np.array([1], np.int32), *decomposed([b"ab"])])


STRINGS = param(np.array(["a"], object), "string")
CONTROL = param(np.array(["<s>"], object), "string")


def vector(*numbers: int) -> Any:
    return param(np.array(numbers, np.int32))


def sample(type: str, inputs: Any, expected: Any, outputs: int = 1, **attributes: Any) -> Sample:
    return Sample(type, "extension", inputs, attributes, expected, outputs=outputs, openvino=OURS, openvino_shapes=OURS)


PACKED = np.frombuffer(np.array([2, 0, 1, 3], np.int32).tobytes() + b"abc", np.uint8)
OFFSETS = [np.array([0, 1]), np.array([1, 3]), np.frombuffer(b"abc", np.uint8)]

SAMPLES = [
    sample("StringTensorUnpack", [param(PACKED, "u8")], OFFSETS, 3),
    sample("RaggedToRagged", [vector(0, 1, 1, 2, 4), vector(4)], [np.array([0, 1, 3, 4]), np.array([1, 3, 4, 4])], 2),
    sample("FuzeRagged", [vector(0, 1, 1), vector(1, 1, 2), vector(0, 3), vector(3, 5)],
           [np.array([0, 3, 3]), np.array([3, 3, 5])], 2),
    Sample("NumericToString", "openvino_tokenizers", [param([True, False])], openvino=OURS, openvino_shapes=OURS,
           expected=np.array(["true", "false"], object)),
]  # fmt: skip

PATTERNS = "tests/operations/test_text_patterns.py"
COVERED_BY = {(type, "extension"): PATTERNS for type in ("RegexNormalization", "RegexSplit", "SpecialTokensSplit")}

ERRORS = [
    refused("StringTensorPack", ["i32[2]", "i32[3]", "u8[9]"], "ends", "[3]"),
    refused("StringTensorUnpack", ["f32[2]"], "data", "f32", 3),
    failing("StringTensorUnpack", [param([1, 2], "u8")], "no packed strings", 3),
    refused("RaggedTensorPack", ["i64[2]", "i32[2]", "f32[9]"], "begins", "i64"),
    refused("RaggedToDense", ["i32[2]", "i32[2]", "i32[9]", "i32[]", "f32[]"], "value", "f32", 2),
    failing("RaggedToDense", [vector(0), vector(9), vector(1, 2), param(np.int32(3)), param(np.int32(0))], "only 2", 2),
    failing("RaggedToDense", [vector(0), vector(1), vector(1, 2), param(np.int32(-3)), param(np.int32(0))], "-3", 2),
    refused("RaggedToSparse", ["i32[2]", "i32[3]"], "ends", "[3]"),
    failing("RaggedToSparse", [vector(3), vector(2)], "before it begins"),
    failing("RaggedToRagged", [vector(-1), vector(2)], "-1", 2),
    failing("RaggedToRagged", [vector(1, 0), vector(2)], "ascending", 2),
    failing("FuzeRagged", [vector(0), vector(3), vector(0, 1), vector(1, 2)], "only 2 parts", 2),
    failing("Truncate",
            [vector(0), vector(2), vector(1, 2), vector(1), bytes_of("up"), bytes_of("only_first")], "'up'", 3),
    refused("Truncate", [*TEXTS, "i32[]"], "", "must have 6 or 9", 3),
    refused("CombineSegments", [*TEXTS, "i32[3]", "i32[3]", "u8[9]", "i32[2]"], "begins", "[3]", 6),
    refused("VocabEncoder", [*TEXTS, *TEXTS, "f32[2]", "f32[]"], "values", "f32"),
    failing("VocabEncoder",
            [vector(0), vector(9), bytes_of("abc"), *constants(decomposed([b"a"])), vector(1), vector(0)],
            "only 3 symbols"),
    refused("VocabDecoder", ["i64[2,2]", *TEXTS], "ids", "i64", 5),
    refused("UTF8Validate", ["i32[2]", "i32[2]", "i8[9]"], "chars", "i8", 3),
    refused("ByteFallback", ["i32[2]", "i32[2]", "u8[9,1]"], "chars", "rank 2", 3),
    refused("BytesToChars", [*ROWS, "i32[2]"], "skips", "i32", 6),
    refused("CharsToBytes", ["i64[1]", *ROWS[1:]], "row_begins", "i64", 3),
    failing("CharsToBytes", [vector(0), vector(2), *parameters(decomposed([b"a"]))], "only 1 texts", 3),
    refused("EqualStr", [*TEXTS, "i32[2]", "i32[2]", "string[2]"], "second_chars", "string"),
    ErrorSample("NumericToString", "openvino_tokenizers", ["string[2]"], part="data", says="string"),
    refused("CharsMapNormalization", TEXTS, "normalization_form", "'nfx'", 3, normalization_form="nfx"),
    refused("CharsMapNormalization", TEXTS, "", "neither", 3),
    failing("CharsMapNormalization", [*parameters(decomposed([b"a"])), bytes_of(b"\x09abc")], "trie", 3),
    refused("NormalizeUnicode", [*TEXTS, "i32[2]"], "skips", "i32", 4),
    refused("CaseFold", TEXTS, "encoding", "'utf-16'", 3, encoding="utf-16"),
    refused("WordpieceTokenizer", [*ROWS, *TEXTS, "f32[]"], "unk_token_id", "f32", 3),
    refused("BPETokenizer", [*ROWS, *TEXTS], "", "8 inputs", 3),
    failing("BPETokenizer", [*ROW, *constants(decomposed([b"a", b"b"])), *constants(decomposed([b"a b"]))], "b'ab'", 3),
    refused("UnigramTokenizer", [*ROWS, *TEXTS, "f64[2]"], "scores", "f64", 3),
    failing("UnigramTokenizer", [*ROW, *constants(decomposed([b"a"])), param([1.0, 2.0])], "2 scores for 1", 3),
    refused("TrieTokenizer", [*ROWS, *TEXTS, "i64[2]"], "ids", "i64", 3),
    failing("TrieTokenizer", [*ROW, *constants(decomposed([b"b"])), vector(0)], "0x61", 3),
    refused("RegexNormalization", [*TEXTS, "i32[2]", "u8[2]", "u8[2]"], "skips", "i32", 4),
    refused("RegexSplit", [*ROWS, "u8[2]"], "max_splits", "0", 5, max_splits=0),
    refused("SpecialTokensSplit", [*ROWS, "i32[2]"], "pattern", "i32", 6),
    refused("SentencepieceTokenizer", ["u8[9]", "i32[2]"], "texts", "i32", 3),
    refused("SentencepieceTokenizer", ["u8[9]", "string[2]", "i32[1]"], "", "3 inputs", 3),
    refused("SentencepieceTokenizer", ["u8[9]", "string[2]"], "nbest_size", "-1", 3, nbest_size=-1),
    failing("SentencepieceTokenizer", [bytes_of(b"\x0a\x09a"), STRINGS], "ends within a field", 3),
    failing("SentencepieceTokenizer", [bytes_of(b"\x0b"), STRINGS], "wire type 3", 3),
    failing("SentencepieceTokenizer", [bytes_of(b"\xff"), STRINGS], "within a number", 3),
    failing("SentencepieceTokenizer", [bytes_of(model([], {}, {})), STRINGS], "0 unknown pieces", 3),
    failing("SentencepieceTokenizer", [bytes_of(model([*CONTROLS, ("", 0, 1)], {}, {})), STRINGS], "empty piece", 3),
    failing("SentencepieceTokenizer", [bytes_of(model([*CONTROLS, *CONTROLS], {}, {})), STRINGS], "twice", 3),
    failing("SentencepieceTokenizer", [bytes_of(model(CONTROLS, {35: 1}, {})), STRINGS], "0 pieces for bytes", 3),
    failing("SentencepieceTokenizer", [bytes_of(model(CONTROLS[:1], {}, {})), STRINGS], "lacks b'<s>'", 3,
            add_bos=True),
    failing("SentencepieceTokenizer", [bytes_of(small_model(WORD, False, prefix=0)), CONTROL], "control piece", 3),
    refused("SentencepieceDetokenizer", ["u8[9]", "i64[2,2]"], "ids", "i64", 3),
    failing("SentencepieceDetokenizer", [bytes_of(small_model(BPE, False)), param([[3, -1]], "i32")], "-1", 3),
    refused("SentencepieceStreamDetokenizer", ["u8[9]", "i32[2]"], "ids", "rank 1", 3),
    failing("SentencepieceStreamDetokenizer", [bytes_of(small_model(BPE, False)), param([[3, -1]], "i32")], "-1", 3),
    refused("ContribStringJoin", [*TEXTS, "u8[1]", "f32[]"], "axis", "f32", 3),
    failing("ContribStringJoin", [*parameters(decomposed([b"a", b"b"])), bytes_of("-"), param(np.int64(1))], "is 1", 3),
    refused("ContribStringSplit", [*TEXTS, "u8[1]", "f32[]"], "skip_empty", "f32", 5),
    refused("StringToHashBucket", TEXTS, "num_buckets", "0", num_buckets=0),
]  # fmt: skip
