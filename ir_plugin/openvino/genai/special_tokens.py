"""The special tokens and the chat template of a folder, from its configuration files and the tokenizer's model."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.diagnostics import Finding
from ir_plugin.diagnostics.position import WHOLE_RUN
from ir_plugin.errors import ReadError
from ir_plugin.openvino.api import Model
from ir_plugin.openvino.genai.config_files import TEMPLATE_FILE, element_span, read_json, read_text

KINDS = ("pad", "bos", "eos")
TEMPLATES = ("tokenizer_config.json", "processor_config.json", "chat_template.json")
"""Configurations that may have a chat template; later ones count before."""


@dataclass
class SpecialTokens:
    """The ids and texts of the tokens that pad, begin and end a row; -1 and empty where unknown."""

    ids: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, -1))
    texts: dict[str, str] = field(default_factory=lambda: dict.fromkeys(KINDS, ""))

    def is_complete(self) -> bool:
        """Return whether all ids and texts are known."""
        return -1 not in self.ids.values() and "" not in self.texts.values()

    def read(self, folder: Path) -> None:
        """Read the ids and texts from the configuration files of a folder, the first file that has one counts."""
        config = read_json(folder / "config.json")
        for kind in KINDS:
            if is_number(config.get(f"{kind}_token_id")):
                self.ids[kind] = config[f"{kind}_token_id"]
        self._read_texts(read_json(folder / "special_tokens_map.json"), plain=False)
        if not self.is_complete():
            self._read_tokenizer_config(read_json(folder / "tokenizer_config.json"))

    def _read_texts(self, config: dict[str, Any], *, plain: bool) -> None:
        """Read texts that are still unknown; they are written as they are or as the content of a token."""
        for kind in KINDS:
            value = config.get(f"{kind}_token")
            content = value.get("content") if isinstance(value, dict) else value if plain else None
            if not self.texts[kind] and isinstance(content, str):
                self.texts[kind] = content

    def _read_tokenizer_config(self, config: dict[str, Any]) -> None:
        self._read_texts(config, plain=True)
        self.texts["pad"] = self.texts["pad"] or self.texts["eos"]
        if not config or -1 not in self.ids.values():
            return
        tokens = config.get("added_tokens_decoder")
        if not isinstance(tokens, dict):
            return
        for id, token in tokens.items():
            content = token.get("content") if isinstance(token, dict) else None
            for kind in KINDS:
                if self.ids[kind] == -1 and id.isdecimal() and content is not None and content == self.texts[kind]:
                    self.ids[kind] = int(id)
        if self.ids["pad"] == -1:
            self.ids["pad"] = self.ids["eos"]

    def read_model(self, model: Model, path: Path | None) -> None:
        """Read the ids that the model of a tokenizer holds, which take precedence over the files."""
        for kind in KINDS:
            name = f"{kind}_token_id"
            if model.has_rt_info([name]):
                self.ids[kind] = _whole_number(str(model.get_rt_info([name]).value), name, path)


def _whole_number(text: str, name: str, path: Path | None) -> int:
    try:
        return int(text)
    except ValueError:
        reason = f"{name} is {text!r}; a whole number is needed"
        span = WHOLE_RUN if path is None else element_span(path, name)
        finding = Finding.of("LM002", f"the configuration cannot be used: {reason}", span=span)
        raise ReadError(f"{path or 'the tokenizer'}: {reason}", [finding]) from None


def is_number(value: object) -> bool:
    """Return whether a value is a whole number, of Python or NumPy."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def read_template(folder: Path) -> tuple[str, Path | None]:
    """Return the chat template of the last file in a folder that has one, and the file; empty if there is none."""
    template, file = "", None
    for path in (folder / name for name in TEMPLATES):
        text = _default(read_json(path).get("chat_template"))
        if text:
            template, file = text, path
    path = folder / TEMPLATE_FILE
    return (read_text(path), path) if os.path.lexists(path) else (template, file)


def _default(value: Any) -> str:
    """Return a template, or of a list of templates with names the default one."""
    if isinstance(value, list):
        named = [item.get("template") for item in value if isinstance(item, dict) and item.get("name") == "default"]
        value = named[0] if named else ""
    return value if isinstance(value, str) else ""
