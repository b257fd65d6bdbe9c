"""The language model of a folder that is served: prompts in, pieces of answers out, one prompt after another."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from ir_plugin import Tensor, genai
from ir_plugin.serving.request_error import RequestError
from ir_plugin.serving.text_messages import Prompt, TextRequest

_UNLIMITED = genai.GenerationConfig().max_new_tokens


@dataclass(frozen=True)
class Answer:
    """A whole answer: its text, why it ended, and the tokens of prompt and answer.

    Those of a prompt with several answers count for the first one.
    """

    text: str
    finish_reason: str
    prompt_tokens: int
    new_tokens: int


class TextModel:
    """The pipeline of a folder with a name. One thread at a time may use it."""

    def __init__(self, folder: Path, name: str, max_tokens: int, config: dict[str, Any]) -> None:
        self.name, self._max_tokens = name, max_tokens
        self.created = int((folder / "openvino_model.xml").stat().st_mtime)
        self._pipeline = genai.LLMPipeline(folder, "CPU", **config)
        self._tokenizer = self._pipeline.get_tokenizer()
        self._vocabulary_size = len(self._tokenizer.get_vocab_vector())
        self._context = _context(folder)

    def answer(self, request: TextRequest, write: Callable[[int, str | Answer], object], cancelled: Event) -> None:
        """Write pieces of the answer to each prompt, then the whole, by the prompt's index, until cancelled.

        The first token of each answer writes a piece, which may be empty.
        """
        for index, prompt in enumerate(request.prompts):
            if cancelled.is_set():
                return
            parameters = dict(request.parameters)
            if parameters.get("do_sample") and index:
                parameters["rng_seed"] = (parameters.get("rng_seed", 0) + index) % 2**63
            parameters["max_new_tokens"] = self._new_tokens(prompt, request.max_tokens)
            streamer = _Streamer(self._tokenizer, index, write, cancelled)
            answer = self._answered(prompt, parameters, streamer)
            is_repeated = index > 0 and prompt is request.prompts[index - 1]
            write(index, replace(answer, prompt_tokens=0) if is_repeated else answer)

    def _answered(self, prompt: Prompt, parameters: dict[str, Any], streamer: genai.StreamerBase) -> Answer:
        is_text = isinstance(prompt, str)
        inputs = Tensor(np.array([prompt], np.int64)) if isinstance(prompt, list) else [prompt] if is_text else prompt
        results = self._pipeline.generate(inputs, streamer=streamer, **parameters)
        text = results.texts[0] if not isinstance(prompt, list) else self._tokenizer.decode(results.tokens[0])
        is_long = results.finish_reasons[0] == genai.GenerationFinishReason.LENGTH
        metrics = results.perf_metrics
        counts = metrics.get_num_input_tokens(), metrics.get_num_generated_tokens()
        return Answer(text, "length" if is_long else "stop", *counts)

    def _new_tokens(self, prompt: Prompt, requested: int | None) -> int:
        """Return how many tokens an answer may have; raises for more than the server or the model allow."""
        most, length = self._max_tokens, self._length(prompt)
        if self._context is not None:
            most = min(most, self._context - length)
        if (requested or 1) > most:
            raise RequestError(
                f"the prompt has {length} tokens, so that at most {max(most, 0)} may be generated",
                param="max_tokens",
                code="context_length_exceeded",
            )
        default = self._pipeline.get_generation_config().max_new_tokens
        return requested or min(most, default if default != _UNLIMITED else most)

    def _length(self, prompt: Prompt) -> int:
        if isinstance(prompt, list):
            if max(prompt) >= self._vocabulary_size:
                raise RequestError(f"prompt has tokens beyond {self._vocabulary_size - 1}", param="prompt")
            return len(prompt)
        if isinstance(prompt, str):
            return int(self._tokenizer.encode(prompt).input_ids.shape[1])
        text = self._tokenizer.apply_chat_template(prompt, add_generation_prompt=True)
        return int(self._tokenizer.encode(text, add_special_tokens=False).input_ids.shape[1])


class _Streamer(genai.TextStreamer):
    """Writes pieces of an answer, and stops where an event is set."""

    def __init__(
        self, tokenizer: genai.Tokenizer, index: int, write: Callable[[int, str | Answer], object], cancelled: Event
    ) -> None:
        super().__init__(tokenizer, lambda piece: write(index, piece) and None)
        self._begin: Callable[[], object] | None = lambda: write(index, "")
        self._cancelled = cancelled

    def write(self, token: Any) -> genai.StreamingStatus:
        """Receive tokens, and return whether to go on."""
        if self._begin is not None:
            self._begin()
            self._begin = None
        status = super().write(token)
        return genai.StreamingStatus.CANCEL if self._cancelled.is_set() else status


def _context(folder: Path) -> int | None:
    """Return how many tokens the model takes, None where its configuration does not say."""
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    length = config.get("max_position_embeddings") if isinstance(config, dict) else None
    return length if isinstance(length, int) else None
