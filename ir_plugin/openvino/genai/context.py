"""How many tokens the prompt and the answer of a model may have together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ir_plugin.errors import InputError
from ir_plugin.openvino.genai.config_files import read_json
from ir_plugin.openvino.genai.special_tokens import is_number

_LENGTHS = ("max_position_embeddings", "n_positions")
"""The names of the length in configurations; of GPT-2 and its like the second."""


@dataclass(frozen=True)
class Context:
    """The longest context of a model, and the parameter of the file that says so."""

    length: int
    source: str

    @staticmethod
    def of(folder: Path) -> Context | None:
        """Return the context of a folder's model, None where its configuration does not say."""
        path = folder / "config.json"
        config = read_json(path)
        inner = config.get("text_config")
        for values in (config, inner if isinstance(inner, dict) else {}):
            for name in _LENGTHS:
                if is_number(values.get(name)) and values[name] > 0:
                    return Context(values[name], f"{name} of {path}")
        return None

    def room(self, prompt: int, answer: int = 1) -> int:
        """Return how many tokens may follow a prompt; raise where these are fewer than the answer has to have."""
        if prompt + answer <= self.length:
            return self.length - prompt
        if prompt > self.length:
            raise InputError(f"the prompt has {prompt} tokens; {self.source} is {self.length}")
        raise InputError(
            f"the prompt has {prompt} tokens, so that at most {self.length - prompt} may be generated, not {answer}; "
            f"{self.source} is {self.length}"
        )
