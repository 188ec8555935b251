"""Work beside all other work, for as long as a program runs: it must not end unseen."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential

_log = structlog.get_logger()
_LONGEST_WAIT_S = 60.0


def in_background(work: Callable[[], Coroutine[Any, Any, None]], name: str) -> asyncio.Task[None]:
    """A task that does the work until it returns, or the task is cancelled.

    What the work raises was foreseen by nobody. It is logged as `background.failed`, and the work begins anew
    after a pause, a longer one each time, of a minute at most.
    """
    return asyncio.create_task(_again_and_again(work, name), name=name)


async def _again_and_again(work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
    def failed(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        wait_s = state.next_action.sleep if state.next_action else 0.0
        _log.error("background.failed", work=name, again_in_s=wait_s, exc_info=error)

    async for attempt in AsyncRetrying(
        retry=retry_if_exception_type(Exception),
        wait=wait_exponential(max=_LONGEST_WAIT_S),
        before_sleep=failed,
    ):
        with attempt:
            await work()
