"""The options of generation, shared by verbs, and the printing of text while it is generated."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Real
from ir_plugin.cli.console import echo, is_quiet, working
from ir_plugin.diagnostics.escape import escaped_character
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.openvino.genai import LLMPipeline

Function = TypeVar("Function", bound=Callable[..., Any])
DEFAULT_TOKENS = 512
"""New tokens where neither the options nor the folder limit them."""
_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "rng_seed")
_OPTIONS = (
    click.option("--max-new-tokens", type=click.IntRange(1), help=f"Default: the folder's, else {DEFAULT_TOKENS}."),
    click.option("--temperature", type=Real(0), help="Draw tokens at this temperature; 0 takes the most probable."),
    click.option("--top-k", type=click.IntRange(1), help="Draw among so many of the most probable tokens."),
    click.option("--top-p", type=Real(0, 1), help="Draw among the most probable tokens of this sum."),
    click.option("--min-p", type=Real(0, 1), help="Draw no token below this part of the greatest probability."),
    click.option("--seed", "rng_seed", type=click.IntRange(0, 2**64 - 1), help="Draw tokens with this seed."),
    click.option("--repetition-penalty", type=Real(0), help="Above 1, tokens that occurred become less probable."),
    click.option("--presence-penalty", type=Real(-2, 2), help="Subtracted from tokens that were generated."),
    click.option("--frequency-penalty", type=Real(-2, 2), help="As often as a token was generated."),
    click.option("--stop", "stop_strings", multiple=True, help="A text that ends the answer."),
    click.option("--ignore-eos", is_flag=True, default=None, help="Go on after a token that ends the text."),
    options.config,
)


def generation_options(command: Function) -> Function:
    """Add the options of generation to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def parameters_of(values: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of generation that options give; options of sampling switch it on."""
    parameters = {name: value for name, value in values.items() if value not in (None, ())}
    if parameters.get("temperature") == 0:
        return {name: value for name, value in parameters.items() if name not in _SAMPLING} | {"do_sample": False}
    if any(name in parameters for name in _SAMPLING):
        parameters["do_sample"] = True
    return parameters


def pipeline_of(folder: Path, config: dict[str, str]) -> LLMPipeline:
    """Return the pipeline of a folder, whose answers end after some tokens or with the context at the latest."""
    from ir_plugin.openvino.genai import Context, LLMPipeline
    from ir_plugin.openvino.genai.generation_config import UNBOUNDED

    with working("reading and compiling"):
        pipeline = LLMPipeline(folder, "CPU", **config)
    pipeline.context = Context.of(folder)
    defaults = pipeline.get_generation_config()
    if defaults.max_new_tokens == defaults.max_length == UNBOUNDED:
        defaults.max_new_tokens = DEFAULT_TOKENS
        pipeline.set_generation_config(defaults)
    return pipeline


def read_input(read: Callable[[], str]) -> str:
    """Return the text on standard input; raises for bytes that are no text."""
    try:
        text = read()
        text.encode()
    except UnicodeError:
        raise InputError(f"standard input has bytes that are no {sys.stdin.encoding.upper()}") from None
    return text


def print_piece(piece: str) -> None:
    """Print a piece of text at once, unless quiet, with escape sequences of terminals visible."""
    if not is_quiet():
        echo("".join(letter if letter in "\n\t" else escaped_character(letter) for letter in piece), end="")
