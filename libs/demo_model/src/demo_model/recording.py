"""What the server was asked and how it went, for tests to look at."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from demo_model.conversation import said_in

Outcome = Literal["in_flight", "done", "aborted", "cut", "refused"]


@dataclass
class ReceivedRequest:
    """One chat completion request, and what became of it."""

    number: int
    """From 1, over the server's life."""
    headers: dict[str, str]
    """Lower-cased names; the API key is in `authorization`."""
    body: dict[str, Any]
    at: float = field(default_factory=time.time)
    """When it came, in seconds since 1970."""
    rule: str = ""
    """The rule that answered."""
    fault: str = ""
    """The kind of fault that happened, if one did."""
    status: int | None = None
    """The HTTP status sent; None while there is none."""
    chunks: int = 0
    """Parts of the body sent so far."""
    outcome: Outcome = "in_flight"
    """`aborted`: the client went away first. `cut`: we closed the connection. `refused`: an error status was
    sent."""

    @property
    def newest(self) -> str:
        """What the user says last, if that is its last message."""
        last = self.messages[-1]
        return (said_in(last) or [""])[-1] if last["role"] == "user" else ""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages sent."""
        messages: list[dict[str, Any]] = self.body.get("messages") or []
        return messages


class RequestRecording:
    """The last requests received (bounded), and counts over all of them."""

    def __init__(self, keep: int = 1000) -> None:
        self.requests: deque[ReceivedRequest] = deque(maxlen=keep)
        self.count = 0
        self.in_flight = 0
        self.held = 0
        """How many answers wait for `DemoModel.release()`."""
        self.aborted = 0
        """How many answers the client did not wait for."""
        self.cut = 0
        self._changed = asyncio.Event()

    def begin(self, headers: dict[str, str], body: dict[str, Any]) -> ReceivedRequest:
        """Note a request as it arrives."""
        self.count += 1
        self.in_flight += 1
        received = ReceivedRequest(self.count, headers, body)
        self.requests.append(received)
        self.changed()
        return received

    def end(self, received: ReceivedRequest, outcome: Outcome) -> None:
        """Note how a request ended."""
        received.outcome = outcome
        self.in_flight -= 1
        self.aborted += outcome == "aborted"
        self.cut += outcome == "cut"
        self.changed()

    def changed(self) -> None:
        """Wake those who wait for something to become true."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, condition: Callable[["RequestRecording"], bool], timeout: float = 10.0) -> None:
        """Wait until the condition holds of this recording. Raises `TimeoutError` after that many seconds."""
        async with asyncio.timeout(timeout):
            while not condition(self):
                await self._changed.wait()
