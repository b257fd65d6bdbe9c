"""The error of a request, with its HTTP status."""

from __future__ import annotations

from ir_plugin.errors import InputError


class RequestError(InputError):
    """A request that the server refuses; `status` is the HTTP status of the response.

    OpenAI's protocol also names the parameter at fault and a code.
    """

    def __init__(self, message: str, status: int = 400, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.param, self.code = status, param, code
