"""Work beside all other work, for as long as a program runs: it must not end unseen."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential

from agent_platform.process.interruption import Interruption

_LONGEST_WAIT_S = 60.0


def in_background(work: Callable[[], Coroutine[Any, Any, None]], name: str) -> asyncio.Task[None]:
    """A task that does the work until it returns, or the task is cancelled.

    What the work raises was foreseen by nobody. It is logged as `background.interrupted`, and the work begins
    anew after a pause, a longer one each time, of a minute at most: `background.resumed`.
    """
    return asyncio.create_task(_again_and_again(work, name), name=name)


async def _again_and_again(work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
    interruption = Interruption("background", work=name)

    def failed(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        wait_s = state.next_action.sleep if state.next_action else 0.0
        interruption.hit(type(error).__name__, bug=error, again_in_s=wait_s)

    async for attempt in AsyncRetrying(
        retry=retry_if_exception_type(Exception),
        wait=wait_exponential(max=_LONGEST_WAIT_S),
        before_sleep=failed,
    ):
        with attempt:
            interruption.over()
            await work()
