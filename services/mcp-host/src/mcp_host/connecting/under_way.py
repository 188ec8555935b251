"""A call that is under way, and what its server asks meanwhile. From servers up to protocol 2025-11-25 that
comes as a request of its own, and the call's time stands still until it is answered."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import Any

from mcp_types import (
    INVALID_REQUEST,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
)

from egress.request_note import Note

CANCELLED = ElicitResult(action="cancel")
NOBODY_SAMPLES = ErrorData(
    code=INVALID_REQUEST, message="A model can be asked only in the middle of a call of one, and not here"
)

Sample = Callable[[CreateMessageRequestParams], Awaitable[CreateMessageResult | ErrorData]]
"""Has a model asked. Never raises for what a server asks, or for what a model does."""


class PendingQuestion:
    """A question, and where its answer goes."""

    def __init__(self, params: ElicitRequestParams) -> None:
        self.params = params
        self.answer: asyncio.Future[ElicitResult] = asyncio.get_running_loop().create_future()


class UnderWay:
    """One call. `has_turn`: it is the one call that its program works at. `sample` is how its server has a
    model asked; None where it may not, or nobody takes part in the call now."""

    def __init__(self, sample: Sample | None = None) -> None:
        self.has_turn = False
        self.has_ended = False
        self.sample = sample
        self._sampling: set[asyncio.Task[CreateMessageResult | ErrorData]] = set()
        self._open: list[PendingQuestion] = []
        self._asked = asyncio.Event()
        self._moved = asyncio.Event()

    @property
    def waits(self) -> bool:
        """Whether it waits for a person."""
        return bool(self._open)

    async def ask(self, params: ElicitRequestParams) -> ElicitResult:
        """What a person answers. `CANCELLED` where nobody can be asked any more."""
        if self.has_ended:
            return CANCELLED
        asked = PendingQuestion(params)
        self._open.append(asked)
        self._asked.set()
        self._moved.set()
        try:
            return await asked.answer
        finally:
            self._open.remove(asked)
            self._moved.set()

    async def have_sampled(self, params: CreateMessageRequestParams) -> CreateMessageResult | ErrorData:
        """What a model answers, or why none does. It ends with the call."""
        if self.has_ended or self.sample is None:
            return NOBODY_SAMPLES
        task = asyncio.ensure_future(self.sample(params))
        self._sampling.add(task)
        self._moved.set()
        try:
            await asyncio.wait({task})
            return NOBODY_SAMPLES if task.cancelled() else task.result()
        finally:
            task.cancel()
            self._sampling.discard(task)
            self._moved.set()

    async def question(self) -> PendingQuestion:
        """The first that has no answer yet, once there is one."""
        while True:
            for asked in self._open:
                if not asked.answer.done():
                    return asked
            self._asked.clear()
            await self._asked.wait()

    def end(self) -> None:
        """Nobody will answer any more."""
        self.has_ended = True
        for task in self._sampling:
            task.cancel()
        for asked in self._open:
            if not asked.answer.done():
                asked.answer.set_result(CANCELLED)

    async def first_of(self, tasks: Iterable[asyncio.Task[Any]], timeout_s: float) -> None:
        """Until one of these is done, or the call has taken so long, without what it waited for people and
        models."""
        waited, left = set(tasks), timeout_s
        while left > 0 and not any(task.done() for task in waited):
            self._moved.clear()
            began, stands_still = time.monotonic(), self.waits or bool(self._sampling)
            moved = asyncio.create_task(self._moved.wait())
            try:
                timeout = None if stands_still else left
                await asyncio.wait({*waited, moved}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            finally:
                moved.cancel()
            if not stands_still:
                left -= time.monotonic() - began


NOTE: ContextVar[Note | None] = ContextVar("NOTE", default=None)
"""Who is told of the requests that leave in the name of the current call."""
CURRENT: ContextVar[UnderWay | None] = ContextVar("CURRENT", default=None)
"""The call that a request of the server came with: HTTP tells, by the stream on which it came."""
