"""The answer of a language model, printed as it comes, which an interrupt stops."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ir_plugin.cli.generation import print_piece

if TYPE_CHECKING:
    from ir_plugin.openvino.genai import DecodedResults, LLMPipeline, StreamerBase


@dataclass(frozen=True)
class Answer:
    """What a model has answered: None where an interrupt came before the first token."""

    results: DecodedResults | None
    is_interrupted: bool


@dataclass
class _Interrupts:
    """How many interrupts came, and whether the answer has begun, which is then stopped after its next token."""

    count: int = 0
    has_begun: bool = False

    def note(self, _signal: int, _frame: Any) -> None:
        """Note an interrupt; raise for one before the answer, and for a second one."""
        self.count += 1
        if self.count > 1 or not self.has_begun:
            raise KeyboardInterrupt

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note interrupts instead of raising."""
        before = signal.signal(signal.SIGINT, self.note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def answered(pipeline: LLMPipeline, inputs: Any, parameters: dict[str, Any], *, prints: bool = True) -> Answer:
    """Return the answer to inputs, and print it as it comes; a second interrupt raises.

    Of beam search and of several texts nothing is printed before the end.
    """
    config = pipeline.get_generation_config()
    streams = not config.is_beam_search() and config.num_return_sequences == 1
    interrupts, results = _Interrupts(), None
    streamer = _streamer(pipeline, interrupts, print_piece if prints else _ignore) if streams else None
    try:
        with interrupts.noted():
            results = pipeline.generate(inputs, streamer=streamer, **parameters)
    except KeyboardInterrupt:
        if interrupts.count != 1:
            raise
    if prints and results is not None:
        print_piece("\n" if streams else "".join(f"{text}\n" for text in results.texts))
    return Answer(results, interrupts.count > 0)


def _ignore(piece: str) -> None:
    """Take a piece without printing it."""
    del piece


def _streamer(pipeline: LLMPipeline, interrupts: _Interrupts, write: Callable[[str], None]) -> StreamerBase:
    """Return a streamer that writes text, and stops after an interrupt."""
    from ir_plugin.openvino.genai import StreamingStatus, TextStreamer

    class Printer(TextStreamer):
        def write(self, token: int | Sequence[int]) -> StreamingStatus:
            interrupts.has_begun = True
            status = super().write(token)
            return StreamingStatus.STOP if interrupts.count else status

    return Printer(pipeline.get_tokenizer(), write)
