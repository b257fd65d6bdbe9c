"""`ir-plugin generate`: the text that follows a prompt."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.answer import Answer, answered
from ir_plugin.cli.command import Command, Utf8
from ir_plugin.cli.console import say
from ir_plugin.cli.generation import generation_options, parameters_of, pipeline_of, read_input
from ir_plugin.cli.status import INTERRUPTED

if TYPE_CHECKING:
    from ir_plugin.openvino.genai import DecodedResults


@click.command(cls=Command)
@options.folder
@click.option(
    "--prompt",
    "-p",
    type=Utf8(),
    help="The text to go on from.  [default: standard input, but for its last line break]",
)
@options.no_template
@generation_options
@options.json
@options.quiet
def generate(
    folder: Path, prompt: str | None, use_template: bool, config: dict[str, str], json_: bool, **values: Any
) -> None:
    """Print what a language model writes after a prompt.

    The text is printed as it comes. The folder is one that optimum-intel writes. Where it has a chat template, the
    prompt is the first turn of a chat. Tokens are the most probable ones, unless the folder or an option of sampling
    says otherwise. Ctrl-C ends the program with the text so far.
    """
    parameters = parameters_of(values) | ({} if use_template else {"apply_chat_template": False})
    try:
        text = read_input(sys.stdin.read).removesuffix("\n") if prompt is None else prompt
        answer = answered(pipeline_of(folder, config), [text], parameters, prints=not json_)
    except KeyboardInterrupt:
        answer = Answer(None, is_interrupted=True)
    if json_ and answer.results is not None:
        click.echo(json.dumps(_document(answer.results, is_interrupted=answer.is_interrupted)))
    if answer.is_interrupted:
        say("interrupted", error=True)
        raise click.exceptions.Exit(INTERRUPTED)


def _document(results: DecodedResults, *, is_interrupted: bool) -> dict[str, Any]:
    metrics = results.perf_metrics
    return {
        "text": results.texts[0],
        "finish_reason": "interrupted" if is_interrupted else results.finish_reasons[0].name.lower(),
        "prompt_tokens": metrics.get_num_input_tokens(),
        "new_tokens": metrics.get_num_generated_tokens(),
        "first_token_ms": metrics.get_ttft().mean,
        "tokens_per_second": metrics.get_throughput().mean,
    }
