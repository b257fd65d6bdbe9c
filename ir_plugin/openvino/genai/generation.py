"""The answer to one prompt while it is generated: its search, and the streamer that receives its tokens."""

from __future__ import annotations

from collections.abc import Sequence as Tokens

from ir_plugin.openvino.genai.beam_search import BeamSearch
from ir_plugin.openvino.genai.generation_config import GenerationConfig
from ir_plugin.openvino.genai.results import GenerationFinishReason
from ir_plugin.openvino.genai.sampling import SamplingSearch
from ir_plugin.openvino.genai.sequences import Search, Sequence, StopStrings
from ir_plugin.openvino.genai.streamers import StreamerBase, StreamingStatus, status_of
from ir_plugin.openvino.genai.tokenizer import Tokenizer
from ir_plugin.tensors import Array


class Generation:
    """Takes logits after a prompt, token by token, until its sequences end or its streamer stops it."""

    def __init__(
        self, prompt: Tokens[int], config: GenerationConfig, tokenizer: Tokenizer, streamer: StreamerBase | None = None
    ) -> None:
        self.prompt, self.is_cancelled = list(prompt), False
        self.echoed = self.prompt if config.echo else []
        self._streamer, self._unechoed = streamer, self.echoed
        stops, count = StopStrings(config, tokenizer), config.new_tokens(len(prompt))
        kind = BeamSearch if config.is_beam_search() else SamplingSearch
        self._search: Search | None = kind(config, self.prompt, count, stops) if count else None
        self._window, self._passed, self._is_stopped = stops.window, 0, False

    @property
    def running(self) -> list[Sequence]:
        """The sequences that need logits for a further token."""
        return [] if self._search is None or self._is_stopped else self._search.running

    @property
    def passed(self) -> int:
        """How many tokens of the answer were passed on: no stop string can take them back."""
        return self._passed

    def advance(self, logits: Array) -> int:
        """Extend the running sequences by the logits of their rows, and return how many tokens were generated."""
        if self._search is None:
            return 0
        count = self._search.advance(logits)
        if self._search.running:
            self._pass_on(self._search.running[0], self._window)
        return count

    def end(self) -> list[tuple[Sequence, float]]:
        """Pass on the last tokens, and return the sequences with their scores, the best first."""
        if self._search is None:
            return self._echo_alone()
        results = self._search.results()
        self._pass_on(results[0][0], 0)
        if self._streamer is not None:
            self._streamer.end()
        return results

    def _echo_alone(self) -> list[tuple[Sequence, float]]:
        """Pass on the prompt, after which nothing is generated, and return an empty sequence."""
        if self._streamer is not None:
            if self._unechoed:
                self._streamer.write(self._unechoed)
            self._streamer.end()
        return [(Sequence(finish_reason=GenerationFinishReason.LENGTH), 0.0)]

    def _pass_on(self, sequence: Sequence, window: int) -> None:
        """Pass tokens to the streamer, but for the last ones that a stop string may still take back."""
        end = len(sequence.tokens) - window
        if self._streamer is None or self._is_stopped or end <= self._passed:
            return
        tokens = [*self._unechoed, *sequence.tokens[self._passed : end]]
        self._passed, self._unechoed = end, []
        status = status_of(self._streamer.write(tokens))
        if status is StreamingStatus.RUNNING:
            return
        self._is_stopped, self.is_cancelled = True, status is StreamingStatus.CANCEL
        if sequence.finish_reason == GenerationFinishReason.NONE and not self.is_cancelled:
            is_tool = status is StreamingStatus.TOOL_CALL_STOP
            sequence.finish_reason = GenerationFinishReason.TOOL_CALL if is_tool else GenerationFinishReason.STOP
