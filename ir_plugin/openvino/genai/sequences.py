"""The tokens that are generated after a prompt, and when they end."""

from __future__ import annotations

from collections.abc import Sequence as Tokens
from dataclasses import dataclass, field
from typing import Protocol

from ir_plugin.openvino.genai.generation_config import GenerationConfig
from ir_plugin.openvino.genai.results import GenerationFinishReason
from ir_plugin.openvino.genai.tokenizer import Tokenizer, token_ids
from ir_plugin.tensors import Array


@dataclass
class Sequence:
    """Tokens with the logarithms of their probabilities; `row` is the row of the model's state that they continue.

    `alternatives` are the most probable tokens at the place of each, as many as `logprobs` asks for, the best first.
    """

    tokens: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    row: int = 0
    finish_reason: GenerationFinishReason = GenerationFinishReason.NONE
    alternatives: list[list[tuple[int, float]]] = field(default_factory=list)

    @property
    def log_prob(self) -> float:
        """The logarithm of the probability of all tokens."""
        return sum(self.log_probs, 0.0)

    def extended(self, token: int, log_prob: float, row: int) -> Sequence:
        """Return the sequence with one more token."""
        return Sequence([*self.tokens, token], [*self.log_probs, log_prob], row)

    def append(self, token: int, log_prob: float) -> None:
        """Add a token."""
        self.tokens.append(token)
        self.log_probs.append(log_prob)

    def remove_last(self, count: int) -> None:
        """Remove the last tokens."""
        for values in (self.tokens, self.log_probs, self.alternatives):
            del values[max(0, len(values) - count) :]


class Search(Protocol):
    """Chooses tokens, one step after another."""

    running: list[Sequence]

    def advance(self, logits: Array) -> int:
        """Extend the running sequences by the logits of their rows, and return how many tokens were generated."""

    def results(self) -> list[tuple[Sequence, float]]:
        """Return the sequences with their scores, the best first."""


class StopStrings:
    """The texts that end generation."""

    def __init__(self, config: GenerationConfig, tokenizer: Tokenizer) -> None:
        self._texts = sorted(config.stop_strings)
        self._is_kept = config.include_stop_str_in_output
        self._tokenizer = tokenizer
        lengths = (len(token_ids(tokenizer, text, add_special_tokens=False)) for text in self._texts)
        self.window = max(lengths, default=0)

    def matched(self, tokens: Tokens[int]) -> int | None:
        """Return how many of the last tokens to remove because a text ends generation, None where none does."""
        if not self._texts or len(tokens) < self.window:
            return None
        last = list(tokens[len(tokens) - self.window :])
        decoded = self._tokenizer.decode(last)
        for text in self._texts:
            position = decoded.find(text)
            if position >= 0:
                remainder = decoded[: position + len(text) * self._is_kept].rstrip(" \n")
                return self._surplus(last, remainder)
        return None

    def _surplus(self, tokens: list[int], remainder: str) -> int:
        """Return how many tokens follow those whose text holds the remainder."""
        if not remainder:
            return len(tokens)
        for count in range(1, len(tokens) + 1):
            if remainder in self._tokenizer.decode(tokens[:count]):
                return len(tokens) - count
        return 0


def is_stop_token(token: int, config: GenerationConfig) -> bool:
    """Return whether a token ends generation."""
    return token in config.stop_token_ids and not config.ignore_eos


def finish(sequence: Sequence, config: GenerationConfig, max_new_tokens: int, stops: StopStrings) -> None:
    """Note why a sequence ends, if it does."""
    if is_stop_token(sequence.tokens[-1], config):
        sequence.finish_reason = GenerationFinishReason.STOP
    elif len(sequence.tokens) >= max_new_tokens:
        sequence.finish_reason = GenerationFinishReason.LENGTH
    else:
        surplus = stops.matched(sequence.tokens)
        if surplus is not None:
            sequence.remove_last(surplus)
            sequence.finish_reason = GenerationFinishReason.STOP
