"""Holds the files of a folder of texts against each other: model, tokenizer, detokenizer and configurations."""

from __future__ import annotations

import os
import string
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ir_plugin.diagnostics import Finding, Severity, Span
from ir_plugin.errors import ArgumentValueError, Error, ReadError, UnsupportedError, ValidationError
from ir_plugin.openvino.api import Core, Model
from ir_plugin.openvino.genai.chat_template import ChatTemplateError
from ir_plugin.openvino.genai.config_files import TEMPLATE_FILE, key_span, read_json, read_text, template_span
from ir_plugin.openvino.genai.generation_config import GenerationConfig
from ir_plugin.openvino.genai.special_tokens import KINDS, TEMPLATES, is_number
from ir_plugin.openvino.genai.tokenizer import WRITES_TOKENIZERS, Tokenizer
from ir_plugin.reader.foreign import DETOKENIZER_FILE, MODEL_FILE, TOKENIZER_FILE

_GENERATION, _CONFIG = "generation_config.json", "config.json"
_WEIGHTS = "openvino_model.bin"
_TEXT_FILES = (TOKENIZER_FILE, DETOKENIZER_FILE, _GENERATION, "tokenizer_config.json")
_CONFIGS = (
    _CONFIG, "tokenizer_config.json", "special_tokens_map.json", "processor_config.json", "chat_template.json",
)  # fmt: skip
_QUESTION, _ANSWER = "Why is the sky blue?", "It scatters light."
_CHATS = (("user",), ("user", "assistant", "user"))
"""The roles of the messages that a chat template is tried with: one turn, as in `generate`, and two, as in `chat`."""
_TOKEN_TEXTS = ("special_tokens_map.json", "tokenizer_config.json")
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
        return [*malformed, *_missing(folder, (MODEL_FILE,), f"it belongs to {_WEIGHTS}, which is there")]
    try:
        model = Core().read_model(folder / MODEL_FILE)
    except Error:
        return malformed
    is_decoder = any("beam_idx" in port.names for port in model.inputs)
    needed = (TOKENIZER_FILE, DETOKENIZER_FILE) if is_decoder else (TOKENIZER_FILE,)
    findings = [*malformed, *_missing(folder, needed, WRITES_TOKENIZERS)]
    size = _vocabulary_size(model) if is_decoder else None
    if malformed or not any(os.path.isfile(folder / name) for name in (TOKENIZER_FILE, DETOKENIZER_FILE)):
        return findings
    try:
        tokenizer = Tokenizer(folder)
        findings += _wrong_sizes(folder, tokenizer, size)
    except (ReadError, ValidationError) as fault:
        return [*findings, *(finding for finding in fault.findings if finding.code.startswith("LM"))]
    except Error as fault:
        span = Span(str(folder / TOKENIZER_FILE))
        return [*findings, Finding.of("IR001", f"the folder was not checked: {fault}", span=span)]
    findings += [*_contradictory(folder, tokenizer), *_wrong_special_tokens(folder, tokenizer, size)]
    findings += _wrong_special_texts(folder, tokenizer)
    return [*findings, *(_wrong_template(tokenizer) if tokenizer.chat_template else _unused_templates(folder))]


def _malformed(folder: Path) -> Iterator[Finding]:
    for name in _CONFIGS:
        yield from _findings_of(read_json, folder / name)
    yield from _findings_of(GenerationConfig, folder / _GENERATION)
    yield from _findings_of(read_text, folder / TEMPLATE_FILE)


def _findings_of(read: Callable[[Path], object], path: Path) -> Sequence[Finding]:
    """Return why a file cannot be read, nothing where it is not there."""
    try:
        if os.path.lexists(path):
            read(path)
    except Error as fault:
        return fault.findings
    return ()


def _missing(folder: Path, names: tuple[str, ...], help: str) -> Iterator[Finding]:
    for name in names:
        if not os.path.isfile(folder / name):
            yield Finding.of("LM001", f"the folder has no {name}", span=Span(str(folder / name)), help=help)


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
        message = f"vocab_size is {declared}, the model has {size} tokens"
        yield _wrong_size(key_span(folder / _CONFIG, "vocab_size"), message)
    if os.path.isfile(folder / DETOKENIZER_FILE) and len(tokenizer.get_vocab_vector()) > size:
        count = len(tokenizer.get_vocab_vector())
        message = f"the detokenizer has {count} tokens, the model {size}"
        yield _wrong_size(Span(str(folder / DETOKENIZER_FILE)), message)
    if os.path.isfile(folder / TOKENIZER_FILE):
        greatest = int(tokenizer.encode(_PROBE).input_ids.data.max())
        if greatest >= size:
            message = f"the tokenizer gives the token {greatest}, the model has {size}"
            yield _wrong_size(Span(str(folder / TOKENIZER_FILE)), message)


def _wrong_size(span: Span, message: str) -> Finding:
    return Finding.of("LM003", message, span=span, help="take all files of the folder from one export")


def _wrong_special_tokens(folder: Path, tokenizer: Tokenizer, size: int | None) -> Iterator[Finding]:
    """Yield special tokens beyond the vocabulary, and an end that does not stop generation."""
    for name in (_CONFIG, _GENERATION):
        config = read_json(folder / name)
        for kind in KINDS:
            value = config.get(f"{kind}_token_id")
            ids: list[int] = [id for id in (value if isinstance(value, list) else [value]) if isinstance(id, int)]
            if size is not None and any(not 0 <= id < size for id in ids):
                message = f"{kind}_token_id is {value}; the model has the tokens 0 to {size - 1}"
                yield Finding.of("LM004", message, span=key_span(folder / name, f"{kind}_token_id"))
    if not os.path.isfile(folder / _GENERATION):
        return
    stops, end = GenerationConfig(folder / _GENERATION).stop_token_ids, tokenizer.get_eos_token_id()
    if stops and end not in {-1, *stops}:
        listed = ", ".join(map(str, sorted(stops)))
        message = f"generation ends at {listed}, not at the tokenizer's token that ends a text, {end}"
        yield Finding.of("LM004", message, span=key_span(folder / _GENERATION, "eos_token_id"))


def _wrong_special_texts(folder: Path, tokenizer: Tokenizer) -> Iterator[Finding]:
    """Yield texts of special tokens that other tokens have than those with the ids."""
    if not os.path.isfile(folder / DETOKENIZER_FILE):
        return
    vocabulary = tokenizer.get_vocab_vector()
    for kind in KINDS:
        id, text = getattr(tokenizer, f"get_{kind}_token_id")(), getattr(tokenizer, f"get_{kind}_token")()
        same = [token for token, written in enumerate(vocabulary) if written == text]
        paths = [folder / name for name in _TOKEN_TEXTS if f"{kind}_token" in read_json(folder / name)]
        if id != -1 and same and id not in same and paths:
            message = f"{kind}_token is {text!r}, the token {same[0]}; {kind}_token_id is {id}"
            yield Finding.of("LM004", message, span=key_span(paths[0], f"{kind}_token"))


def _contradictory(folder: Path, tokenizer: Tokenizer) -> Iterator[Finding]:
    """Yield why parameters of generation exclude one another, with the tokenizer's end where the file has none."""
    path = folder / _GENERATION
    if not os.path.isfile(path):
        return
    config = GenerationConfig(path)
    if config.eos_token_id == -1 and tokenizer.get_eos_token_id() != -1:
        config.set_eos_token_id(tokenizer.get_eos_token_id())
    try:
        config.validate()
    except ArgumentValueError as fault:
        if str(fault).startswith("stop_token_ids"):
            return  # LM004 says it of the key in the file
        key = next((name for name in read_json(path) if name in str(fault)), "")
        yield Finding.of("LM002", f"the configuration cannot be used: {fault}", span=key_span(path, key))


def _wrong_template(tokenizer: Tokenizer) -> Iterator[Finding]:
    """Yield why the chat template cannot be applied to a message of the user, or else to a second one."""
    file = tokenizer.template_file
    if file is None:
        return
    for roles in _CHATS:
        messages = [{"role": role, "content": _ANSWER if role == "assistant" else _QUESTION} for role in roles]
        try:
            text = tokenizer.apply_chat_template(messages, add_generation_prompt=True)
        except UnsupportedError as fault:
            yield Finding.of("IR001", f"the chat template was not checked: {fault}", span=template_span(file))
            return
        except ChatTemplateError as fault:
            yield _template_finding(file, str(fault).removeprefix(f"{file.name}: "), len(roles), fault.line)
            return
        if _QUESTION not in text:
            yield _template_finding(file, "the chat template leaves out the message of the user", len(roles))
            return


def _unused_templates(folder: Path) -> Iterator[Finding]:
    """Yield chat templates that are neither a text nor a list with one named default, in a folder without another."""
    for path in (folder / name for name in TEMPLATES):
        value = read_json(path).get("chat_template")
        if value not in (None, ""):
            message = "the chat template is not used: a text is needed, or a list in which one is named default"
            yield Finding.of("LM005", message, span=key_span(path, "chat_template"), severity="warning")


def _template_finding(file: Path, message: str, count: int, line: int = 0) -> Finding:
    """Return the finding of a template that fails for a number of messages; `generate` needs no more than one."""
    because = "" if count == 1 else "this happens with a second message of the user, which `chat` has"
    is_over_others = file.name == TOKENIZER_FILE and os.path.isfile(file.parent / TEMPLATE_FILE)
    help = f"the template of {TOKENIZER_FILE} counts, not that of {TEMPLATE_FILE}" if is_over_others else ""
    severity: Severity = "error" if count == 1 else "warning"
    return Finding.of("LM005", message, span=template_span(file, line), because=because, help=help, severity=severity)
