"""The tokenizer of a folder: texts to tokens and back, special tokens and the chat template."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ir_plugin.diagnostics import Finding, Span
from ir_plugin.errors import (
    ArgumentTypeError,
    InputError,
    MissingFileError,
    ReadError,
    UnsupportedError,
    require,
    wrong_type,
)
from ir_plugin.openvino.api import Core, InferRequest, Model, Tensor
from ir_plugin.openvino.genai.chat_history import ChatHistory
from ir_plugin.openvino.genai.chat_template import ChatTemplateError, apply_template
from ir_plugin.openvino.genai.model_file import require_folder
from ir_plugin.openvino.genai.special_tokens import KINDS, SpecialTokens, read_template
from ir_plugin.openvino.genai.tokenizer_options import DecoderInputs, EncoderInputs, EncodingOptions
from ir_plugin.reader.foreign import DETOKENIZER_FILE, TOKENIZER_FILE
from ir_plugin.reader.missing import help_for_export
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.strings import to_bytes

WRITES_TOKENIZERS = "optimum-cli export openvino writes tokenizers where the package openvino-tokenizers is installed"
CONVERT_PAIRS = "convert it with openvino_tokenizers and number_of_inputs=2"


@dataclass
class TokenizedInputs:
    """Rows of tokens, which of them are no padding, and of pairs which of them are of the second text."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor | None = None


class Tokenizer:
    """Encodes texts as rows of tokens, and decodes tokens, by the two models of a folder.

    The chat template is that of `tokenizer_config.json`, `processor_config.json`, `chat_template.json`,
    `chat_template.jinja` or the tokenizer's model; the last of them that has one counts.
    """

    def __init__(
        self,
        tokenizer_path: str | PathLike[str] = "",
        *arguments: Any,
        tokenizer_model: str = "",
        add_second_input: bool = False,
        **properties: Any,
    ) -> None:
        core, source = Core(), tokenizer_model or tokenizer_path
        names = ("tokenizer_weights", "detokenizer_model", "detokenizer_weights")
        texts = [*arguments, *(properties.pop(name) for name in names if name in properties)]
        folder = None if len(texts) == 3 else Path(source)
        encoder, decoder = _parse(core, str(source), *texts) if folder is None else _read(core, folder)
        self._folder = folder
        self._special = SpecialTokens()
        self._template, self._template_file = "", None
        if folder is not None:
            self._special.read(folder)
            self._template, self._template_file = read_template(folder)
        self._lock = Lock()
        self._properties = properties
        self._text_count = 0
        self._encoder: InferRequest | None = None
        self._decoder: InferRequest | None = None
        if encoder is not None:
            self._read_encoder(core, encoder)
        if decoder is not None:
            self._read_decoder(core, decoder)
        if add_second_input and self._text_count < 2:
            raise UnsupportedError(f"the tokenizer takes no pairs of texts; {CONVERT_PAIRS}")

    def _read_encoder(self, core: Core, model: Model) -> None:
        path = self._path(TOKENIZER_FILE)
        _require_kind(model, path, reads_text=True)
        self._special.read_model(model, path)
        if model.has_rt_info(["chat_template"]):
            self._read_template(_text_of(model.get_rt_info(["chat_template"]).value))
        self._text_count = len(model.inputs)
        self._has_kinds = self._text_count == 2 and any("token_type_ids" in port.names for port in model.outputs)
        self._encoder_inputs = EncoderInputs(model)
        self._encoder = core.compile_model(model, "CPU", self._properties).create_infer_request()

    def _read_template(self, text: str) -> None:
        """Use the template of the tokenizer's model, if it has one."""
        if text:
            self._template = text
            self._template_file = self._path(TOKENIZER_FILE)

    def _path(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / name

    def _read_decoder(self, core: Core, model: Model) -> None:
        _require_kind(model, self._path(DETOKENIZER_FILE), reads_text=False)
        self._decoder_inputs = DecoderInputs(model)
        self._decoder = core.compile_model(model, "CPU", self._properties).create_infer_request()
        for kind in KINDS:
            if self._special.ids[kind] != -1 and not self._special.texts[kind]:
                self._special.texts[kind] = self.decode([self._special.ids[kind]], skip_special_tokens=False)

    def encode(self, *arguments: Any, **options: Any) -> TokenizedInputs:
        """Return the tokens of a text, of a list of texts, or of pairs: a list of pairs, or two lists of texts.

        The options are `add_special_tokens` (True), `pad_to_max_length` (False), `max_length` (that of the model),
        `padding_side` ("left", "right" or that of the model) and `truncation` (False).
        """
        first = next((options.pop(name) for name in ("prompts", "prompt", "prompts_1") if name in options), None)
        texts, *rest = arguments if first is None else (first, *arguments)
        second = rest.pop(0) if rest and not isinstance(rest[0], bool) else options.pop("prompts_2", None)
        encoding = EncodingOptions.of(tuple(rest), options)
        if second is None and _is_pairs(texts):
            texts, second = [pair[0] for pair in texts], [pair[1] for pair in texts]
        values = [_as_texts(texts), *([] if second is None else [_as_texts(second)])]
        if len(values) > self._text_count and self._encoder is not None:
            raise InputError("the tokenizer takes no pairs of texts")
        if len(values) == 2 and len(values[0]) != len(values[1]) and 1 not in (len(values[0]), len(values[1])):
            raise InputError(f"{len(values[0])} texts cannot be paired with {len(values[1])}")
        return self._encode([*values, np.empty(0, object)][: self._text_count], encoding)

    def _encode(self, texts: list[Array], options: EncodingOptions) -> TokenizedInputs:
        request = self._required(self._encoder, TOKENIZER_FILE)
        with self._lock:
            feeds: dict[Any, Any] = {**dict(enumerate(texts)), **self._encoder_inputs.values(options)}
            results = request.infer(feeds)
            names = ["input_ids", "attention_mask", *(["token_type_ids"] if self._has_kinds else [])]
            return TokenizedInputs(*(Tensor(np.array(results[name])) for name in names))

    def decode(self, tokens: Any, skip_special_tokens: bool = True) -> Any:
        """Return the text of a row of tokens, or the list of texts of several rows or of a tensor with two axes."""
        require(skip_special_tokens, bool, "True or False", "skip_special_tokens")
        if isinstance(tokens, Tensor):
            if tokens.data.ndim != 2 or tokens.data.dtype != np.int64:
                raise InputError(f"a tensor of tokens is i64 and has two axes; it cannot be {tokens!r}")
            return self._decode(tokens.data, skip_special_tokens)
        rows = list(_as_sequence(tokens))
        if rows and isinstance(rows[0], Iterable):
            longest = max(map(len, rows))
            padded = [[*row, *[self._special.ids["pad"]] * (longest - len(row))] for row in rows]
            return self._decode(_as_ids(padded).reshape(len(rows), longest), skip_special_tokens)
        return self._decode(_as_ids([rows]).reshape(1, len(rows)), skip_special_tokens)[0]

    def _decode(self, ids: Array, skip_special_tokens: bool) -> list[str]:
        request = self._required(self._decoder, DETOKENIZER_FILE)
        with self._lock:
            request.infer({0: ids, **self._decoder_inputs.values(skip_special_tokens=skip_special_tokens)})
            return [_without_surrogates(text) for text in request.get_output_tensor(0).values]

    def apply_chat_template(
        self,
        history: ChatHistory | Sequence[dict[str, Any]],
        add_generation_prompt: bool,
        chat_template: str = "",
        tools: Sequence[dict[str, Any]] | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> str:
        """Return the messages of a chat as one text."""
        chat = history if isinstance(history, ChatHistory) else ChatHistory(_as_sequence(history))
        special = {f"{kind}_token": self._special.texts[kind] for kind in KINDS}
        variables = {
            "messages": chat.get_messages(),
            "tools": (chat.get_tools() if tools is None else list(tools)) or None,
            "add_generation_prompt": add_generation_prompt,
            **special,
            **(chat.get_extra_context() if extra_context is None else extra_context),
        }
        try:
            return apply_template(chat_template or self._template, variables)
        except ChatTemplateError as fault:
            if chat_template or self._template_file is None:
                raise
            raise ChatTemplateError(f"{self._template_file.name}: {fault}", fault.line) from None

    @property
    def chat_template(self) -> str:
        """The chat template; empty if there is none."""
        return self._template

    @chat_template.setter
    def chat_template(self, chat_template: str) -> None:
        self.set_chat_template(chat_template)

    @property
    def template_file(self) -> Path | None:
        """The file that the chat template comes from, None where it comes from none."""
        return self._template_file

    def set_chat_template(self, chat_template: str) -> None:
        """Use another chat template than the folder's."""
        require(chat_template, str, "a text", "chat_template")
        self._template, self._template_file = chat_template, None

    def get_original_chat_template(self) -> str:
        """Return the chat template; templates are used as they are written."""
        return self._template

    def get_pad_token(self) -> str:
        """Return the text of the token that pads a row."""
        return self._special.texts["pad"]

    def get_pad_token_id(self) -> int:
        """Return the id of the token that pads a row, -1 if there is none."""
        return self._special.ids["pad"]

    def get_bos_token(self) -> str:
        """Return the text of the token that begins a row."""
        return self._special.texts["bos"]

    def get_bos_token_id(self) -> int:
        """Return the id of the token that begins a row, -1 if there is none."""
        return self._special.ids["bos"]

    def get_eos_token(self) -> str:
        """Return the text of the token that ends a row."""
        return self._special.texts["eos"]

    def get_eos_token_id(self) -> int:
        """Return the id of the token that ends a row, -1 if there is none."""
        return self._special.ids["eos"]

    def get_vocab(self) -> dict[bytes, int]:
        """Return the ids of all tokens by their bytes, which need not be UTF-8."""
        return {text: id for id, text in enumerate(self._vocabulary())}

    def get_vocab_vector(self) -> list[str]:
        """Return the texts of all tokens in the order of their ids, with U+FFFD for bytes that are no UTF-8."""
        return [text.decode("utf-8", "replace") for text in self._vocabulary()]

    def _vocabulary(self) -> list[bytes]:
        self._required(self._decoder, DETOKENIZER_FILE)
        return self._decoder_inputs.vocabulary

    def textless(self, skip_special_tokens: bool = True) -> Callable[[int], bool]:
        """Return whether a token adds nothing to a text."""
        require(skip_special_tokens, bool, "True or False", "skip_special_tokens")
        self._required(self._decoder, DETOKENIZER_FILE)
        return self._decoder_inputs.textless(skip_special_tokens=skip_special_tokens)

    def _required(self, request: InferRequest | None, file: str) -> InferRequest:
        if request is None:
            raise MissingFileError(f"{self._folder} has no {file}; {WRITES_TOKENIZERS}")
        return request

    def supports_paired_input(self) -> bool:
        """Return whether the tokenizer takes pairs of texts."""
        return self._text_count == 2


def _parse(core: Core, text: str, weights: Tensor, other: str, others: Tensor) -> tuple[Model | None, Model | None]:
    """Return the models of a tokenizer and a detokenizer from texts and weights in memory."""
    return core.read_model(text, weights), core.read_model(other, others)


def _read(core: Core, folder: Path) -> tuple[Model | None, Model | None]:
    """Return the models of a tokenizer and a detokenizer, None for one that the folder lacks."""
    require_folder(folder)
    paths = [folder / name for name in (TOKENIZER_FILE, DETOKENIZER_FILE)]
    if not any(os.path.isfile(path) for path in paths):
        help = help_for_export(str(folder)) or WRITES_TOKENIZERS
        raise MissingFileError(f"{folder} has neither {TOKENIZER_FILE} nor {DETOKENIZER_FILE}; {help}")
    encoder, decoder = (core.read_model(path) if os.path.isfile(path) else None for path in paths)
    return encoder, decoder


def _require_kind(model: Model, path: Path | None, *, reads_text: bool) -> None:
    """Raise where a tokenizer reads tokens, or a detokenizer texts."""
    types = [port.element_type for port in model.inputs[:1]]
    if types == [ElementType.string] and not reads_text:
        reason = "reads texts, as a tokenizer does; a detokenizer is needed"
    elif types in ([ElementType.i32], [ElementType.i64]) and reads_text:
        reason = "reads tokens, as a detokenizer does; a tokenizer is needed"
    else:
        return
    finding = Finding.of("LM003", f"the model {reason}", span=Span(str(path or "")))
    raise ReadError(f"{path or 'the model'} {reason}", [finding])


def _text_of(value: Any) -> str:
    """Return a text of a model's runtime information, of several texts with names the default one."""
    text = value.get("default") if isinstance(value, Mapping) else value
    return str(getattr(text, "value", text) or "")


def _is_pairs(texts: Any) -> bool:
    return isinstance(texts, (list, tuple)) and bool(texts) and isinstance(texts[0], (list, tuple))


def token_ids(tokenizer: Any, text: str, *, add_special_tokens: bool = True) -> list[int]:
    """Return the tokens of one text by a tokenizer with openvino_genai's methods."""
    ids: list[int] = tokenizer.encode(text, add_special_tokens=add_special_tokens).input_ids.data[0].tolist()
    return ids


def _as_texts(texts: Any) -> Array:
    """Return texts as an array of objects, which keeps zeros at the end of a text."""
    values = [texts] if isinstance(texts, str) else list(_as_sequence(texts))
    for text in values:
        require(text, str, "a text", "prompts")
    if not values:
        raise InputError("there is no text to encode")
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _without_surrogates(text: str) -> str:
    """Return a text with U+FFFD for the surrogates that stand for bytes that are no UTF-8."""
    return to_bytes(text).decode("utf-8", "replace")


def _as_sequence(values: Any) -> Any:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise wrong_type("tokens or texts", "a list", values)
    return values


def _as_ids(rows: list[list[int]]) -> Array:
    ids = np.array(rows)
    if ids.size and ids.dtype.kind not in "iu":
        raise ArgumentTypeError(f"tokens are whole numbers, not {ids.dtype}")
    return ids.astype(np.int64)
