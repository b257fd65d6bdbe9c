"""The options of a tokenizer and a detokenizer as inputs of their models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ir_plugin.errors import ArgumentTypeError, ArgumentValueError, require, wrong_type
from ir_plugin.model import Node, Output
from ir_plugin.openvino.api import Model
from ir_plugin.openvino.genai.special_tokens import is_number
from ir_plugin.operations.arithmetic.binary import Add, Subtract
from ir_plugin.operations.spans import texts_of
from ir_plugin.operations.text.ragged import RaggedToDense
from ir_plugin.operations.text.segments import CombineSegments, Truncate
from ir_plugin.operations.text.sentencepiece import SentencepieceDetokenizer, SentencepieceStreamDetokenizer
from ir_plugin.operations.text.sentencepiece_model import PieceType, SentencePieceModel
from ir_plugin.operations.text.vocabulary import VocabDecoder
from ir_plugin.opsets import opset13
from ir_plugin.tensors import Array

UNLIMITED = 2**31 - 1 - 64
"""The limit of a row that is not truncated, as openvino_genai writes it."""

_SIDES = {"left": False, "right": True}


@dataclass(frozen=True)
class EncodingOptions:
    """How texts become rows of tokens."""

    add_special_tokens: bool = True
    pad_to_max_length: bool = False
    max_length: int | None = None
    padding_side: str | None = None
    truncation: bool = False

    def __post_init__(self) -> None:
        for name in ("add_special_tokens", "pad_to_max_length", "truncation"):
            require(getattr(self, name), (bool, np.bool_), "True or False", name)
        if self.max_length is not None and (not is_number(self.max_length) or self.max_length < 0):
            raise wrong_type("max_length", "a number of tokens", self.max_length)
        if self.padding_side not in (None, *_SIDES):
            raise ArgumentValueError(f"padding_side is {self.padding_side!r}; it must be 'left' or 'right'")

    @staticmethod
    def of(arguments: tuple[Any, ...], options: Mapping[str, Any]) -> EncodingOptions:
        """Return the options of a call."""
        try:
            return EncodingOptions(*arguments, **options)
        except TypeError as fault:
            raise ArgumentTypeError(f"encode: {fault}".replace("EncodingOptions.__init__()", "it")) from None


class EncoderInputs:
    """The inputs that were added to the model of a tokenizer, one for each option that it has."""

    def __init__(self, model: Model) -> None:
        self._names: set[str] = set()
        self._max_length = 0
        self._pad_right = True
        self._special_count = 0
        nodes = model.get_ordered_ops()
        segments = next((node for node in reversed(nodes) if node.is_a(CombineSegments)), None)
        if segments is None:
            return
        ports = [(segments.input(at), segments.input(at + 1)) for at in range(0, 3 * (len(segments.inputs) // 3), 3)]
        texts = [(begins.get_source_output().node, ends.get_source_output().node) for begins, ends in ports]
        added = [ends for (_, ends), nodes_ in zip(ports, texts, strict=True) if not _is_text(*nodes_)]
        self._special_count = len(added)
        if added:
            is_added = self._add(model, "add_special_tokens", [], "boolean")
            for ends in added:
                ends.replace_source_output(opset13.select(is_added, ends.get_source_output(), np.int32(0)).output(0))
        limit = next((_limit(*pair, count=len(texts) - len(added)) for pair in texts if _is_text(*pair)), None)
        if limit is not None:
            self._limit_rows(model, limit, [node for node in nodes if node.is_a(RaggedToDense)])

    def _limit_rows(self, model: Model, limit: Output, dense: list[Node]) -> None:
        """Let inputs say how long rows may be, how long they are padded, and on which side."""
        select = limit.node
        constant = limit.constant if limit.constant is not None else select.input_value(1).constant
        if constant is None:
            return
        self._max_length = int(constant.reshape(-1)[0]) + self._special_count
        limit.replace(self._add(model, "limit", list(constant.shape), "i32").output(0))
        sides = {bool(node.operation.pad_right) for node in dense}
        if len(sides) != 1:
            return
        (self._pad_right,) = sides
        length, side = self._add(model, "padded_length", [], "i32"), self._add(model, "pad_right", [], "boolean")
        for node in dense:
            begins, ends, data, target, value = node.input_values()[:5]
            node.set_arguments([begins, ends, data, opset13.maximum(target, length).output(0), value, side.output(0)])

    def _add(self, model: Model, name: str, shape: list[int], type: str) -> Node:
        parameter = opset13.parameter(shape, type, name)
        parameter.output(0).set_names({name})
        model.add_parameters([parameter])
        self._names.add(name)
        return parameter

    def values(self, options: EncodingOptions) -> dict[str, Array]:
        """Return the values of the inputs for the options of a call."""
        max_length = self._max_length if options.max_length is None else options.max_length
        special_count = self._special_count if options.add_special_tokens else 0
        side = self._pad_right if options.padding_side is None else _SIDES[options.padding_side]
        values = {
            "add_special_tokens": np.array(bool(options.add_special_tokens)),
            "limit": np.array(max_length - special_count if options.truncation else UNLIMITED, np.int32),
            "padded_length": np.array(max_length if options.pad_to_max_length else 0, np.int32),
            "pad_right": np.array(side),
        }
        return {name: values[name] for name in self._names}


def _is_text(begins: Node, ends: Node) -> bool:
    """Return whether a segment is one of texts, not of special tokens: its rows are truncated."""
    return ends.is_a(Add, Truncate) or begins.is_a(Subtract)


def _limit(begins: Node, ends: Node, count: int) -> Output | None:
    """Return the port with the longest length that rows of texts may have."""
    if ends.is_a(Truncate):
        return ends.input_value(3 * count)
    shorter = (ends if ends.is_a(Add) else begins).input_value(1).node
    return shorter.input_value(1) if len(shorter.inputs) == 2 else None


class DecoderInputs:
    """The input that was added to the model of a detokenizer, the tokens that have no text, and its vocabulary."""

    def __init__(self, model: Model) -> None:
        nodes = [node for node in model.get_ordered_ops() if node.is_a(VocabDecoder, SentencepieceDetokenizer)]
        self._decoder = nodes[-1] if nodes else None
        self._skipped: Array | None = None
        if self._decoder is None or not self._decoder.is_a(VocabDecoder) or len(self._decoder.inputs) < 5:
            return
        port = self._decoder.input_value(4)
        constant = port.constant if port.constant is not None else port.node.input_value(0).constant
        if constant is None:
            return
        self._skipped = constant
        parameter = opset13.parameter([-1], "i32", "skipped_tokens")
        parameter.output(0).set_names({"skipped_tokens"})
        model.add_parameters([parameter])
        self._decoder.input(4).replace_source_output(parameter.output(0))

    def values(self, *, skip_special_tokens: bool) -> dict[str, Array]:
        """Return the value of the input."""
        if self._skipped is None:
            return {}
        return {"skipped_tokens": self._skipped if skip_special_tokens else self._skipped[:0]}

    @property
    def vocabulary(self) -> list[bytes]:
        """The bytes of each token."""
        return self._tokens[0]

    def textless(self, *, skip_special_tokens: bool) -> Callable[[int], bool]:
        """Return whether a token adds nothing to a text."""
        texts, always = self._tokens
        skipped = self.values(skip_special_tokens=skip_special_tokens).get("skipped_tokens", np.empty(0, np.int32))
        left_out = always | set(skipped.reshape(-1).tolist())
        return lambda token: token in left_out or token >= len(texts) > 0

    @cached_property
    def _tokens(self) -> tuple[list[bytes], frozenset[int]]:
        """The bytes of each token, and the tokens that never have a text."""
        if self._decoder is None:
            return [], frozenset()
        if not self._decoder.is_a(VocabDecoder):
            return _pieces(self._decoder)
        texts = _vocabulary(self._decoder)
        skipped = self._decoder.operation.skip_tokens if len(self._decoder.inputs) < 5 else ()
        return texts, frozenset([*skipped, *(id for id, text in enumerate(texts) if not text)])


def _vocabulary(decoder: Node) -> list[bytes]:
    """Return the bytes of each token."""
    begins, ends, chars = (port.constant for port in decoder.input_values()[1:4])
    return [] if begins is None or ends is None or chars is None else texts_of(begins, ends, chars)


def _pieces(decoder: Node) -> tuple[list[bytes], frozenset[int]]:
    """Return the pieces of a SentencePiece model, and those that have no text."""
    blob = decoder.input_value(0).constant
    if blob is None:
        return [], frozenset()
    model, is_stream = SentencePieceModel(blob.tobytes()), decoder.is_a(SentencepieceStreamDetokenizer)
    controls = [] if is_stream else [id for id, type in enumerate(model.types) if type is PieceType.CONTROL]
    return model.pieces, frozenset(controls)
