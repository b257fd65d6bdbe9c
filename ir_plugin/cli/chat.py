"""`ir-plugin chat`: a conversation with a language model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.answer import answered
from ir_plugin.cli.command import Command, Utf8
from ir_plugin.cli.console import echo
from ir_plugin.cli.generation import generation_options, parameters_of, pipeline_of, read_input
from ir_plugin.errors import InputError


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
            results = answered(pipeline, history.get_messages(), parameters).results
            history.append({"role": "assistant", "content": results.texts[0] if results is not None else ""})


def _lines() -> Iterator[str]:
    """Yield the lines of standard input, after a prompt where it is a terminal; an interrupt drops a line."""
    is_terminal = sys.stdin.isatty()
    while True:
        if is_terminal:
            echo("> ", end="", error=True)
        try:
            line = read_input(sys.stdin.readline)
        except KeyboardInterrupt:
            echo("", error=True)
            continue
        if not line:
            return
        yield line.rstrip("\n")
