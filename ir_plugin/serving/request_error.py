"""The error of a request, with its HTTP status."""

from __future__ import annotations

from ir_plugin.errors import InputError


class RequestError(InputError):
    """A request that the server refuses; `status` is the HTTP status of the response."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status
