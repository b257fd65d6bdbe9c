"""`ir-plugin chat`: a conversation with a language model."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command, Utf8
from ir_plugin.cli.console import echo, say
from ir_plugin.cli.generation import generation_options, parameters_of, pipeline_of, print_piece
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.openvino.genai import LLMPipeline, StreamerBase


@click.command(cls=Command)
@options.folder
@click.option("--system", type=Utf8(), default="", help="A message to the model before the first turn.")
@generation_options
@options.quiet
def chat(folder: Path, system: str, config: dict[str, str], **values: Any) -> None:
    """Talk to a language model.

    Each line of standard input is a turn, and the answer is printed as it comes. The model sees all turns before.
    Ctrl-C stops an answer, of which the model then knows the part that was printed; a second one ends the program.
    The end of input (Ctrl-D) ends the chat.
    """
    from ir_plugin.openvino.genai import ChatHistory

    parameters = parameters_of(values)
    pipeline = pipeline_of(folder, config)
    if not pipeline.get_tokenizer().chat_template:
        raise InputError(f"{folder} has no chat template; `ir-plugin generate` goes on from a text without one")
    history = ChatHistory([{"role": "system", "content": system}] if system else [])
    for line in _lines():
        if line.strip():
            history.append({"role": "user", "content": line})
            answer = _answer(pipeline, history.get_messages(), parameters)
            history.append({"role": "assistant", "content": answer})


def _answer(pipeline: LLMPipeline, messages: Sequence[dict[str, Any]], parameters: dict[str, Any]) -> str:
    """Print an answer and return it; an interrupt stops it."""
    with _interrupts() as interrupted:
        results = pipeline.generate(messages, streamer=_streamer(pipeline, interrupted), **parameters)
    say()
    return str(results.texts[0])


def _lines() -> Iterator[str]:
    """Yield the lines of standard input, after a prompt where it is a terminal; an interrupt drops a line."""
    is_terminal = sys.stdin.isatty()
    while True:
        if is_terminal:
            echo("> ", end="", error=True)
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            echo("", error=True)
            continue
        if not line:
            return
        yield line.rstrip("\n")


@contextmanager
def _interrupts() -> Iterator[Event]:
    """Let the first interrupt set an event, and the second one raise."""
    interrupted = Event()
    before = signal.getsignal(signal.SIGINT)

    def note(_signal: int, _frame: Any) -> None:
        signal.signal(signal.SIGINT, before)
        interrupted.set()

    signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


def _streamer(pipeline: LLMPipeline, interrupted: Event) -> StreamerBase:
    """Return a streamer that prints text, and stops where an event is set."""
    from ir_plugin.openvino.genai import StreamingStatus, TextStreamer

    class Printer(TextStreamer):
        def write(self, token: int | Sequence[int]) -> StreamingStatus:
            status = super().write(token)
            return StreamingStatus.STOP if interrupted.is_set() else status

    return Printer(pipeline.get_tokenizer(), print_piece)
