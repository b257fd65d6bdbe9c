"""Models that turn rows of texts into token ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.constant_tables import ConstantTables
from ir_plugin.operations.shapes import require_rank
from ir_plugin.operations.spans import offsets_of, pairs_of, texts_of
from ir_plugin.operations.text.best_path import UNKNOWN_PENALTY, BestPath
from ir_plugin.operations.text.byte_pairs import BytePairs
from ir_plugin.operations.text.layout import POSITIONS, positions_of, require_count, require_rows, require_texts
from ir_plugin.operations.text.token_table import TokenTable
from ir_plugin.tensors import Array, TensorInfo

Encode = Callable[[bytes], Sequence[int]]


def infer_rows(inputs: Sequence[TensorInfo]) -> tuple[TensorInfo, ...]:
    """Return rows of ids for rows of texts and a vocabulary, the first eight inputs."""
    shape = require_rows(inputs[:5])
    require_texts(inputs[5], inputs[6], inputs[7], "vocabulary_")
    return *positions_of(shape), POSITIONS


def encoded(inputs: Sequence[Array], encode: Encode) -> tuple[Array, ...]:
    """Return the ids of the texts of each row, one text after the other."""
    row_begins, row_ends, begins, ends, chars = inputs[:5]
    ids = [encode(text) for text in texts_of(begins, ends, chars)]
    rows = [
        list(chain.from_iterable(ids[first:last]))
        for first, last in pairs_of(row_begins, row_ends, len(ids), "texts", "a row")
    ]
    new_begins, new_ends = offsets_of([len(row) for row in rows])
    joined = np.fromiter(chain.from_iterable(rows), np.int32)
    return new_begins.reshape(row_begins.shape), new_ends.reshape(row_begins.shape), joined


def _ids(tokens: Sequence[bytes]) -> dict[bytes, int]:
    """Return the id of each token, of equal ones the last."""
    return {token: id for id, token in enumerate(tokens)}


class WordpieceTokenizer(ConstantTables, version="extension"):
    """The ids of each word: the longest token that begins it, then the longest ones that continue it.

    Tokens that continue words begin with `suffix_indicator`. A word that cannot be divided, or that has more than
    `max_bytes_per_word` bytes, is unknown; the last input is the id for it.

    OpenVINO's tokenizers differ: an empty word has the bytes that follow it, and there may be no more ids than bytes.
    Example: an empty word before the word `b` is unknown, and b is not; the wheel raises.
    """

    widen = False
    table_inputs = (5, 6, 7)

    suffix_indicator: str
    max_bytes_per_word: int

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return rows of ids."""
        require_count(inputs, 9, 9)
        require_type("unk_token_id", inputs[8], "i32", "i64")
        return infer_rows(inputs)

    def build_tables(self, begins: Array, ends: Array, chars: Array) -> tuple[TokenTable, TokenTable]:
        """Return the tokens that begin words, and those that continue them."""
        indicator, tokens = self.suffix_indicator.encode(), _ids(texts_of(begins, ends, chars))
        continuing = {token: id for token, id in tokens.items() if token.startswith(indicator)}
        starts = TokenTable({token: id for token, id in tokens.items() if token not in continuing})
        return starts, TokenTable({token[len(indicator) :]: id for token, id in continuing.items()})

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the ids."""
        starts, continuing = self.tables_of(*inputs)
        unknown = [int(inputs[8].reshape(-1)[0])]

        def encode(word: bytes) -> list[int]:
            if not 0 < len(word) <= self.max_bytes_per_word:
                return unknown
            ids, position, table = [], 0, starts
            while position < len(word):
                match = table.longest(word, position)
                if match is None:
                    return unknown
                position, table = position + match[0], continuing
                ids.append(match[1])
            return ids

        return encoded(inputs, encode)


class BPETokenizer(ConstantTables, version="extension"):
    """The ids of each text by byte pair encoding.

    After the vocabulary come the merges, as texts `left right` or as left parts and right parts, then the added tokens
    and their ids, if there are any. `end_suffix` is appended to each text. Bytes without a token are tokens such as
    `<0x0A>` with `byte_fallback`, else `unk_token`, or vanish without one.

    OpenVINO's tokenizers differ: there is memory for as many ids as bytes, beyond which others' memory is written.
    Example: one letter with the `end_suffix` `</w>`, of whose letters each is a token, gives five ids; the wheel may
    end the process.
    """

    widen = False

    unk_token: str
    fuse_unk: bool
    suffix_indicator: str
    end_suffix: str
    byte_fallback: bool
    cache_capacity: int

    def positions_of_tables(self, count: int) -> Sequence[int]:
        """Return the inputs that follow the texts."""
        return range(5, count)

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return rows of ids."""
        require_count(inputs, 11, 14, 15, 18)
        require_texts(inputs[8], inputs[9], inputs[10], "merges_")
        if len(inputs) in (14, 18):
            require_texts(inputs[11], inputs[12], inputs[13], "right_merges_")
        if len(inputs) > 14:
            require_texts(inputs[-4], inputs[-3], inputs[-2], "added_tokens_")
            require_type("added_token_ids", inputs[-1], "i32")
        return infer_rows(inputs)

    def build_tables(self, *arrays: Array) -> BytePairs:
        """Return the vocabulary with its merges."""
        parts = [texts_of(arrays[at], arrays[at + 1], arrays[at + 2]) for at in range(0, len(arrays) - 2, 3)]
        vocabulary, count = _ids(parts[0]), len(arrays) + 5
        if count > 14:
            for token, id in zip(parts[-1], arrays[-1].reshape(-1).tolist(), strict=True):
                vocabulary.setdefault(token, id)
        if count in (14, 18):
            merges = list(zip(parts[1], parts[2], strict=True))
        else:
            merges = [(left, right or left) for left, _, right in (text.partition(b" ") for text in parts[1])]
        unknown = vocabulary.get(self.unk_token.encode())
        capacity = self.cache_capacity
        return BytePairs(vocabulary, merges, unknown, self.end_suffix.encode(), self.byte_fallback, capacity)

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the ids."""
        return encoded(inputs, self.tables_of(*inputs).encode)


class UnigramTokenizer(ConstantTables, version="extension"):
    """The ids of each text by a unigram language model: the tokens with the highest sum of scores, the last input.

    A character without a token has the id `unk_token_id`; neighbouring ones have one.
    """

    widen = False
    table_inputs = (5, 6, 7, 8)

    byte_fallback: bool
    unk_token_id: int
    fuse_unk: bool
    min_score: float

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return rows of ids."""
        require_count(inputs, 9, 9)
        require_type("scores", inputs[8], "f32")
        require_rank("scores", inputs[8].shape, 1)
        return infer_rows(inputs)

    def build_tables(self, begins: Array, ends: Array, chars: Array, scores: Array) -> BestPath:
        """Return the tokens with their scores."""
        tokens = texts_of(begins, ends, chars)
        if len(tokens) != scores.size:
            raise EvaluationError(f"there are {scores.size} scores for {len(tokens)} tokens")
        unknown_score = float(scores.min(initial=0) - UNKNOWN_PENALTY)
        return BestPath(TokenTable(_ids(tokens)), scores.tolist(), self.unk_token_id, unknown_score, rounds_sums=True)

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the ids."""
        return encoded(inputs, self.tables_of(*inputs).encode)


class TrieTokenizer(ConstantTables, version="extension"):
    """The ids, the last input, of the longest tokens of each text from the left; bytes without a token are an error.

    OpenVINO's tokenizers differ: a byte without a token is an endless loop. Example: the text `b` and the token `a` are
    an error; the wheel never returns.
    """

    widen = False
    table_inputs = (5, 6, 7, 8)

    def infer(self, *inputs: TensorInfo) -> tuple[TensorInfo, ...]:
        """Return rows of ids."""
        require_count(inputs, 9, 9)
        require_type("ids", inputs[8], "i32")
        return infer_rows(inputs)

    def build_tables(self, begins: Array, ends: Array, chars: Array, ids: Array) -> TokenTable:
        """Return the tokens."""
        return TokenTable(dict(zip(texts_of(begins, ends, chars), ids.reshape(-1).tolist(), strict=True)))

    def evaluate(self, *inputs: Array) -> tuple[Array, ...]:
        """Return the ids."""
        tokens = self.tables_of(*inputs)

        def encode(text: bytes) -> list[int]:
            ids, position = [], 0
            while position < len(text):
                match = tokens.longest(text, position)
                if match is None:
                    raise EvaluationError(f"no token begins with the byte 0x{text[position]:02X} of a text")
                ids.append(match[1])
                position += match[0]
            return ids

        return encoded(inputs, encode)
