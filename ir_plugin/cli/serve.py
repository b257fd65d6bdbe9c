"""`ir-plugin serve`: a server of a model with the Open Inference Protocol, or of texts with OpenAI's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command, Real
from ir_plugin.cli.console import say, say_wrapped, working

if TYPE_CHECKING:
    from ir_plugin.openvino.api import CompiledModel
    from ir_plugin.serving import Limits

_MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class ServeArguments:
    """The arguments and options of `ir-plugin serve`."""

    model: Path
    host: str
    port: int
    name: str | None
    workers: int
    max_batch: int
    batch_window: float
    independent_rows: bool
    queue: int
    timeout: float
    max_tokens: int
    max_body: float
    max_bodies: float
    connections: int
    idle_timeout: float
    grace: float
    warm: bool
    config: dict[str, str]


@click.command(cls=Command)
@options.model_or_folder
@click.option("--host", default="127.0.0.1", help="The address to listen at; 0.0.0.0 is every network.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, help="The port; 0 is any that is free.")
@click.option("--name", help="The model's name in addresses.  [default: the file's]")
@click.option("--workers", type=click.IntRange(1), default=1, help="Inferences at a time.")
@click.option("--max-batch", type=click.IntRange(1), default=32, help="Rows of a batch; 1 switches batching off.")
@click.option("--batch-window", type=Real(0), default=2.0, help="Milliseconds that a request waits for others.")
@click.option("--independent-rows", is_flag=True, help="Batch requests even if the graph does not prove it safe.")
@click.option("--queue", type=click.IntRange(1), default=256, help="Requests that wait or run; more get 503.")
@click.option("--timeout", type=Real(0.001), default=30.0, help="Seconds for a request; after them it gets 504.")
@click.option("--max-tokens", type=click.IntRange(1), default=4096, help="Tokens of a generated text.")
@click.option("--max-body", type=Real(0.001), default=64.0, help="MiB of a request; a longer one gets 413.")
@click.option("--max-bodies", type=Real(0.001), default=512.0, help="MiB of all requests; above that they get 503.")
@click.option("--connections", type=click.IntRange(1), default=512, help="Open connections at a time.")
@click.option("--idle-timeout", type=Real(0.001), default=10.0, help="Seconds in which a connection sends a head.")
@click.option("--grace", type=Real(0), default=10.0, help="Seconds in which a stop ends; requests may end before.")
@click.option("--warm", is_flag=True, help="Compile the model's kernels and run it once before the server is ready.")
@options.config
@options.quiet
@options.collected(ServeArguments)
def serve(arguments: ServeArguments) -> None:
    """Serve a model with the Open Inference Protocol over HTTP.

    The folder of a language model is served with OpenAI's protocol: /v1/chat/completions, /v1/completions and
    /v1/models. Answers share the steps of a batch; a client that goes away stops its answer. The folder of a model of
    embeddings has /v1/embeddings.

    Requests of the same shapes that wait at the same time run as a batch, where the graph proves that rows do not
    depend on each other.
    Metrics for Prometheus are at /metrics. SIGINT or SIGTERM stops the server after the requests that it has.
    """
    from ir_plugin.serving import application
    from ir_plugin.serving import serve as run

    is_folder = os.path.isdir(arguments.model)
    name = arguments.name or (arguments.model.resolve().name if is_folder else arguments.model.stem)
    lines: list[str] = []
    with working("reading and compiling"):
        app = application(
            _model(arguments), name, _limits(arguments), config=_config(arguments), workers=arguments.workers,
            independent_rows=arguments.independent_rows, report=lines.append,
        )  # fmt: skip
        if is_folder and arguments.warm:
            app.state.endpoints.warm()
    for line in lines:
        say_wrapped(line, error=True)
    host, port, grace = arguments.host, arguments.port, arguments.grace
    run(app, host=host, port=port, grace=grace, report=lambda url: say(f"serving {name} at {url}"))


def _model(arguments: ServeArguments) -> CompiledModel | Path:
    """Return the path of the model, or the compiled model that was asked to be warm."""
    if not arguments.warm or os.path.isdir(arguments.model):
        return arguments.model
    from ir_plugin.report.warming import warmed

    return warmed(arguments.model, arguments.config)


def _config(arguments: ServeArguments) -> dict[str, Any]:
    """Return the configuration, with which a folder that was asked to be warm waits for its kernels."""
    if not arguments.warm:
        return arguments.config
    from ir_plugin.report.warming import compiling

    return compiling(arguments.config)


def _limits(arguments: ServeArguments) -> Limits:
    """Return the limits of the server: bytes for MiB, seconds for milliseconds."""
    from ir_plugin.serving import Limits

    return Limits(
        body_bytes=max(1, int(arguments.max_body * _MEBIBYTE)),
        all_body_bytes=max(1, int(arguments.max_bodies * _MEBIBYTE)),
        connections=arguments.connections, idle_timeout=arguments.idle_timeout, queue_size=arguments.queue,
        timeout=arguments.timeout, max_batch=arguments.max_batch, batch_window=arguments.batch_window / 1000,
        answer_tokens=arguments.max_tokens, grace=arguments.grace,
    )  # fmt: skip
