"""The pipeline that turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from ir_plugin.errors import InputError, require
from ir_plugin.openvino.genai.text_encoder import EncoderConfig, PoolingType, TextEncoder
from ir_plugin.tensors import Array

_EPSILON = np.float32(1e-12)


class TextEmbeddingConfig(EncoderConfig):
    """How texts are encoded, and how the vectors of their tokens become one."""

    parameters = {
        "max_length": (int, None),
        "pad_to_max_length": (bool, None),
        "batch_size": (int, None),
        "pooling_type": (PoolingType, PoolingType.CLS),
        "normalize": (bool, True),
        "query_instruction": (str, None),
        "embed_instruction": (str, None),
        "padding_side": (str, None),
    }


class TextEmbeddingPipeline:
    """Turns texts into vectors, with the models of a folder."""

    Config = TextEmbeddingConfig
    PoolingType = PoolingType

    def __init__(
        self,
        models_path: str | PathLike[str],
        device: str,
        config: TextEmbeddingConfig | None = None,
        **properties: Any,
    ) -> None:
        named = {name: properties.pop(name) for name in TextEmbeddingConfig.parameters if name in properties}
        self._config = TextEmbeddingConfig(**named) if config is None else config
        self._config.validate()
        self._encoder = TextEncoder(models_path, device, properties)

    @property
    def token_count(self) -> int:
        """How many tokens the last texts have."""
        return int(self._encoder.mask.sum())

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        self.start_embed_documents_async(texts)
        return self.wait_embed_documents()

    def embed(self, texts: Sequence[str], prompt: str) -> list[list[float]]:
        """Return the vectors of texts that a prompt is put before."""
        self._start(texts, prompt)
        return self.wait_embed_documents()

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        self.start_embed_query_async(text)
        return self.wait_embed_query()

    def start_embed_documents_async(self, texts: Sequence[str]) -> None:
        """Begin to compute the vectors of texts."""
        self._start(texts, self._config.embed_instruction or "")

    def wait_embed_documents(self) -> list[list[float]]:
        """Return the vectors of texts when they are there."""
        vectors: list[list[float]] = self._pooled(self._encoder.wait()).tolist()
        return vectors

    def start_embed_query_async(self, text: str) -> None:
        """Begin to compute the vector of a query."""
        require(text, str, "a text", "text")
        self._start([text], self._config.query_instruction or "")

    def wait_embed_query(self) -> list[float]:
        """Return the vector of a query when it is there."""
        return self.wait_embed_documents()[0]

    def _start(self, texts: Sequence[str], prefix: str) -> None:
        require(texts, (list, tuple), "a list of texts", "texts")
        count = self._config.batch_size
        if count is not None and len(texts) != count:
            raise InputError(f"{len(texts)} texts are given, batch_size is {count}")
        for text in texts:
            require(text, str, "a text", "texts")
        prefixed = [prefix + text for text in texts]
        self._encoder.start(self._encoder.tokenizer.encode(prefixed, **self._config.tokenization()))

    def _pooled(self, states: Array) -> Array:
        """Return a vector for each row of vectors of tokens."""
        mask, rows = self._encoder.mask, np.arange(len(states))
        if self._config.pooling_type is PoolingType.CLS:
            vectors = states[:, 0]
        elif self._config.pooling_type is PoolingType.MEAN:
            weights = mask[..., None].astype(np.float32)
            vectors = (states * weights).sum(1) / np.maximum(weights.sum(1), _EPSILON)
        else:
            is_left = self._config.padding_side == "left"
            vectors = states[:, -1] if is_left else states[rows, mask.sum(1) - 1]
        if self._config.normalize:
            vectors = vectors / np.sqrt(np.maximum((vectors * vectors).sum(1, keepdims=True), _EPSILON))
        return vectors
