"""Waiting with a limit: a result, too late, and a cancellation that comes at the same time as the result."""

from __future__ import annotations

import asyncio

import pytest

from ir_plugin.serving.waiting import within


async def answer(future: asyncio.Future[str]) -> str:
    return await future


def test_a_result_comes_or_is_too_late() -> None:
    async def main() -> None:
        assert await within(asyncio.sleep(0, "here"), 60) == "here"
        late = asyncio.get_running_loop().create_future()
        with pytest.raises(asyncio.TimeoutError):
            await within(late, 0)
        assert late.cancelled()

    asyncio.run(main())


def test_a_cancellation_beside_the_result_is_not_lost() -> None:
    async def main() -> None:
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(within(answer(future), 60))
        for _ in range(3):
            await asyncio.sleep(0)
        future.set_result("here")
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())
