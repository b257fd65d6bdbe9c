"""How long the parts of a call took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from time import perf_counter

import numpy as np

from ir_plugin.errors import InputError


@dataclass(frozen=True)
class MeanStdPair:
    """The mean and the standard deviation of durations, -1 where there are none."""

    mean: float = -1.0
    std: float = -1.0

    def __iter__(self) -> Iterator[float]:
        return iter((self.mean, self.std))


@dataclass(frozen=True)
class SummaryStats:
    """Mean, standard deviation, least and greatest of durations, -1 where there are none."""

    mean: float = -1.0
    std: float = -1.0
    min: float = -1.0
    max: float = -1.0

    def as_tuple(self) -> tuple[float, float, float, float]:
        """Return the four values."""
        return self.mean, self.std, self.min, self.max


def now() -> float:
    """Return the time in microseconds since some moment."""
    return perf_counter() * 1e6


@dataclass
class RawPerfMetrics:
    """The durations of a call's parts in microseconds."""

    generate_durations: list[float] = field(default_factory=list)
    tokenization_durations: list[float] = field(default_factory=list)
    detokenization_durations: list[float] = field(default_factory=list)
    chat_template_durations: list[float] = field(default_factory=list)
    m_times_to_first_token: list[float] = field(default_factory=list)
    m_new_token_times: list[float] = field(default_factory=list)
    token_infer_durations: list[float] = field(default_factory=list)
    m_batch_sizes: list[int] = field(default_factory=list)
    m_durations: list[float] = field(default_factory=list)
    inference_durations: list[float] = field(default_factory=list)
    grammar_compile_times: list[float] = field(default_factory=list)
    sampling_durations: list[float] = field(default_factory=list)

    def add_token_times(self, start: float, times: Sequence[float], counts: Sequence[int]) -> None:
        """Note when the tokens of a prompt came, after its start: how many of them at which times."""
        self.m_times_to_first_token += [time - start for time in times[:1]]
        for before, after, count in zip(times, times[1:], counts[1:], strict=False):
            self.m_durations += [(after - before) / count] * count
        self.m_new_token_times += times
        self.m_batch_sizes += counts

    def joined(self, other: RawPerfMetrics) -> RawPerfMetrics:
        """Return the durations of two calls."""
        lists = {item.name: getattr(self, item.name) + getattr(other, item.name) for item in fields(self)}
        return RawPerfMetrics(**lists)


@dataclass
class PerfMetrics:
    """Counts and durations of a call: in milliseconds, but for the raw ones."""

    raw_metrics: RawPerfMetrics = field(default_factory=RawPerfMetrics)
    _load_time: float = 0.0
    _input_count: int = 0

    def get_load_time(self) -> float:
        """Return how long reading and compiling the models took."""
        return self._load_time

    def get_num_generated_tokens(self) -> int:
        """Return how many tokens were generated."""
        return sum(self.raw_metrics.m_batch_sizes)

    def get_num_input_tokens(self) -> int:
        """Return how many tokens the prompts have."""
        return self._input_count

    def get_ttft(self) -> MeanStdPair:
        """Return the time to the first token."""
        return _mean_and_std(self.raw_metrics.m_times_to_first_token)

    def get_tpot(self) -> MeanStdPair:
        """Return the time of each token after the first one."""
        return _mean_and_std(self.raw_metrics.m_durations)

    def get_ipot(self) -> MeanStdPair:
        """Return the time of each inference."""
        return _mean_and_std(self.raw_metrics.token_infer_durations)

    def get_throughput(self) -> MeanStdPair:
        """Return how many tokens are generated in a second."""
        mean, std = self.get_tpot()
        return MeanStdPair(1000 / mean, std * 1000 / mean**2) if mean else MeanStdPair()

    def get_generate_duration(self) -> MeanStdPair:
        """Return the duration of the call."""
        return _mean_and_std(self.raw_metrics.generate_durations)

    def get_inference_duration(self) -> MeanStdPair:
        """Return how long the model computed in a call."""
        return _mean_and_std(self.raw_metrics.inference_durations)

    def get_tokenization_duration(self) -> MeanStdPair:
        """Return how long texts became tokens."""
        return _mean_and_std(self.raw_metrics.tokenization_durations)

    def get_detokenization_duration(self) -> MeanStdPair:
        """Return how long tokens became texts."""
        return _mean_and_std(self.raw_metrics.detokenization_durations)

    def get_chat_template_duration(self) -> MeanStdPair:
        """Return how long chat templates were applied."""
        return _mean_and_std(self.raw_metrics.chat_template_durations)

    def get_sampling_duration(self) -> MeanStdPair:
        """Return the time of each choice of tokens."""
        return _mean_and_std(self.raw_metrics.sampling_durations)

    def get_grammar_compiler_init_times(self) -> dict[str, float]:
        """Return nothing: there are no grammars."""
        return {}

    def get_grammar_compile_time(self) -> SummaryStats:
        """Return -1: there are no grammars."""
        return SummaryStats()

    def __add__(self, metrics: PerfMetrics) -> PerfMetrics:
        if metrics.get_load_time() != self._load_time:
            raise InputError("metrics of different pipelines cannot be added")
        counts = self._input_count + metrics.get_num_input_tokens()
        return replace(self, raw_metrics=self.raw_metrics.joined(metrics.raw_metrics), _input_count=counts)


def _mean_and_std(microseconds: Sequence[float]) -> MeanStdPair:
    if not microseconds:
        return MeanStdPair()
    milliseconds = np.array(microseconds) / 1000
    return MeanStdPair(float(milliseconds.mean()), float(milliseconds.std()))
