"""`ir-plugin generate`: the text that follows a prompt."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command, Utf8
from ir_plugin.cli.console import say
from ir_plugin.cli.generation import generation_options, parameters_of, pipeline_of, print_piece

if TYPE_CHECKING:
    from ir_plugin.openvino.genai import DecodedResults


@click.command(cls=Command)
@options.folder
@click.option("--prompt", "-p", type=Utf8(), help="The text to go on from.  [default: standard input]")
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
    says otherwise.
    """
    text = sys.stdin.read() if prompt is None else prompt
    parameters = parameters_of(values) | ({} if use_template else {"apply_chat_template": False})
    pipeline = pipeline_of(folder, config)
    if json_:
        results: DecodedResults = pipeline.generate([text], **parameters)
        click.echo(json.dumps(_document(results)))
        return
    pipeline.generate(text, streamer=print_piece, **parameters)
    say()


def _document(results: DecodedResults) -> dict[str, Any]:
    metrics = results.perf_metrics
    return {
        "text": results.texts[0],
        "finish_reason": results.finish_reasons[0].name.lower(),
        "prompt_tokens": metrics.get_num_input_tokens(),
        "new_tokens": metrics.get_num_generated_tokens(),
        "first_token_ms": metrics.get_ttft().mean,
        "tokens_per_second": metrics.get_throughput().mean,
    }
