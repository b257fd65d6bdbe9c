"""Tokens are drawn with the probabilities that each parameter promises: 5,000 draws against the exact ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ir_plugin import genai
from ir_plugin.openvino.genai.generation_config import GenerationConfig
from ir_plugin.openvino.genai.sampling import SamplingSearch, distribution, penalized
from ir_plugin.openvino.genai.sequences import StopStrings
from ir_plugin.tensors import Array
from tests.genai.cases import TINY

DRAWS = 5000
TOKENIZER = genai.Tokenizer(TINY)
LOGITS = np.array([2.0, -1.0, 0.5, 1.5, -3.0, 0.0, 2.5, 1.0, -0.5, 0.25, 1.75, -2.0], np.float32)
PROMPT = [0, 3, 3, 4]
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 0.5},
    {"temperature": 2.5},
    {"top_k": 4},
    {"top_k": 50},
    {"top_p": 0.7},
    {"top_p": 0.05},
    {"min_p": 0.3},
    {"repetition_penalty": 1.6},
    {"repetition_penalty": 0.7},
    {"top_k": 7, "temperature": 1.7, "min_p": 0.1, "top_p": 0.8, "repetition_penalty": 1.2},
)


def exact(options: dict[str, Any], logits: Array = LOGITS) -> Array:
    """Return the probability of each token, computed token by token."""
    scores = [float(score) for score in logits]
    penalty = options.get("repetition_penalty", 1.0)
    scores = [
        score if token not in PROMPT else score / penalty if score >= 0 else score * penalty
        for token, score in enumerate(scores)
    ]
    best = sorted(range(len(scores)), key=lambda token: -scores[token])[: options.get("top_k", len(scores))]
    weights = {token: np.exp(scores[token] / options.get("temperature", 1.0)) for token in best}
    total = sum(weights.values())
    most = max(weights.values())
    weights = {token: w / total for token, w in weights.items() if w >= options.get("min_p", 0) * most}
    kept, mass = {}, 0.0
    for token in sorted(weights, key=lambda token: -weights[token]):
        if mass <= options.get("top_p", 1.0):
            kept[token] = weights[token]
            mass += weights[token]
    return np.array([kept.get(token, 0.0) / sum(kept.values()) for token in range(len(scores))])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_draws_have_the_exact_probabilities(options: dict[str, Any]) -> None:
    config = GenerationConfig(do_sample=True, num_return_sequences=DRAWS, max_new_tokens=1, rng_seed=39, **options)
    config.validate()
    search = SamplingSearch(config, PROMPT, 1, StopStrings(config, TOKENIZER))
    assert search.advance(LOGITS[None]) == DRAWS
    judge([sequence.tokens[0] for sequence, _ in search.results()], exact(options))


def judge(tokens: list[int], probabilities: Array) -> None:
    """Assert that tokens were drawn with the probabilities, by a chi-square test."""
    counts = np.bincount(tokens, minlength=len(LOGITS))
    possible = probabilities > 0
    assert counts[~possible].sum() == 0
    expected = probabilities[possible] * DRAWS
    freedom = max(possible.sum() - 1, 1)
    limit = freedom * (1 - 2 / (9 * freedom) + 3.09 * np.sqrt(2 / (9 * freedom))) ** 3  # exceeded once in 1,000 seeds
    assert ((counts[possible] - expected) ** 2 / expected).sum() < limit


@pytest.mark.parametrize("token", [6, 4])
@pytest.mark.parametrize("times", [1, 3])
def test_penalized_draws_have_the_exact_probabilities(token: int, times: int) -> None:
    config = GenerationConfig(do_sample=True, num_return_sequences=DRAWS, max_new_tokens=times + 1, rng_seed=11)
    config.presence_penalty, config.frequency_penalty = 1.25, 0.5
    search = SamplingSearch(config, PROMPT, times + 1, StopStrings(config, TOKENIZER))
    certain = np.where(np.arange(len(LOGITS)) == token, np.float32(200), np.float32(0))
    for _ in range(times):
        search.advance(np.tile(certain, (DRAWS, 1)))
    search.advance(np.tile(LOGITS, (DRAWS, 1)))
    logits, penalty = LOGITS.copy(), 1.25 + 0.5 * times
    logits[token] += -penalty if logits[token] >= 0 else penalty
    judge([sequence.tokens[times] for sequence, _ in search.results()], exact({}, logits))


def test_scores_are_the_logarithms_of_the_probabilities() -> None:
    for options in OPTIONS:
        config = GenerationConfig(do_sample=True, num_return_sequences=50, max_new_tokens=1, **options)
        search = SamplingSearch(config, PROMPT, 1, StopStrings(config, TOKENIZER))
        search.advance(LOGITS[None])
        probabilities = exact(options)
        for sequence, score in search.results():
            assert score == pytest.approx(np.log(probabilities[sequence.tokens[0]]), abs=1e-5)


def test_penalties_count_what_was_generated() -> None:
    config = GenerationConfig(presence_penalty=0.5, frequency_penalty=0.25, stop_token_ids={6}, min_new_tokens=4)
    generated = [0, 4, 4]
    scores = penalized(LOGITS, config, np.array([1]), generated)
    expected = LOGITS.copy()
    expected[0] -= 0.5 + 0.25
    expected[4] += 0.5 + 2 * 0.25
    expected[6] = -np.inf
    np.testing.assert_array_equal(scores, expected)
    assert penalized(LOGITS, config, np.array([1]), [*generated, 5])[6] == LOGITS[6]


@pytest.mark.parametrize("temperature", [1e-320, 1e-45, 1e-30, 1e-9])
def test_the_least_temperatures_leave_the_most_probable_token(temperature: float) -> None:
    """Their inverse is beyond f32."""
    _, weights = distribution(LOGITS, GenerationConfig(temperature=temperature, do_sample=True))
    assert weights.tolist() == (LOGITS.max() == LOGITS).tolist()


def test_equal_seeds_draw_equal_tokens() -> None:
    def drawn(seed: int) -> list[int]:
        config = GenerationConfig(do_sample=True, num_return_sequences=30, max_new_tokens=1, rng_seed=seed)
        search = SamplingSearch(config, PROMPT, 1, StopStrings(config, TOKENIZER))
        search.advance(LOGITS[None])
        return [sequence.tokens[0] for sequence in search._sequences]

    assert drawn(1) == drawn(1) != drawn(2)
