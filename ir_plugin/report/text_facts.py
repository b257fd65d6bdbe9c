"""Facts of the folder of a language model, beside its model's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ir_plugin.openvino.genai import GenerationConfig, Tokenizer
from ir_plugin.openvino.genai.special_tokens import KINDS, SpecialTokens, read_template
from ir_plugin.reader.foreign import DETOKENIZER_FILE, TOKENIZER_FILE

_SUFFIXES = (".xml", ".json", ".jinja")


def text_facts(folder: Path) -> dict[str, Any]:
    """Return files, number of tokens, special tokens, chat template and parameters of generation, as plain data."""
    special, template, tokens = _texts(folder)
    path = folder / "generation_config.json"
    return {
        "files": sorted(path.name for path in folder.iterdir() if path.suffix in _SUFFIXES),
        "tokens": tokens,
        "special_tokens": {kind: token for kind, token in special.items() if token["id"] != -1},
        "chat_template": template,
        "generation": _changed_parameters(GenerationConfig(path)) if os.path.lexists(path) else {},
    }


def _texts(folder: Path) -> tuple[dict[str, dict[str, Any]], str, int | None]:
    """Return special tokens, chat template and number of tokens, by the configurations where no tokenizer is there."""
    if not any(os.path.isfile(folder / name) for name in (TOKENIZER_FILE, DETOKENIZER_FILE)):
        special = SpecialTokens()
        special.read(folder)
        named = {kind: {"id": special.ids[kind], "text": special.texts[kind]} for kind in KINDS}
        return named, read_template(folder)[0], None
    tokenizer = Tokenizer(folder)
    named = {
        kind: {"id": getattr(tokenizer, f"get_{kind}_token_id")(), "text": getattr(tokenizer, f"get_{kind}_token")()}
        for kind in KINDS
    }
    count = len(tokenizer.get_vocab_vector()) if os.path.isfile(folder / DETOKENIZER_FILE) else None
    return named, tokenizer.chat_template, count


def text_summary(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return labels and lines of text for the facts."""
    template = document["chat_template"]
    special = ", ".join(f"{kind} {token['id']} {token['text']}" for kind, token in document["special_tokens"].items())
    generation = ", ".join(f"{name} {value}" for name, value in document["generation"].items())
    return [
        ("tokens", "; ".join(filter(None, [_count(document["tokens"]), special]))),
        ("chat", f"a template of {len(template):,} characters" if template else "no template"),
        ("generation", generation or "the default parameters"),
        ("files", ", ".join(document["files"])),
    ]


def _count(tokens: int | None) -> str:
    return f"an unknown number without {DETOKENIZER_FILE}" if tokens is None else f"{tokens:,}"


def _changed_parameters(config: GenerationConfig) -> dict[str, Any]:
    """Return the parameters that differ from the defaults, sets as lists."""
    default = vars(GenerationConfig())
    changed = {name: value for name, value in vars(config).items() if value != default[name]}
    return {name: sorted(value) if isinstance(value, set) else value for name, value in changed.items()}
