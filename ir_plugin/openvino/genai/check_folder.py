"""Holds the files of a folder of texts against each other: model, tokenizer, detokenizer and configurations."""

from __future__ import annotations

import os
import string
from collections.abc import Iterator
from pathlib import Path

from ir_plugin.diagnostics import Finding, Span
from ir_plugin.errors import Error, UnsupportedError
from ir_plugin.openvino.api import Core, Model
from ir_plugin.openvino.genai.chat_template import compiled_template
from ir_plugin.openvino.genai.generation_config import GenerationConfig
from ir_plugin.openvino.genai.special_tokens import KINDS, is_number, read_json
from ir_plugin.openvino.genai.tokenizer import WRITES_TOKENIZERS, Tokenizer
from ir_plugin.reader.foreign import DETOKENIZER_FILE, MODEL_FILE, TOKENIZER_FILE

_GENERATION, _CONFIG = "generation_config.json", "config.json"
_WEIGHTS = "openvino_model.bin"
_TEXT_FILES = (TOKENIZER_FILE, DETOKENIZER_FILE, _GENERATION, "tokenizer_config.json")
_CONFIGS = (_CONFIG, _GENERATION, "tokenizer_config.json", "special_tokens_map.json", "chat_template.json")
_PROBE = f"{string.printable} žluťoučký 中文 🙂"
"""A text of many tokens."""


def is_text_folder(folder: Path) -> bool:
    """Return whether a folder has a model that optimum-intel writes, and files of a tokenizer or for generation."""
    is_exported = any(os.path.isfile(folder / name) for name in (MODEL_FILE, _WEIGHTS))
    return is_exported and any(os.path.isfile(folder / name) for name in _TEXT_FILES)


def check_text_folder(folder: Path) -> list[Finding]:
    """Return the contradictions between the files of a folder; files that are wrong by themselves are passed over."""
    malformed = list(_malformed(folder))
    if not os.path.isfile(folder / MODEL_FILE):
        help = f"it belongs to {_WEIGHTS}, which is there"
        return [*malformed, Finding.of("LM001", f"the folder has no {MODEL_FILE}", span=Span(str(folder)), help=help)]
    try:
        model = Core().read_model(folder / MODEL_FILE)
    except Error:
        return malformed
    is_decoder = any("beam_idx" in port.names for port in model.inputs)
    needed = (TOKENIZER_FILE, DETOKENIZER_FILE) if is_decoder else (TOKENIZER_FILE,)
    findings = [*malformed, *_missing(folder, needed)]
    size = _vocabulary_size(model) if is_decoder else None
    if malformed or not any(os.path.isfile(folder / name) for name in (TOKENIZER_FILE, DETOKENIZER_FILE)):
        return findings
    try:
        tokenizer = Tokenizer(folder)
        findings += _wrong_sizes(folder, tokenizer, size)
    except UnsupportedError as fault:
        span = Span(str(folder / MODEL_FILE))
        return [*findings, Finding.of("IR001", f"the folder was not checked: {fault}", span=span)]
    except Error:
        return findings
    return [*findings, *_wrong_special_tokens(folder, tokenizer, size), *_wrong_template(folder, tokenizer)]


def _malformed(folder: Path) -> Iterator[Finding]:
    for name in _CONFIGS:
        path = folder / name
        try:
            if name == _GENERATION and os.path.isfile(path):
                GenerationConfig(path)
            read_json(path)
        except Error as fault:
            message = str(fault).removeprefix(f"{path} ")
            yield Finding.of("LM002", f"the configuration cannot be used: {message}", span=Span(str(path)))


def _missing(folder: Path, names: tuple[str, ...]) -> Iterator[Finding]:
    for name in names:
        if not os.path.isfile(folder / name):
            yield Finding.of(
                "LM001",
                f"the folder has no {name}",
                span=Span(str(folder / MODEL_FILE)),
                help=WRITES_TOKENIZERS,
            )


def _vocabulary_size(model: Model) -> int | None:
    """Return for how many tokens a model computes logits, None where its shape does not say."""
    dims = model.outputs[0].partial_shape.dims
    return dims[-1].get_length() if dims and dims[-1].is_static else None


def _wrong_sizes(folder: Path, tokenizer: Tokenizer, size: int | None) -> Iterator[Finding]:
    """Yield numbers of tokens that do not fit the model's, and tokens that it does not have."""
    if size is None:
        return
    declared = read_json(folder / _CONFIG).get("vocab_size")
    if is_number(declared) and declared != size:
        yield _wrong_size(folder / _CONFIG, f"vocab_size is {declared}, the model has {size} tokens")
    if os.path.isfile(folder / DETOKENIZER_FILE) and len(tokenizer.get_vocab_vector()) > size:
        count = len(tokenizer.get_vocab_vector())
        yield _wrong_size(folder / DETOKENIZER_FILE, f"the detokenizer has {count} tokens, the model {size}")
    if os.path.isfile(folder / TOKENIZER_FILE):
        greatest = int(tokenizer.encode(_PROBE).input_ids.data.max())
        if greatest >= size:
            yield _wrong_size(
                folder / TOKENIZER_FILE, f"the tokenizer gives the token {greatest}, the model has {size}"
            )


def _wrong_size(path: Path, message: str) -> Finding:
    return Finding.of("LM003", message, span=Span(str(path)), help="take all files of the folder from one export")


def _wrong_special_tokens(folder: Path, tokenizer: Tokenizer, size: int | None) -> Iterator[Finding]:
    """Yield special tokens beyond the vocabulary, and an end that does not stop generation."""
    for name in (_CONFIG, _GENERATION):
        config = read_json(folder / name)
        for kind in KINDS:
            value = config.get(f"{kind}_token_id")
            ids: list[int] = [id for id in (value if isinstance(value, list) else [value]) if isinstance(id, int)]
            if size is not None and any(not 0 <= id < size for id in ids):
                message = f"{kind}_token_id is {value}; the model has the tokens 0 to {size - 1}"
                yield Finding.of("LM004", message, span=Span(str(folder / name)))
    if not os.path.isfile(folder / _GENERATION):
        return
    stops, end = GenerationConfig(folder / _GENERATION).stop_token_ids, tokenizer.get_eos_token_id()
    if stops and end not in {-1, *stops}:
        listed = ", ".join(map(str, sorted(stops)))
        message = f"generation ends at {listed}, not at the tokenizer's token that ends a text, {end}"
        yield Finding.of("LM004", message, span=Span(str(folder / _GENERATION)))


def _wrong_template(folder: Path, tokenizer: Tokenizer) -> Iterator[Finding]:
    if not tokenizer.chat_template:
        return
    span = Span(str(folder / MODEL_FILE))
    try:
        compiled_template(tokenizer.chat_template)
    except UnsupportedError as fault:
        yield Finding.of("IR001", f"the chat template was not checked: {fault}", span=span)
    except Error as fault:
        yield Finding.of("LM005", str(fault), span=span)
