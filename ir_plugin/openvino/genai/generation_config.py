"""How text is generated: when it ends, and how the next token is chosen."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import copy
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.diagnostics import Finding
from ir_plugin.errors import ArgumentValueError, InputError, MissingFileError, wrong_type
from ir_plugin.openvino.genai.config_files import key_span, read_json
from ir_plugin.openvino.genai.enumeration import Enumeration
from ir_plugin.openvino.genai.special_tokens import is_number

UNBOUNDED = 2**64 - 1
"""The value of a count that does not limit anything."""


class StopCriteria(Enumeration):
    """When beam search ends: with enough texts, when a better one is unlikely, or when it is impossible."""

    EARLY = 0
    HEURISTIC = 1
    NEVER = 2


_EARLY_STOPPING = {"never": StopCriteria.NEVER, True: StopCriteria.EARLY, False: StopCriteria.HEURISTIC}
_COUNTS = {
    "max_new_tokens": UNBOUNDED,
    "max_length": UNBOUNDED,
    "min_new_tokens": 0,
    "logprobs": 0,
    "num_return_sequences": 1,
    "num_beams": 1,
    "num_beam_groups": 1,
    "no_repeat_ngram_size": UNBOUNDED,
    "top_k": UNBOUNDED,
    "rng_seed": 0,
    "max_ngram_size": 0,
    "tree_depth": 0,
    "branching_factor": 1,
    "pruning_ratio": 0,
}
_FLOATS = {
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "diversity_penalty": 0.0,
    "length_penalty": 1.0,
    "temperature": 1.0,
    "top_p": 1.0,
    "min_p": 0.0,
    "assistant_confidence_threshold": 0.0,
    "relevance_weight": 0.5,
}
_FLAGS = {
    "ignore_eos": False,
    "include_stop_str_in_output": False,
    "echo": False,
    "do_sample": False,
    "apply_chat_template": True,
    "return_omni_outputs": False,
}
_ABSENT: dict[str, Any] = {"structured_output_config": None, "parsers": [], "adapters": None}
_READ_FROM_FILES = (
    "num_assistant_tokens",
    *(name for name in _COUNTS if name not in ("rng_seed", "pruning_ratio")),
    *(name for name in _FLOATS if name != "relevance_weight"),
    *("ignore_eos", "include_stop_str_in_output", "echo", "do_sample", "stop_strings"),
)


def _count(name: str, value: Any) -> int:
    if not is_number(value):
        raise wrong_type(name, "a whole number", value)
    if not 0 <= value <= UNBOUNDED:
        raise ArgumentValueError(f"{name} is {value}; it must be from 0 to 2**64 - 1")
    return int(value)


def _optional_count(name: str, value: Any) -> int | None:
    return None if value is None else _count(name, value)


def _float(name: str, value: Any) -> float:
    if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
        raise wrong_type(name, "a number", value)
    return float(value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise wrong_type(name, "True or False", value)
    return bool(value)


def _texts(name: str, value: Any) -> set[str]:
    texts = {value} if isinstance(value, str) else value
    if not isinstance(texts, (set, frozenset, list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise wrong_type(name, "a set of texts", value)
    return set(texts)


def _tokens(name: str, value: Any) -> set[int]:
    if not isinstance(value, (set, frozenset, list, tuple)) or not all(map(is_number, value)):
        raise wrong_type(name, "a set of tokens", value)
    return {int(token) for token in value}


def _token(name: str, value: Any) -> int:
    if not is_number(value):
        raise wrong_type(name, "a token", value)
    return int(value)


def _criteria(name: str, value: Any) -> StopCriteria:
    if not isinstance(value, StopCriteria):
        raise wrong_type(name, "a StopCriteria", value)
    return value


def _absent(name: str, value: Any) -> Any:
    if value:
        raise ArgumentValueError(f"{name} is not supported")
    return value


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(_FLOATS, _float),
    **dict.fromkeys(_FLAGS, _flag),
    **dict.fromkeys(_ABSENT, _absent),
    "num_assistant_tokens": _optional_count,
    "stop_strings": _texts,
    "stop_token_ids": _tokens,
    "eos_token_id": _token,
    "stop_criteria": _criteria,
}


class GenerationConfig:
    """The parameters of generation, from a `generation_config.json` or from arguments.

    Of the parameters of greedy search, sampling and beam search those count that the chosen one has: sampling with
    `do_sample`, beam search with `num_beams` above 1. `max_new_tokens` comes before `max_length`.
    """

    def __init__(self, json_path: str | PathLike[str] | None = None, **parameters: Any) -> None:
        for name, value in {**_COUNTS, **_FLOATS, **_FLAGS, **_ABSENT}.items():
            setattr(self, name, copy(value))
        self.num_assistant_tokens: int | None = None
        self.stop_strings: set[str] = set()
        self.stop_token_ids: set[int] = set()
        self.eos_token_id = -1
        self.stop_criteria = StopCriteria.HEURISTIC
        if json_path is not None:
            self._read(Path(json_path))
        self.update_generation_config(**parameters)

    def __setattr__(self, name: str, value: Any) -> None:
        check = _CHECKS.get(name)
        if check is None:
            raise AttributeError(f"GenerationConfig has no parameter {name!r}", name=name, obj=self)
        super().__setattr__(name, check(name, value))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"GenerationConfig has no parameter {name!r}", name=name, obj=self)

    def _read(self, path: Path) -> None:
        if not os.path.lexists(path):
            raise MissingFileError(f"there is no file {path}")
        for name, value in read_json(path).items():
            self._take_from(path, name, value)
        if self.eos_token_id != -1:
            self.set_eos_token_id(self.eos_token_id)

    def _take_from(self, path: Path, name: str, value: Any) -> None:
        try:
            self._take(name, value)
        except InputError as fault:
            message = f"the configuration cannot be used: {fault}"
            finding = Finding.of("LM002", message, span=key_span(path, name))
            raise type(fault)(f"{path}: {fault}", [finding]) from None

    def _take(self, name: str, value: Any) -> None:
        """Set what a value of a file means; values that mean nothing here are passed over."""
        if name in _READ_FROM_FILES and value is not None:
            setattr(self, name, value)
        elif name == "eos_token_id" and isinstance(value, list):
            if value:
                self.stop_token_ids, self.eos_token_id = _tokens(name, value), value[0]
        elif name == "eos_token_id" and value is not None:
            self.eos_token_id = value
        elif name == "early_stopping" and isinstance(value, (str, bool)):
            self.stop_criteria = _EARLY_STOPPING.get(value, self.stop_criteria)

    def update_generation_config(self, **parameters: Any) -> None:
        """Set parameters by name."""
        for name, value in parameters.items():
            setattr(self, name, value)
        if self.eos_token_id != -1 and parameters:
            self.set_eos_token_id(self.eos_token_id)

    def set_eos_token_id(self, tokenizer_eos_token_id: int) -> None:
        """Set the token that ends a text, which is also a token that stops generation."""
        self.eos_token_id = tokenizer_eos_token_id
        self.stop_token_ids = self.stop_token_ids | {tokenizer_eos_token_id}

    def copied(self, **parameters: Any) -> GenerationConfig:
        """Return a copy with other values of some parameters."""
        config = GenerationConfig()
        for name in _CHECKS:
            setattr(config, name, copy(getattr(self, name)))
        config.update_generation_config(**parameters)
        return config

    def is_greedy_decoding(self) -> bool:
        """Return whether the most probable token is chosen."""
        return not self.do_sample and not self.is_beam_search() and not self.is_tree_search()

    def is_beam_search(self) -> bool:
        """Return whether several texts are searched at once."""
        return bool(self.num_beams > 1)

    def is_multinomial(self) -> bool:
        """Return whether tokens are drawn at random."""
        return bool(self.do_sample)

    def is_tree_search(self) -> bool:
        """Return whether a draft model would propose a tree of tokens."""
        return bool(self.tree_depth > 0)

    def is_assisting_generation(self) -> bool:
        """Return whether tokens would be proposed before the model computes them."""
        return bool(self.assistant_confidence_threshold > 0 or self.num_assistant_tokens)

    def is_prompt_lookup(self) -> bool:
        """Return whether tokens would be proposed that follow in the prompt."""
        return bool(self.max_ngram_size > 0 and self.num_assistant_tokens)

    def new_tokens(self, prompt_length: int) -> int:
        """Return how many tokens may be generated after a prompt."""
        if self.max_new_tokens != UNBOUNDED:
            return int(self.max_new_tokens)
        if self.max_length <= prompt_length:
            raise InputError(f"max_length is {self.max_length}, the prompt alone has {prompt_length} tokens")
        return int(self.max_length) - prompt_length

    def validate(self) -> None:
        """Raise for parameters that exclude one another."""
        for message in (*_wrong_stops(self), *_wrong_choices(self), *_wrong_beams(self)):
            raise ArgumentValueError(message)


def _wrong_stops(config: GenerationConfig) -> list[str]:
    """Return the faults of the parameters that end generation."""
    is_bounded = config.max_new_tokens != UNBOUNDED or config.max_length != UNBOUNDED
    ends: Any = config.eos_token_id != -1 or config.stop_token_ids or config.stop_strings
    checks = {
        "num_return_sequences must be at least 1": config.num_return_sequences > 0,
        "stop_token_ids lacks eos_token_id; set_eos_token_id adds it": config.eos_token_id == -1
        or config.eos_token_id in config.stop_token_ids,
        "stop_token_ids must not be negative": all(token >= 0 for token in config.stop_token_ids),
        "with ignore_eos, max_new_tokens or max_length must be given": not config.ignore_eos or is_bounded,
        "one of eos_token_id, stop_token_ids, stop_strings, max_new_tokens and max_length must be given": bool(ends)
        or is_bounded,
        "max_new_tokens must be at least 1, or with echo 0": config.max_new_tokens > 0 or config.echo,
        f"min_new_tokens is {config.min_new_tokens}, above max_new_tokens, {config.max_new_tokens}": (
            config.min_new_tokens <= config.max_new_tokens
        ),
    }
    return [message for message, is_right in checks.items() if not is_right]


def _wrong_choices(config: GenerationConfig) -> list[str]:
    """Return the faults of the parameters that choose a token."""
    is_beam, sampled = config.is_beam_search(), config.is_multinomial()
    checks = {
        "num_return_sequences above 1 needs do_sample or num_beams": config.num_return_sequences == 1
        or sampled
        or is_beam,
        f"frequency_penalty is {config.frequency_penalty}; it must be from -2 to 2": abs(config.frequency_penalty) <= 2,
        f"presence_penalty is {config.presence_penalty}; it must be from -2 to 2": abs(config.presence_penalty) <= 2,
        f"repetition_penalty is {config.repetition_penalty}; it must be above 0": config.repetition_penalty > 0,
        "beam search has no frequency_penalty, presence_penalty or repetition_penalty": not is_beam
        or (config.frequency_penalty, config.presence_penalty, config.repetition_penalty) == (0, 0, 1),
        f"top_p is {config.top_p}; it must be above 0 and at most 1": not sampled or 0 < config.top_p <= 1,
        f"temperature is {config.temperature}; it must be above 0": not sampled or config.temperature > 0,
        f"min_p is {config.min_p}; it must be from 0 to below 1": not sampled or 0 <= config.min_p < 1,
        "tree search needs a draft model, which is not supported": not config.is_tree_search(),
        "assistant_confidence_threshold and num_assistant_tokens exclude each other": (
            not config.assistant_confidence_threshold or not config.num_assistant_tokens
        ),
        "tokens are not proposed for beam search or several texts": not config.is_assisting_generation()
        or (not is_beam and config.num_return_sequences == 1),
        "max_ngram_size needs num_assistant_tokens": not config.max_ngram_size or bool(config.num_assistant_tokens),
    }
    return [message for message, is_right in checks.items() if not is_right]


def _wrong_beams(config: GenerationConfig) -> list[str]:
    """Return the faults of the parameters of beam search."""
    if not config.is_beam_search():
        return []
    beams, groups = config.num_beams, config.num_beam_groups
    checks = {
        f"num_beams, {beams}, must be a multiple of num_beam_groups, {groups}": groups > 0 and beams % groups == 0,
        f"num_beams, {beams}, must be at least num_return_sequences, {config.num_return_sequences}": beams
        >= config.num_return_sequences,
        "do_sample excludes beam search": not config.do_sample,
        "no_repeat_ngram_size must be at least 1": config.no_repeat_ngram_size > 0,
        "several groups of beams need a diversity_penalty": groups == 1 or config.diversity_penalty != 0,
        "diversity_penalty needs several groups of beams": groups != 1 or config.diversity_penalty == 0,
    }
    return [message for message, is_right in checks.items() if not is_right]
