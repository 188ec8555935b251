"""What a worker is told: what concerns its runs at once, answers in turns of the agents that they are for."""

import asyncio
from collections import OrderedDict, deque

from tool_runner.sandbox.messages import HostCallAnswer, ToWorker, framed

_AHEAD = 64 * 1024
"""Bytes that may wait in front of a message besides one answer."""


class Outbox:
    """The way to one worker. Answers of megabytes to one agent's code don't keep a message for another's
    waiting: they go one by one, each when the worker has taken the one before it."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        writer.transport.set_write_buffer_limits(high=_AHEAD)
        self._writer = writer
        self._waiting: OrderedDict[str, deque[tuple[HostCallAnswer, asyncio.Future[None]]]] = OrderedDict()
        self._more = asyncio.Event()
        self._sending = asyncio.create_task(self._send())

    def put(self, message: ToWorker) -> None:
        """Send it before all answers that wait, after all that was put before it."""
        if not self._writer.is_closing():
            self._writer.write(framed(message))

    async def deliver(self, owner: str, answer: HostCallAnswer) -> None:
        """Send an answer; returns once it is on its way, or nobody is there to take it. Whoever does not wait
        any more takes it back."""
        if self._sending.done():
            return
        sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append((answer, sent))
        self._more.set()
        await sent

    async def close(self) -> None:
        """Send no more."""
        self._sending.cancel()
        await asyncio.wait({self._sending})

    async def _send(self) -> None:
        try:
            while True:
                while self._waiting:
                    await self._send_next()
                self._more.clear()
                await self._more.wait()
        except ConnectionError:
            pass  # the reader is told too, and says so
        finally:
            for line in self._waiting.values():
                for _, sent in line:
                    _end(sent)

    async def _send_next(self) -> None:
        owner, line = next(iter(self._waiting.items()))
        answer, sent = line.popleft()
        if line:
            self._waiting.move_to_end(owner)
        else:
            del self._waiting[owner]
        if sent.done():
            return
        try:
            self._writer.write(framed(answer))
            await self._writer.drain()
        finally:
            _end(sent)


def _end(sent: asyncio.Future[None]) -> None:
    if not sent.done():  # else whoever waited was cancelled
        sent.set_result(None)
