"""Models that read texts at once, for embeddings and ranks: tokens in, one array out."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from ir_plugin.errors import ArgumentValueError, UnsupportedError, require
from ir_plugin.openvino.api import Core
from ir_plugin.openvino.genai.enumeration import Enumeration
from ir_plugin.openvino.genai.model_file import taken_model
from ir_plugin.openvino.genai.tokenizer import TokenizedInputs, Tokenizer
from ir_plugin.tensors import Array

_INPUTS = {"input_ids", "attention_mask", "token_type_ids", "position_ids", "beam_idx"}


class PoolingType(Enumeration):
    """How the vectors of a text's tokens become one: the first, their mean, or the last."""

    CLS = 0
    MEAN = 1
    LAST_TOKEN = 2


class EncoderConfig:
    """Parameters by name, with a type and a default each."""

    parameters: Mapping[str, tuple[type, Any]] = {}

    def __init__(self, **parameters: Any) -> None:
        for name, (_, default) in self.parameters.items():
            setattr(self, name, parameters.pop(name, default))
        for name in parameters:
            raise AttributeError(f"the configuration has no parameter {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        kind, default = self.parameters.get(name, (None, None))
        if kind is None:
            raise AttributeError(f"the configuration has no parameter {name!r}")
        if value is not None or default is not None:
            require(value, kind, f"a value of type {kind.__name__}", name)
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the configuration has no parameter {name!r}")

    def validate(self) -> None:
        """Raise for counts of nothing."""
        for name in ("max_length", "batch_size", "top_n"):
            value = getattr(self, name, None) if name in self.parameters else None
            if value is not None and value <= 0:
                raise ArgumentValueError(f"{name} is {value}; it must be at least 1")

    def tokenization(self) -> dict[str, Any]:
        """Return the options with which texts are encoded."""
        names = ("max_length", "pad_to_max_length", "padding_side")
        values = {name: getattr(self, name) for name in names}
        return {"truncation": True, **{name: value for name, value in values.items() if value is not None}}


class TextEncoder:
    """The tokenizer and the model of a folder, run for several texts at once."""

    def __init__(self, models_path: str | PathLike[str], device: str, properties: Mapping[str, Any]) -> None:
        require(device, str, "the name of a device", "device")
        engine = dict(properties)
        model = taken_model(models_path, engine)
        self.tokenizer = Tokenizer(models_path, **engine)
        self._names = {port.any_name for port in model.inputs}
        if self._names - _INPUTS:
            raise UnsupportedError(f"the model has other inputs than tokens: {', '.join(self._names - _INPUTS)}")
        self._request = Core().compile_model(model, device, engine).create_infer_request()
        self.mask = np.ones((0, 0), np.int64)

    def start(self, inputs: TokenizedInputs) -> None:
        """Begin to compute the output for tokens."""
        ids, self.mask = inputs.input_ids.data, inputs.attention_mask.data
        kinds = inputs.token_type_ids
        feeds = {
            "input_ids": ids,
            "attention_mask": self.mask,
            "token_type_ids": np.zeros_like(ids) if kinds is None else kinds.data,
            "position_ids": np.where(self.mask == 0, 1, np.cumsum(self.mask, 1) - 1),
            "beam_idx": np.zeros(len(ids), np.int32),
        }
        self._request.reset_state()
        self._request.start_async({name: feeds[name] for name in self._names})

    def wait(self) -> Array:
        """Return the output when it is there."""
        self._request.wait()
        return np.asarray(self._request.results[0], np.float32)
