"""`ir-plugin reduce`: the smallest part of a model for which a command still fails."""

from __future__ import annotations

import json
import os
import re
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGTERM
from subprocess import DEVNULL, STDOUT, Popen, TimeoutExpired
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command, Real
from ir_plugin.cli.console import say
from ir_plugin.cli.status import INTERRUPTED
from ir_plugin.cli.writing import ONNX, opset_of, require_own_path, write_model
from ir_plugin.errors import Error, InputError

if TYPE_CHECKING:
    from ir_plugin.openvino.api import Model
    from ir_plugin.openvino.surgery.reduction import Reduction

_PLACE = "{}"


@dataclass(frozen=True)
class ReduceArguments:
    """The arguments and options of `ir-plugin reduce`."""

    model: Path
    when: str
    out: Path | None
    message: str | None
    timeout: float
    max_runs: int
    weights: bool
    anonymous: bool
    json_: bool


@click.command(cls=Command)
@options.model
@click.option("--when", metavar="COMMAND", required=True,
              help="The command that fails, without a shell; {} is the path of a candidate, which else comes last."
)  # fmt: skip
@click.option("--out", "-o", type=options.FILE, help="Write the part here, as MODEL is; default: reduced.xml or .onnx."
)  # fmt: skip
@click.option("--message", metavar="REGEX", help="Count only failures that print a match of this.")
@click.option("--timeout", type=Real(0, min_open=True), default=60.0, metavar="SECONDS",
              help="The longest run of COMMAND; a longer one counts as no failure.")  # fmt: skip
@click.option("--max-runs", type=click.IntRange(1), default=1000, help="The largest number of runs of COMMAND.")
@click.option("--weights", is_flag=True, help="Set weights to zeros or ones where COMMAND still fails.")
@click.option("--anonymous", is_flag=True, help="Replace names and metadata where COMMAND still fails.")
@options.json
@options.quiet
@options.collected(ReduceArguments)
def reduce(arguments: ReduceArguments) -> None:
    """Shrink a model to the smallest part for which a command fails.

    A command fails if it exits with the status, other than 0, with which it exits for the whole model. Candidates are
    written to a temporary folder; MODEL stays as it is. Ctrl-C ends the search with the smallest part so far.
    """
    out = _target(arguments)
    with TemporaryDirectory() as folder:
        command = FailingCommand(arguments, Path(folder, f"candidate{out.suffix}"))
        search, layers = _begin(arguments, command)
        is_interrupted = False
        try:
            _search(search, arguments)
        except KeyboardInterrupt:
            is_interrupted = True
        command.save(search.model, out)
    stopped = "interrupted" if is_interrupted else "max-runs" if search.is_exhausted else None
    count = len(search.model.nodes)
    if arguments.json_:
        document = {"out": str(out), "layers": count, "layers_before": layers, "runs": command.runs}
        click.echo(json.dumps(document | {"stopped": stopped}))
    else:
        say(f"{out} has {count} of {layers} layers, after {command.runs} runs" + (f" ({stopped})" if stopped else ""))
    if is_interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _target(arguments: ReduceArguments) -> Path:
    suffix = ONNX if arguments.model.suffix == ONNX else ".xml"
    out = arguments.out or Path(f"reduced{suffix}")
    if out.suffix != suffix:
        raise InputError(f"the part is written as MODEL is, to a path that ends in {suffix}, not to {str(out)!r}")
    require_own_path(arguments.model, out, "the part")
    return out


def _begin(arguments: ReduceArguments, command: FailingCommand) -> tuple[Reduction, int]:
    """Return the search and the number of layers; raises unless the command fails for the model as it is written."""
    from ir_plugin.openvino.api import Core
    from ir_plugin.openvino.surgery.edits import STRUCTURE, WEIGHTS
    from ir_plugin.openvino.surgery.reduction import Reduction

    model = Core().read_model(arguments.model)
    command.expect(arguments.model)
    command.save(model, command.candidate)
    if not command.fails_for(command.candidate):
        raise InputError(
            "the command does not fail for the model as ir_plugin writes it, so no part of it can be found"
        )
    edits = (*STRUCTURE, *WEIGHTS) if arguments.weights else STRUCTURE

    def show(smaller: Model, runs: int) -> None:
        del runs
        say(f"{len(smaller.nodes)} layers, after {command.runs} runs", error=True)

    search = Reduction(model, command, edits, max(arguments.max_runs - command.runs, 0), show)
    return search, len(model.nodes)


def _search(search: Reduction, arguments: ReduceArguments) -> None:
    from ir_plugin.openvino.surgery.anonymity import anonymous

    search.run()
    if arguments.anonymous and not search.accept(anonymous(search.model)):
        say("note: the command does not fail without the names, which stay", error=True)


class FailingCommand:
    """A command whose failure for a model is looked for, as a predicate of models."""

    def __init__(self, arguments: ReduceArguments, candidate: Path) -> None:
        try:
            self._words = shlex.split(arguments.when)
            self._message = None if arguments.message is None else re.compile(arguments.message.encode())
        except (ValueError, re.error) as fault:
            raise InputError(f"--when or --message cannot be read: {fault}") from None
        if not self._words:
            raise InputError("--when names no command")
        self.candidate = candidate
        self.runs = 0
        self._timeout = arguments.timeout
        self._status = 0
        self._opset: int | None = None

    def __call__(self, model: Model) -> bool:
        """Return whether the command fails for a model; one that cannot be written does not count."""
        try:
            self.save(model, self.candidate)
        except Error:
            self.runs += 1
            return False
        return self.fails_for(self.candidate)

    def save(self, model: Model, path: Path) -> None:
        """Write a model in the format of a path."""
        write_model(model, path, self._opset)

    def expect(self, path: Path) -> None:
        """Take the status for the whole model, which must not be 0, as the failure that is looked for."""
        self._opset = opset_of(path)
        status = self._run(path)
        if not status:
            raise InputError(
                "the command does not fail for the whole model" + ("" if status == 0 else ", within the time")
            )
        self._status = status

    def fails_for(self, path: Path) -> bool:
        """Return whether the command fails for a file as it does for the whole model."""
        return self._run(path) == self._status

    def _run(self, path: Path) -> int | None:
        """Return the status of the command, 0 without the message, or None where it takes too long."""
        words = [word.replace(_PLACE, str(path)) for word in self._words]
        words += [] if any(_PLACE in word for word in self._words) else [str(path)]
        self.runs += 1
        with TemporaryFile() as output:
            try:
                process = Popen(words, stdin=DEVNULL, stdout=output, stderr=STDOUT, start_new_session=True)
            except OSError as fault:
                raise InputError(f"the command {words[0]!r} cannot be run: {fault.strerror or fault}") from None
            try:
                status = process.wait(self._timeout)
            except TimeoutExpired:
                return None
            finally:
                _end(process)
            output.seek(0)
            is_matched = self._message is None or self._message.search(output.read()) is not None
        return status if is_matched else 0


def _end(process: Popen[bytes]) -> None:
    """End a process that still runs, and those that it started where the system has groups of processes."""
    if process.poll() is None:
        with suppress(ProcessLookupError, AttributeError):
            os.killpg(process.pid, SIGTERM)
        process.kill()
        process.wait()
