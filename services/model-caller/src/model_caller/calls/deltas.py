"""Pieces of an answer, told at once to whoever watches. Best effort: the recorded message supersedes them."""

import asyncio
import contextlib
from types import TracebackType
from typing import Protocol, Self

import msgspec
import structlog

from agent_contracts.errors import Failure
from agent_contracts.ids import CallId, SessionId
from agent_contracts.questions.queries import Delta, RetryNotice
from agent_platform.log.storable_text import storable_text

INTERVAL_S = 0.03
"""Pieces that come within this time are told as one."""

log = structlog.get_logger()


class DeltaPublisher(Protocol):
    """Core NATS: told to whoever listens now, never stored."""

    async def publish(self, subject: str, data: bytes) -> None:
        """Send one message."""
        ...


class DeltaChannel(msgspec.Struct, frozen=True):
    """Whose deltas these are and where they go; a `quiet` one tells nobody."""

    subject: str
    session_id: SessionId
    call_id: CallId
    quiet: bool = False


async def tell_retry(
    live: DeltaPublisher, channel: DeltaChannel, attempt: int, retrying: RetryNotice
) -> None:
    """Tell whoever watches that the model is about to be asked again."""
    if not channel.quiet:
        await _tell(live, channel, Delta(channel.session_id, channel.call_id, attempt, 0, retrying=retrying))


async def _tell(live: DeltaPublisher, channel: DeltaChannel, delta: Delta) -> None:
    try:
        await live.publish(channel.subject, msgspec.json.encode(delta))
    except Failure as failure:
        log.warning("delta.not_sent", call_id=channel.call_id, reason=failure.message)


class Deltas:
    """The deltas of one attempt, sent until the end of `async with`: the first at once, later ones joined."""

    def __init__(
        self, live: DeltaPublisher, channel: DeltaChannel, attempt: int, *, interval_s: float = INTERVAL_S
    ) -> None:
        self._live = live
        self._channel = channel
        self._attempt = attempt
        self._interval_s = interval_s
        self._text = ""
        self._thinking = ""
        self._was_thinking = False
        self._tools: list[str] = []
        self._prompt_read: int | None = None
        self._index = 0
        self._waiting = asyncio.Event()
        self._sender: asyncio.Task[None] | None = None

    def text(self, text: str) -> None:
        """A piece of the text."""
        if text:
            self._text += text
            self._waiting.set()

    def thinking(self, text: str, *, was_thinking: bool) -> None:
        """A piece of what the model thinks. `was_thinking`: so was all text since the last tool."""
        if was_thinking:
            self._was_thinking, self._thinking, self._text = True, self._thinking + self._text, ""
        self._thinking += text
        self._waiting.set()

    def prompt_read(self, percent: int) -> None:
        """The server has read so much of the prompt."""
        self._prompt_read = percent
        self._waiting.set()

    def tool(self, name: str) -> None:
        """The model began to call this tool."""
        self._tools.append(name)
        self._waiting.set()

    async def __aenter__(self) -> Self:
        self._sender = asyncio.create_task(self._send_for_ever())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Send what is left, unless the attempt failed: what it said counts no more."""
        assert self._sender is not None
        self._sender.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._sender
        if kind is None:
            await self._send(last=True)

    async def _send_for_ever(self) -> None:
        while True:
            await self._waiting.wait()
            await self._send()
            await asyncio.sleep(self._interval_s)

    async def _send(self, *, last: bool = False) -> None:
        self._waiting.clear()
        text, rest = (self._text, "") if last else _without_half_character(self._text)
        thinking, more = (self._thinking, "") if last else _without_half_character(self._thinking)
        was_thinking, self._was_thinking = self._was_thinking, False
        prompt_read, self._prompt_read = self._prompt_read, None
        if prompt_read is not None and not self._index:
            await self._tell_prompt_read(prompt_read)
        tools, self._text, self._thinking, self._tools = self._tools, rest, more, []
        if thinking or was_thinking:
            await self._publish(thinking=storable_text(thinking), was_thinking=was_thinking)
        if text:
            await self._publish(text=storable_text(text))
        for tool in tools:
            await self._publish(tool=storable_text(tool))

    async def _tell_prompt_read(self, percent: int) -> None:
        """It adds nothing to the answer, and so it isn't counted."""
        channel = self._channel
        if not channel.quiet:
            delta = Delta(channel.session_id, channel.call_id, self._attempt, 0, prompt_read=percent)
            await _tell(self._live, channel, delta)

    async def _publish(
        self, text: str = "", tool: str | None = None, thinking: str = "", *, was_thinking: bool = False
    ) -> None:
        channel = self._channel
        if channel.quiet:
            return
        delta = Delta(
            channel.session_id,
            channel.call_id,
            self._attempt,
            self._index,
            text,
            tool,
            thinking=thinking,
            was_thinking=was_thinking,
        )
        self._index += 1
        await _tell(self._live, channel, delta)


def _without_half_character(text: str) -> tuple[str, str]:
    """Split off a high surrogate at the end, whose other half may come with the next piece."""
    if text and "\ud800" <= text[-1] <= "\udbff":
        return text[:-1], text[-1]
    return text, ""
