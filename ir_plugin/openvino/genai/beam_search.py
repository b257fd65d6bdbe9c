"""Beam search, also by groups of beams that avoid one another's tokens."""

from __future__ import annotations

from collections.abc import Sequence as Tokens
from dataclasses import dataclass, field

import numpy as np

from ir_plugin.openvino.genai.generation_config import GenerationConfig, StopCriteria
from ir_plugin.openvino.genai.results import GenerationFinishReason
from ir_plugin.openvino.genai.sampling import log_softmax
from ir_plugin.openvino.genai.sequences import Sequence, StopStrings
from ir_plugin.tensors import Array


@dataclass
class _Beam:
    """A sequence with the sum of the logarithms of its tokens' probabilities, and the row of its logits."""

    sequence: Sequence
    score: np.float32
    row: int = 0


@dataclass
class _Candidate:
    """A token that may continue a beam."""

    beam: _Beam
    token: int
    log_prob: np.float32
    score: np.float32


@dataclass
class _Group:
    """Beams that are searched together, and the best sequences that ended, the worst of them last."""

    beams: list[_Beam]
    ended: list[_Beam] = field(default_factory=list)
    is_done: bool = False


class BeamSearch:
    """Follows the `num_beams` most probable sequences."""

    def __init__(self, config: GenerationConfig, prompt: Tokens[int], max_new_tokens: int, stops: StopStrings) -> None:
        self._config = config
        self._prompt = list(prompt)
        self._max_new_tokens = max_new_tokens
        self._stops = stops
        self._size = config.num_beams // config.num_beam_groups
        base = Sequence()
        scores = [0.0, *[-np.inf] * (self._size - 1)]
        self._groups = [
            _Group([_Beam(base, np.float32(score)) for score in scores]) for _ in range(config.num_beam_groups)
        ]
        self.running = [base]

    def advance(self, logits: Array) -> int:
        """Extend the beams by the logits of their rows, and return how many tokens each of them got."""
        log_probs = log_softmax(logits.astype(np.float32))
        chosen: list[int] = []
        for group in self._groups:
            if not group.is_done:
                children = self._children(group, log_probs, chosen)
                group.is_done = self._is_done(group) or not children
                chosen += [child.token for child in children]
                group.beams = [] if group.is_done else [_extended(child) for child in children]
        beams = [beam for group in self._groups for beam in group.beams]
        for row, beam in enumerate(beams):
            beam.row = row
        self.running = [beam.sequence for beam in beams]
        if self.running and len(self.running[0].tokens) >= self._max_new_tokens:
            self._end_all()
        return 1

    def results(self) -> list[tuple[Sequence, float]]:
        """Return the sequences that ended with their scores, the best first."""
        sequences = [beam.sequence for group in self._groups for beam in group.ended]
        scored = [(item, item.log_prob / len(item.tokens) ** self._config.length_penalty) for item in sequences]
        return sorted(scored, key=lambda item: -item[1])

    def _children(self, group: _Group, log_probs: Array, chosen: list[int]) -> list[_Candidate]:
        """Return the beams' continuations that go on, and put the ones that end among the ended sequences."""
        candidates = [item for beam in group.beams for item in self._candidates(beam, log_probs, chosen)]
        candidates.sort(key=lambda item: -item.score)
        children: list[_Candidate] = []
        for position, candidate in enumerate(candidates):
            ended = self._ended(candidate)
            if ended is None:
                children.append(candidate)
            elif position < self._size:
                self._end(group, ended, candidate.score, len(candidate.beam.sequence.tokens) + 1)
            if len(children) == self._size:
                break
        return children

    def _candidates(self, beam: _Beam, log_probs: Array, chosen: list[int]) -> list[_Candidate]:
        """Return the most probable continuations of a beam, twice as many as a group has beams."""
        values = log_probs[beam.row].copy()
        np.subtract.at(values, chosen, np.float32(self._config.diversity_penalty))
        values[self._repeated([*self._prompt, *beam.sequence.tokens])] = -np.inf
        count = min(2 * self._size, len(values))
        highest = np.sort(np.argpartition(-values, count - 1)[:count])
        tokens = highest[np.argsort(-values[highest], kind="stable")]
        return [_Candidate(beam, int(at), values[at], beam.score + values[at]) for at in tokens]

    def _repeated(self, text: list[int]) -> list[int]:
        """Return the tokens that would repeat as many tokens as must not occur twice."""
        before = self._config.no_repeat_ngram_size - 1
        if len(text) <= max(before, 1):
            return []
        last = text[len(text) - before :]
        return [text[at + before] for at in range(len(text) - before) if text[at : at + before] == last]

    def _ended(self, candidate: _Candidate) -> Sequence | None:
        """Return the sequence that ends with a candidate, None if it goes on."""
        sequence = candidate.beam.sequence.extended(candidate.token, float(candidate.log_prob), candidate.beam.row)
        sequence.finish_reason = GenerationFinishReason.STOP
        if candidate.token in self._config.stop_token_ids:
            return sequence
        surplus = self._stops.matched(sequence.tokens)
        if surplus is None:
            return None
        sequence.remove_last(surplus)
        return sequence

    def _end(self, group: _Group, sequence: Sequence, score: np.float32, length: int) -> None:
        """Put a sequence among the ended ones of a group, of which the worst goes when there are too many."""
        weighted = score / np.float32(length) ** np.float32(self._config.length_penalty)
        group.ended.append(_Beam(sequence, np.float32(weighted)))
        group.ended.sort(key=lambda beam: -beam.score)
        del group.ended[self._size :]

    def _is_done(self, group: _Group) -> bool:
        """Return whether a group needs to search no longer."""
        if len(group.ended) < self._size:
            return False
        if self._config.stop_criteria is StopCriteria.EARLY:
            return True
        best = group.beams[0]
        length = len(best.sequence.tokens)
        if self._config.stop_criteria is StopCriteria.NEVER and self._config.length_penalty > 0:
            length = self._max_new_tokens
        if not length:
            return False
        attainable = best.score / np.float32(length) ** np.float32(self._config.length_penalty)
        return bool(group.ended[-1].score >= attainable)

    def _end_all(self) -> None:
        """End the beams that are long enough."""
        for group in self._groups:
            for beam in group.beams:
                beam.sequence.finish_reason = GenerationFinishReason.LENGTH
                self._end(group, beam.sequence, beam.score, len(beam.sequence.tokens))
            group.beams = []
        self.running = []


def _extended(child: _Candidate) -> _Beam:
    return _Beam(child.beam.sequence.extended(child.token, float(child.log_prob), child.beam.row), child.score)
