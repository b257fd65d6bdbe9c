"""Servers of models in threads, for the tests."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import pytest

from ir_plugin.serving.http_server import HttpServer
from ir_plugin.serving.server import listening
from tests.serving.polling import wait_until

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


@dataclass(frozen=True)
class Served:
    """The address of a server."""

    port: int

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Return the status, headers and body of a response."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, dict(headers or {}))
            response = connection.getresponse()
            return response.status, {key.lower(): value for key, value in response.getheaders()}, response.read()
        finally:
            connection.close()

    def metric(self, name: str) -> float:
        """Return the value of a metric that has no status."""
        found = re.search(rf"^{name}{{[^}}]*}} (\S+)$", self.send("GET", "/metrics")[2].decode(), re.MULTILINE)
        assert found is not None
        return float(found[1])

    def post(self, document: Any, model: str = "m", headers: Mapping[str, str] | None = None) -> tuple[int, Any]:
        """Return the status and JSON of the response to an inference request."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        status, _, text = self.send("POST", f"/v2/models/{model}/infer", body, headers)
        return status, json.loads(text)


@contextmanager
def running(app: Any) -> Iterator[Served]:
    """Serve an application in a thread."""
    listener = listening("127.0.0.1", 0)
    server = HttpServer(app.state.endpoints, 2.0)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield Served(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


Run = Callable[[Any], Served]


@pytest.fixture
def run() -> Iterator[Run]:
    """Serve applications until the test ends."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda app: stack.enter_context(running(app))
