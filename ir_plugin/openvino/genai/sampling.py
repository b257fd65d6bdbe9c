"""Greedy search and sampling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence as Tokens

import numpy as np

from ir_plugin.openvino.genai.generation_config import GenerationConfig
from ir_plugin.openvino.genai.results import GenerationFinishReason
from ir_plugin.openvino.genai.sequences import Sequence, StopStrings, finish
from ir_plugin.tensors import Array

_LEAST_TEMPERATURE = 1e-30
"""A temperature that leaves only the highest logits, and whose inverse f32 holds with room for logits."""


class SamplingSearch:
    """Takes the most probable token, or draws one, for each of `num_return_sequences` sequences."""

    def __init__(self, config: GenerationConfig, prompt: Tokens[int], max_new_tokens: int, stops: StopStrings) -> None:
        self._config = config
        self._prompt = np.unique(np.array(prompt, np.int64))
        self._max_new_tokens = max_new_tokens
        self._stops = stops
        self._random = np.random.RandomState(config.rng_seed % 2**32)
        self._sequences = [Sequence()]
        self.running = self._sequences

    def advance(self, logits: Array) -> int:
        """Extend the running sequences by the logits of their rows, and return how many tokens were generated."""
        if not self._sequences[0].tokens and self._config.do_sample:
            self._sequences = self.running = [Sequence() for _ in range(self._config.num_return_sequences)]
            rows = [0] * len(self.running)
        else:
            rows = list(range(len(self.running)))
        for row, sequence in zip(rows, self.running, strict=True):
            token, log_prob = self._choose(logits[row], sequence.tokens)
            if self._config.logprobs:
                log_probs = log_softmax(logits[row])
                log_prob = float(log_probs[token])
                sequence.alternatives.append(_alternatives(log_probs, self._config.logprobs))
            sequence.append(token, log_prob)
            sequence.row = row
            finish(sequence, self._config, self._max_new_tokens, self._stops)
        count = len(self.running)
        self.running = [item for item in self.running if item.finish_reason == GenerationFinishReason.NONE]
        return count

    def results(self) -> list[tuple[Sequence, float]]:
        """Return the sequences with the logarithms of their probabilities, the most probable first."""
        scored = [(sequence, sequence.log_prob) for sequence in self._sequences]
        return sorted(scored, key=lambda item: -item[1])

    def _choose(self, logits: Array, generated: list[int]) -> tuple[int, float]:
        """Return a token, and the logarithm of its probability, which for greedy search is 0."""
        scores = penalized(logits, self._config, self._prompt, generated)
        if self._config.do_sample:
            candidates, weights = distribution(scores, self._config)
            sums = np.cumsum(weights, dtype=np.float32)
            drawn = sums[-1] * _uniform(self._random)
            position = min(int(np.searchsorted(sums, drawn, "right")), len(sums) - 1)
            token = int(candidates[position])
            log_prob = float(np.log(weights[position]) - np.log(sums[-1]))
        else:
            token, log_prob = int(scores.argmax()), 0.0
        return token, log_prob


def _uniform(random: np.random.RandomState) -> np.float32:
    """Return a number from 0 to below 1, as C++ draws it from the Mersenne twister."""
    number = np.float32(random.randint(0, 2**32, dtype=np.uint32)) * np.float32(2**-32)
    return min(number, np.nextafter(np.float32(1), np.float32(0)))


def log_softmax(logits: Array) -> Array:
    """Return the logarithms of the probabilities that the model gives to the tokens of each row."""
    shifted = logits - logits.max(-1, keepdims=True)
    log_probs: Array = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return log_probs


def _alternatives(log_probs: Array, count: int) -> list[tuple[int, float]]:
    """Return the most probable tokens with the logarithms of their probabilities, the best first."""
    tokens = _highest(log_probs, min(count, len(log_probs)))
    ordered = tokens[np.argsort(-log_probs[tokens], kind="stable")]
    return list(zip(ordered.tolist(), log_probs[ordered].tolist(), strict=True))


def penalized(logits: Array, config: GenerationConfig, prompt: Array, generated: list[int]) -> Array:
    """Return logits changed by the penalties for tokens that occurred, and by `min_new_tokens`."""
    scores = logits.astype(np.float32)
    if len(generated) < config.min_new_tokens:
        scores[[token for token in config.stop_token_ids if token < len(scores)]] = -np.inf
    if config.repetition_penalty != 1:
        _penalize(scores, np.union1d(prompt, np.array(generated, np.int64)), config.repetition_penalty)
    if config.presence_penalty or config.frequency_penalty:
        counts = Counter(generated)
        tokens, times = np.array([*counts], np.int64), np.array([*counts.values()], np.float32)
        for penalty in (np.float32(config.presence_penalty), np.float32(config.frequency_penalty) * times):
            scores[tokens] -= np.where(scores[tokens] >= 0, penalty, -penalty)
    return scores


def _penalize(scores: Array, tokens: Array, penalty: float) -> None:
    values = scores[tokens]
    scores[tokens] = np.where(values >= 0, values / np.float32(penalty), values * np.float32(penalty))


def distribution(scores: Array, config: GenerationConfig) -> tuple[Array, Array]:
    """Return the tokens that may be drawn and their weights: filtered by top_k, then min_p, then top_p."""
    tokens = np.arange(len(scores))
    if 0 < config.top_k < len(scores):
        tokens = _highest(scores, config.top_k)
    values = scores[tokens]
    temperature = np.float32(max(config.temperature, _LEAST_TEMPERATURE))
    weights = np.exp((values - values.max()) * (np.float32(1) / temperature))
    weights /= weights.sum()
    if config.min_p > 0:
        is_kept = weights >= np.float32(config.min_p) * weights.max()
        tokens, weights = tokens[is_kept], weights[is_kept]
    if config.top_p < 1:
        order = np.argsort(-weights, kind="stable")
        count = int(np.searchsorted(np.cumsum(weights[order], dtype=np.float32), config.top_p, "right")) + 1
        tokens, weights = tokens[order[:count]], weights[order[:count]]
    return tokens, weights


def _highest(scores: Array, count: int) -> Array:
    """Return the positions of the highest scores, the first ones of those that are equal to the last."""
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > least)
    return np.concatenate([above, np.flatnonzero(scores == least)[: count - len(above)]])
