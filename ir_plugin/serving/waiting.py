"""Waiting with a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

Result = TypeVar("Result")


async def within(awaited: Awaitable[Result], seconds: float) -> Result:
    """Return what is awaited; it is cancelled where it takes longer, which is an `asyncio.TimeoutError`.

    `asyncio.wait_for` of Python before 3.12 loses a cancellation that comes at the same time as the result.
    """
    task = asyncio.ensure_future(awaited)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        task.cancel()
    if not done:
        raise asyncio.TimeoutError
    return task.result()
