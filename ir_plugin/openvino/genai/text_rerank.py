"""The pipeline that ranks texts by how well they answer a query."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.errors import UnsupportedError, require
from ir_plugin.openvino.genai.config_files import read_json
from ir_plugin.openvino.genai.text_encoder import EncoderConfig, TextEncoder
from ir_plugin.openvino.genai.tokenizer import CONVERT_PAIRS
from ir_plugin.tensors import Array


class TextRerankConfig(EncoderConfig):
    """How many texts are returned, and how texts are encoded."""

    parameters = {
        "top_n": (int, 3),
        "max_length": (int, None),
        "pad_to_max_length": (bool, None),
        "padding_side": (str, None),
    }


class TextRerankPipeline:
    """Ranks texts for a query, with the models of a folder.

    A model reads pairs of texts, or, if `config.json` says that it is a `qwen3`, each text after the query, and answers
    with the tokens `yes` and `no`.
    """

    Config = TextRerankConfig

    def __init__(
        self, models_path: str | PathLike[str], device: str, config: TextRerankConfig | None = None, **properties: Any
    ) -> None:
        named = {name: properties.pop(name) for name in TextRerankConfig.parameters if name in properties}
        self._config = TextRerankConfig(**named) if config is None else config
        self._config.validate()
        self._encoder = TextEncoder(models_path, device, properties)
        self._answers: list[int] = []
        if read_json(Path(models_path) / "config.json").get("model_type") == "qwen3":
            vocabulary = self._encoder.tokenizer.get_vocab()
            self._answers = [vocabulary[b"no"], vocabulary[b"yes"]]
        elif not self._encoder.tokenizer.supports_paired_input():
            raise UnsupportedError(f"the tokenizer takes no pairs of texts; {CONVERT_PAIRS}")

    def rerank(self, query: str, texts: Sequence[str]) -> list[tuple[int, float]]:
        """Return the positions and scores of the best texts, the best first."""
        self.start_rerank_async(query, texts)
        return self.wait_rerank()

    def start_rerank_async(self, query: str, texts: Sequence[str]) -> None:
        """Begin to compute the scores of texts."""
        require(query, str, "a text", "query")
        require(texts, (list, tuple), "a list of texts", "texts")
        encode, options = self._encoder.tokenizer.encode, self._config.tokenization()
        if self._encoder.tokenizer.supports_paired_input():
            inputs = encode([query], list(texts), **options)
        else:
            inputs = encode([f"{query}{text}" for text in texts], **options)
        self._encoder.start(inputs)

    def wait_rerank(self) -> list[tuple[int, float]]:
        """Return the positions and scores of the best texts when they are there."""
        scores = self._scores(self._encoder.wait())
        order = np.argsort(-scores, kind="stable")[: self._config.top_n]
        return [(int(position), float(scores[position])) for position in order]

    def _scores(self, logits: Array) -> Array:
        """Return the probability of each text's answer."""
        if logits.shape[1] == 1 and logits.ndim == 2:
            scores: Array = 1 / (1 + np.exp(-logits[:, 0]))
            return scores
        classes = logits[:, -1, self._answers] if self._answers else logits
        weights = np.exp(classes - classes.max(1, keepdims=True))
        return np.asarray(weights[:, 1] / weights.sum(1))
