"""`ir-plugin map`: run a model over stored arrays, chunk by chunk, with workers."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.completion import files, words
from ir_plugin.cli.console import say, say_wrapped, working
from ir_plugin.cli.status import WRONG
from ir_plugin.errors import AbsentError, InputError

if TYPE_CHECKING:
    from ir_plugin.batch_inference.jobs import MapJob, Outcome, Stored
    from ir_plugin.batch_inference.predictor import Predictor


@dataclass(frozen=True)
class MapArguments:
    """The arguments and options of `ir-plugin map`."""

    model: Path
    input: tuple[str, ...]
    out: str
    output: tuple[str, ...]
    batch_size: int
    axis: int
    workers: int | None
    scheduler: str | None
    resume: bool
    on_error: str
    config: dict[str, str]
    json_: bool


@click.command("map", cls=Command)
@options.model
@click.option(
    "--input", "-i", metavar="NAME=PATH", multiple=True, required=True, shell_complete=files,
    help="A Zarr array or an .npy with all rows; the only input needs no name.",
)  # fmt: skip
@click.option("--out", "-o", required=True, metavar="PATH", help="The Zarr array, or group of several outputs.")
@click.option("--output", multiple=True, metavar="NAME", help="Only these outputs.")
@click.option("--batch-size", type=click.IntRange(min=1), default=32, help="Rows of a chunk, and of a task.")
@click.option("--axis", type=click.IntRange(min=0), default=0, help="The axis of the batch.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes on this machine.  [default: this one]")
@click.option("--scheduler", metavar="ADDRESS", help="The Dask scheduler whose workers are used.")
@click.option("--resume", is_flag=True, help="Go on where an earlier run ended.")
@click.option(
    "--on-error", default="stop", type=click.Choice(["stop", "skip"]), shell_complete=words("stop", "skip"),
    help="Whether a chunk that fails ends the run, or is left out.",
)  # fmt: skip
@options.config
@options.json
@options.quiet
@options.collected(MapArguments)
def map(arguments: MapArguments) -> None:
    """Run a model over stored arrays, chunk by chunk.

    The outputs are stored as Zarr.
    Every chunk is a task, and appears whole or not at all. After an interruption --resume computes the chunks that are
    missing. The exit status is 0 if all chunks are stored, 1 if one failed.
    """
    if arguments.workers and arguments.scheduler:
        raise click.UsageError("--workers starts processes here, --scheduler uses a cluster's; give one")
    from ir_plugin.batch_inference.jobs import MapJob, run_here, run_on

    with working("reading and compiling"):
        predictor = _predictor(arguments)
        job = MapJob(predictor, _inputs(arguments.input), arguments.out, arguments.batch_size, arguments.axis)
        job = job.start(arguments.resume)
    missing = job.missing()
    start, failed = monotonic(), list["Outcome"]()
    with _client(arguments.workers, arguments.scheduler) as client:
        outcomes = run_here(job, missing) if client is None else run_on(client, job, missing)
        rows = _follow(outcomes, missing, failed, stop=arguments.on_error == "stop")
    job.sweep()
    _report(job, rows, len(missing), failed, monotonic() - start, arguments.json_)
    if failed:
        raise click.exceptions.Exit(WRONG)


def _predictor(arguments: MapArguments) -> Predictor:
    from ir_plugin.batch_inference.predictor import Predictor

    settings: dict[str, Any] = dict(arguments.config)
    if arguments.workers or arguments.scheduler:
        threads = settings.setdefault("INFERENCE_NUM_THREADS", 1)
        say(f"{threads} kernel thread{'' if str(threads) == '1' else 's'} a worker", error=True)
    return Predictor(arguments.model, settings, outputs=arguments.output or None, axis=arguments.axis)


def _inputs(texts: tuple[str, ...]) -> dict[str, Stored]:
    from ir_plugin.batch_inference.jobs import Stored

    inputs: dict[str, Stored] = {}
    for text in texts:
        name, _, path = text.rpartition("=")
        if name in inputs:
            raise InputError(f"--input {name or path!r} is given twice")
        inputs[name] = Stored(path if "://" in path else str(Path(path).absolute()))
    return inputs


def _client(workers: int | None, scheduler: str | None) -> AbstractContextManager[Any]:
    """Return a context of the Dask client of new worker processes, or of a scheduler; of None for this process."""
    if not workers and not scheduler:
        return nullcontext()
    try:
        import distributed
    except ImportError as fault:
        raise AbsentError(
            f"workers need the package distributed: pip install 'dask[array]' distributed zarr ({fault})"
        ) from None
    if not scheduler:
        return _client_of_workers(workers)
    try:
        client: AbstractContextManager[Any] = distributed.Client(scheduler, timeout=10)
    except (OSError, TimeoutError, ValueError) as fault:
        raise InputError(f"there is no Dask scheduler at {scheduler}: {fault}") from None
    return client


@contextmanager
def _client_of_workers(workers: int | None) -> Iterator[Any]:
    """Yield the Dask client of new worker processes on this machine, which end with the context."""
    from distributed import Client, LocalCluster

    silent = logging.CRITICAL + 1
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(silent)
    quiet = {"dashboard_address": None, "silence_logs": silent}
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(LocalCluster(n_workers=workers, threads_per_worker=1, **quiet))
            client = stack.enter_context(Client(cluster))
        except (RuntimeError, OSError, TimeoutError, MemoryError) as fault:
            raise InputError(
                f"{workers} workers cannot start ({fault}); their limits, as of memory, may be too low"
            ) from None
        yield client


def _follow(outcomes: Iterator[Outcome], chunks: list[int], failed: list[Outcome], *, stop: bool) -> int:
    """Show the progress of the outcomes, collect the failed ones, and return the number of stored rows."""
    rows = 0
    with working("mapping", len(chunks)) as advance:
        for outcome in outcomes:
            advance()
            if not outcome.fault:
                rows += outcome.rows
                continue
            failed.append(outcome)
            say_wrapped(f"chunk {outcome.chunk}: {outcome.fault}", error=True)
            if stop:
                break
    return rows


def _report(job: MapJob, rows: int, count: int, failed: list[Outcome], seconds: float, as_json: bool) -> None:
    left = len(job.missing())
    if as_json:
        faults = [{"chunk": outcome.chunk, "error": outcome.fault} for outcome in failed]
        facts = {"out": job.out, "chunks": job.chunk_count, "missing": left, "rows": rows, "seconds": seconds}
        click.echo(json.dumps(facts | {"failed": faults}))
        return
    rate = f", {rows / seconds:,.0f} rows/s" if rows and seconds else ""
    say(f"{job.out}: {job.chunk_count - left} of {job.chunk_count} chunks stored, {count - left} computed{rate}")
    if left:
        say(f"{left} chunk{'' if left == 1 else 's'} missing; --resume computes what is missing")
