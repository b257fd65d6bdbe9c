"""Serve a model with Starlette and uvicorn, from the extra `serve`."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ir_plugin import CompiledModel, Core, batching_obstacle
from ir_plugin.errors import AbsentError, ArgumentValueError, InputError
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.served_model import ServedModel

if TYPE_CHECKING:
    from starlette.applications import Starlette

Listener = Callable[[str], object]
_BACKLOG = 512
"""Connections that the system holds until they are accepted."""


def application(
    model: Any,
    name: str | None = None,
    limits: Limits | None = None,
    *,
    config: Mapping[str, Any] | None = None,
    workers: int = 1,
    independent_rows: bool = False,
    report: Listener = str,
) -> Starlette:
    """Return the ASGI application that serves a path, a model or a compiled model.

    The folder of a language model, or of one of embeddings, is served with OpenAI's protocol.
    Requests are batched if it is proved that rows do not depend on each other, or if `independent_rows` says so.
    `report` receives a line that says whether they are. Raises `AbsentError` without the extra `serve`.
    """
    try:
        from ir_plugin.serving.endpoints import Endpoints
    except ImportError as fault:
        raise _missing(fault) from None
    limits = Limits() if limits is None else limits
    if not isinstance(workers, int) or workers < 1:
        raise ArgumentValueError(f"workers is a number of threads, at least 1, not {workers!r}")
    if isinstance(model, (str, os.PathLike)) and os.path.isdir(model):
        return _text_application(Path(model), name, limits, config or {}, report)
    compiled = model if isinstance(model, CompiledModel) else Core().compile_model(model, config=dict(config or {}))
    served = ServedModel(compiled, _name(name, model, compiled))
    obstacle = _obstacle(compiled, limits, independent_rows)
    report(f"requests run one by one: {obstacle}" if obstacle else f"batches of up to {limits.max_batch} rows")
    return Endpoints(served, limits, is_batching=not obstacle, workers=workers).app


def _text_application(
    folder: Path, name: str | None, limits: Limits, config: Mapping[str, Any], report: Listener
) -> Starlette:
    """Return the application that serves the language model of a folder, or its model of embeddings."""
    from ir_plugin import genai

    name = folder.resolve().name if name is None else name
    model = genai.read_model(folder)
    if not any("logits" in port.names for port in model.outputs):
        from ir_plugin.serving.embedding_endpoints import EmbeddingEndpoints, EmbeddingModel

        return EmbeddingEndpoints(EmbeddingModel(folder, name, {**config, "model": model}), limits).app
    from ir_plugin.serving.text_endpoints import TextEndpoints
    from ir_plugin.serving.text_model import TextModel

    served = TextModel(folder, name, limits, {**config, "model": model})
    one_by_one = f"prompts are answered one by one: {served.obstacle}" if served.obstacle else ""
    report(one_by_one or f"batches of up to {served.max_rows} prompts")
    return TextEndpoints(served, limits).app


def _obstacle(compiled: CompiledModel, limits: Limits, independent_rows: bool) -> str:
    """Return why requests run one by one; empty where they may share a batch."""
    if limits.max_batch == 1:
        return "a batch has at most 1 row"
    return batching_obstacle(compiled, independent_rows=independent_rows)


def serve(
    app: Starlette, *, host: str = "127.0.0.1", port: int = 8000, grace: float | None = None, report: Listener = str
) -> None:
    """Serve what `application` returned until SIGINT or SIGTERM; the process then ends within `grace` seconds.

    Requests that run then may end; the rest is cancelled in the last second, or half of a shorter time.
    """
    try:
        from ir_plugin.serving.http_server import HttpServer
    except ImportError as fault:
        raise _missing(fault) from None

    endpoints = app.state.endpoints
    with listening(host, port) as listener:
        address, bound = listener.getsockname()[:2]
        server = HttpServer(endpoints, endpoints.limits.grace if grace is None else grace)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, _interrupt)
        report(f"http://{f'[{address}]' if ':' in address else address}:{bound}")
        with suppress(KeyboardInterrupt):
            server.run([listener])


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    It names TCP, as asyncio sets TCP_NODELAY only for connections that do. Without, an answer's second packet waits for
    the client's delayed acknowledgement of the first.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name == "posix")
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as fault:
        listener.close()
        raise InputError(f"the server cannot listen at {host}, port {port}: {fault.strerror or fault}") from None
    return listener


def _interrupt(_signal: int, _frame: Any) -> NoReturn:
    raise KeyboardInterrupt


def _name(name: str | None, model: Any, compiled: CompiledModel) -> str:
    if name is not None:
        if not name or "/" in name:
            raise ArgumentValueError(f"a model's name is part of an address, which {name!r} cannot be")
        return name
    if hasattr(model, "__fspath__") or isinstance(model, str):
        return Path(model).stem
    return compiled.model.friendly_name.replace("/", "_") or "model"


def _missing(fault: ImportError) -> AbsentError:
    return AbsentError(f"a server needs more packages: pip install starlette uvicorn prometheus_client ({fault})")
