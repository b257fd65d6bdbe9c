"""`ir-plugin compare`: the first layer where a run differs from a reference."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ir_plugin.cli import options
from ir_plugin.cli.command import Command, Real
from ir_plugin.cli.completion import files, words
from ir_plugin.cli.console import say, say_wrapped, working
from ir_plugin.cli.options import inputs_with_prompt, model_file, model_or_path
from ir_plugin.cli.status import WRONG
from ir_plugin.cli.tables import print_table
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.report.compare_texts import TextComparison
    from ir_plugin.report.comparison import Comparison


_REQUIRED_COLUMNS = ("", "layer", ">max abs", ">max rel")
_REQUIRED_RANKS = ("", "quantizer", "SQNR dB", "lost dB", "output gains dB")


def _references(context: click.Context, parameter: click.Parameter, prefix: str) -> list[CompletionItem]:
    candidates = words("openvino", "openvino-genai", "onnxruntime")(context, parameter, prefix)
    return candidates or files(context, parameter, prefix)


@dataclass(frozen=True)
class CompareArguments:
    """The arguments and options of `ir-plugin compare`."""

    model: Path
    reference: str
    of: Path | None
    fed: bool
    planned: bool
    rank: bool
    rtol: float
    atol: float | None
    input: tuple[str, ...]
    prompt: str | None
    use_template: bool
    max_new_tokens: int
    validate: bool
    seed: int
    everything: bool
    html: Path | None
    json_: bool


@click.command(cls=Command)
@options.model_or_folder
@click.option(
    "--with",
    "reference",
    metavar="REFERENCE",
    default="openvino",
    shell_complete=_references,
    help="openvino, onnxruntime, RUN.npz, MODEL.onnx or OTHER.xml; for a folder also openvino-genai or OTHER.",
)
@click.option(
    "--onnx",
    "--of",
    "of",
    type=options.FILE,
    help="What the other runtime runs: the ONNX model of an IR, or for openvino another IR.",
)
@click.option("--fed", is_flag=True, help="Give each layer the reference's inputs.")
@click.option(
    "--planned", is_flag=True, help="Compare the outputs of selected and fused kernels, as `run` executes them."
)
@click.option(
    "--rank",
    is_flag=True,
    help="Rank the quantizers by how much worse they are than their levels allow, the worst first; --with is the "
    "model before quantization.",
)
@click.option("--rtol", type=Real(0), default=1e-3, help="Relative tolerance.")
@click.option("--atol", type=Real(0), help="Absolute tolerance; default: 1e-4 of a tensor's largest value.")
@options.input
@options.prompt
@options.no_template
@click.option("--max-new-tokens", type=click.IntRange(1), default=32, help="Length of the answers that are compared.")
@options.no_validate
@options.seed
@options.everything
@click.option("--html", type=options.FILE, help="Write the comparison to this page.")
@options.json
@options.quiet
@options.collected(CompareArguments)
def compare(arguments: CompareArguments) -> None:
    """Compare every layer with another runtime, model or run.

    Names the first layer over the tolerance, and whether its inputs still agree. An .npz written by `dump` contains
    the inputs. The exit status is 0 if all layers agree, 1 if one differs.

    The model of a folder may run on the tokens of a prompt. With openvino-genai or another folder the answers to the
    prompt are compared too: it names the first token that differs, and runs the layers on the tokens before it.

    With --rank it names the quantizer of an int8 or int4 model that is worst: its signal-to-noise ratio, the decibels
    that it loses against the best range, and those that the output gains if it is undone. The exit status is 0.
    """
    if arguments.rank:
        _rank(arguments)
        return
    texts = _compared_texts(arguments)
    comparison = _run_comparison(arguments) if texts is None else texts.layers
    if arguments.html is not None:
        _write_page(arguments.html, comparison.to_html())
    if arguments.json_:
        click.echo((texts or comparison).to_json())
    else:
        for line in texts.verdict() if texts is not None else ():
            say_wrapped(line)
        _print(comparison, arguments.everything)
    if not (texts or comparison).agrees:
        raise click.exceptions.Exit(WRONG)


def _rank(arguments: CompareArguments) -> None:
    from ir_plugin.report.rank import rank_quantizers
    from ir_plugin.report.ranking_text import COLUMNS, MAX_ROWS, row, verdict

    if arguments.fed or arguments.planned:
        raise InputError("--rank runs plain layers on their own inputs; it cannot be combined with --fed or --planned")
    with working("ranking") as advance:
        ranking = rank_quantizers(
            model_file(arguments.model), arguments.reference, _inputs(arguments),
            of=arguments.of, seed=arguments.seed, listener=lambda _: advance(),
        )  # fmt: skip
    if arguments.html is not None:
        _write_page(arguments.html, ranking.to_html())
    if arguments.json_:
        click.echo(ranking.to_json())
        return
    shown = list(enumerate(ranking, 1))[:MAX_ROWS]
    columns = [name if name.lstrip(">") in _REQUIRED_RANKS else f"~{name}" for name in COLUMNS]
    print_table(columns, [row(rank, quantizer) for rank, quantizer in shown], flexible=(1,))
    say()
    for line in verdict(ranking):
        say_wrapped(line)


def _run_comparison(arguments: CompareArguments) -> Comparison:
    from ir_plugin.report.compare import compare as compared

    model = model_or_path(model_file(arguments.model), arguments.validate)
    with working("comparing") as advance:
        return compared(
            model, arguments.reference, _inputs(arguments), planned=arguments.planned, listener=lambda _: advance(),
            **_settings(arguments),
        )  # fmt: skip


def _inputs(arguments: CompareArguments) -> dict[Any, Any] | None:
    inputs = inputs_with_prompt(arguments.model, arguments.input, arguments.prompt, use_template=arguments.use_template)
    return inputs or None


def _settings(arguments: CompareArguments) -> dict[str, Any]:
    """Return the options of a comparison of layers that one of texts has too."""
    names = ("of", "fed", "rtol", "atol", "seed")
    return {name: getattr(arguments, name) for name in names}


def _compared_texts(arguments: CompareArguments) -> TextComparison | None:
    """Return the comparison of answers where the reference is openvino-genai or a folder, else None."""
    from ir_plugin.report.references import OPENVINO_GENAI

    reference = arguments.reference
    if reference != OPENVINO_GENAI and not os.path.isdir(reference):
        return None
    from ir_plugin.report.compare_texts import compare_texts

    if arguments.prompt is None:
        raise InputError(f"a comparison with {reference} needs a prompt: --prompt TEXT")
    with working("comparing") as advance:
        return compare_texts(
            arguments.model, reference, arguments.prompt, max_new_tokens=arguments.max_new_tokens,
            use_template=arguments.use_template, listener=lambda _: advance(), **_settings(arguments),
        )  # fmt: skip


def _write_page(path: Path, text: str) -> None:
    """Write a page as a whole."""
    from ir_plugin.writer.files import write_file

    write_file(path, text)


def _print(comparison: Comparison, everything: bool) -> None:
    from ir_plugin.report.comparison_text import COLUMNS, chosen, row, verdict

    rows = [row(output) for output in chosen(comparison, everything)]
    columns = [name if name in _REQUIRED_COLUMNS else f"~{name}" for name in COLUMNS]
    print_table(columns, rows, flexible=(1,))
    if len(rows) < len(comparison):
        say(f"… {len(rows)} of {len(comparison)} outputs; --all lists every one")
    say()
    for line in verdict(comparison):
        say_wrapped(line)
