"""Bodies of requests within a limit, also where they are compressed."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from functools import partial

from ir_plugin.serving.daemon_pool import DaemonPool
from ir_plugin.serving.request_error import RequestError

_WINDOWS = {"gzip": 31, "deflate": 15}
"""zlib's window bits for each content encoding."""


class Budget:
    """The bytes that all bodies together may have."""

    def __init__(self, most: int) -> None:
        self._most, self._used = most, 0

    @contextmanager
    def account(self) -> Iterator[Callable[[int], None]]:
        """Give a function that takes bytes for one body, which are free again at the end."""
        taken = 0

        def take(size: int) -> None:
            nonlocal taken
            if self._used + size > self._most:
                raise RequestError(f"the bodies of all requests are longer than {self._most} bytes", 503)
            self._used += size
            taken += size

        try:
            yield take
        finally:
            self._used -= taken


async def read_body(
    chunks: AsyncIterator[bytes],
    encoding: str,
    declared: str | None,
    most: int,
    take: Callable[[int], None],
    pool: DaemonPool,
) -> bytes:
    """Return a request's body, decompressed in a thread, since few bytes may expand to many.

    Raises as soon as the body exceeds `most` bytes or `take` raises.
    """
    if declared is not None and declared.isdecimal() and int(declared[:20]) > most:
        raise _too_long(most)
    decode = _decoder(encoding.strip().lower(), most)
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        part = chunk if decode is None else await pool.run(partial(decode, chunk, most - size))
        size += len(part)
        if size > most:
            raise _too_long(most)
        take(len(part))
        parts.append(part)
    return b"".join(parts)


def _decoder(encoding: str, most: int) -> Callable[[bytes, int], bytes] | None:
    if encoding in {"", "identity"}:
        return None
    if encoding not in _WINDOWS:
        raise RequestError(f"the content encoding {encoding:.40} is not gzip or deflate", 415)
    stream = zlib.decompressobj(_WINDOWS[encoding])

    def decode(chunk: bytes, left: int) -> bytes:
        try:
            part = stream.decompress(chunk, left + 1)
        except zlib.error as fault:
            raise RequestError(f"the body is not {encoding}: {fault}") from fault
        if stream.unconsumed_tail:
            raise _too_long(most)
        return part

    return decode


def _too_long(most: int) -> RequestError:
    return RequestError(f"the body is longer than {most} bytes", 413)
