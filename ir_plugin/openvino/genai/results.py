"""What generation returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ir_plugin.openvino.genai.enumeration import Enumeration
from ir_plugin.openvino.genai.perf_metrics import PerfMetrics


class GenerationFinishReason(Enumeration):
    """Why a text ends: nothing ended it, a token, a text or the streamer did, or it was long enough."""

    NONE = 0
    STOP = 1
    LENGTH = 2
    TOOL_CALL = 3


@dataclass
class EncodedResults:
    """Generated tokens with their scores, the best of each prompt first.

    The score of a text is the sum of the logarithms of its tokens' probabilities, divided for beam search by its
    length to the power of `length_penalty`; it is 0 for greedy search without `logprobs`.
    """

    tokens: list[list[int]] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    finish_reasons: list[GenerationFinishReason] = field(default_factory=list)
    perf_metrics: PerfMetrics = field(default_factory=PerfMetrics)
    extended_perf_metrics: None = None


@dataclass
class DecodedResults:
    """Generated texts with their scores, as `EncodedResults` has them."""

    texts: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    finish_reasons: list[GenerationFinishReason] = field(default_factory=list)
    perf_metrics: PerfMetrics = field(default_factory=PerfMetrics)
    extended_perf_metrics: None = None
    parsed: list[Any] = field(default_factory=list)

    def __str__(self) -> str:
        if len(self.texts) == 1:
            return self.texts[0]
        return "\n".join(f"{score:f}: {text}" for score, text in zip(self.scores, self.texts, strict=True))
