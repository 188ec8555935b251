"""Reading a stream without a consumer: direct gets, single and batched."""

import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import msgspec
from nats.aio.msg import Msg

from agent_contracts.errors import Transient
from agent_contracts.log.record.records import StoredMessage
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import ApiError

FIRST_PAGE = 128
"""Many readers want only the first messages; the server would send a whole page all the same."""
PAGE_MESSAGES = 1000
PAGE_BYTES = 8 * 1024 * 1024
SUBJECTS_PER_REQUEST = 1024
"""nats-server's limit for `multi_last`."""

_END = "204"
_NONE = "404"
_TOO_MANY = "413"
_OWN = ("Nats-Stream", "Nats-Subject", "Nats-Sequence", "Nats-Time-Stamp", "Nats-Num-Pending")
_UP_TO = "Nats-UpTo-Sequence"
_ADDED = frozenset((*_OWN, "Nats-Last-Sequence", _UP_TO))


class _TooManyResults(Exception):
    """More subjects match than one request may return."""


class _MessagePage(msgspec.Struct, frozen=True):
    """Some messages, how many match after them, and up to which sequence was looked."""

    messages: list[StoredMessage]
    left: int
    up_to: int


class DirectReader:
    """Direct gets on one stream. `timeout_s` is the longest wait for the next message of an answer.

    A page holds at most `page_messages` and about `page_bytes`, so that no answer floods the connection.
    """

    def __init__(
        self,
        connection: NatsConnection,
        stream: str,
        *,
        timeout_s: float = 5.0,
        page_messages: int = PAGE_MESSAGES,
        page_bytes: int = PAGE_BYTES,
    ) -> None:
        self._connection = connection
        self._stream = stream
        self._timeout_s = timeout_s
        self._page_messages = page_messages
        self._page_bytes = page_bytes

    async def get(self, sequence: int) -> StoredMessage | None:
        """The message with this sequence, or None."""
        return await self._one(f"$JS.API.DIRECT.GET.{self._stream}", json.dumps({"seq": sequence}).encode())

    async def last(self, subject: str) -> StoredMessage | None:
        """The last message on one subject, or None."""
        return await self._one(f"$JS.API.DIRECT.GET.{self._stream}.{subject}", b"")

    async def read(
        self, subject: str, *, after: int = 0, up_to: int | None = None
    ) -> AsyncGenerator[StoredMessage, None]:
        """Stored messages that match, in order. Goes on where it was when the connection breaks."""
        most, breaks = min(FIRST_PAGE, self._page_messages), 0
        while up_to is None or after < up_to:
            page = {
                "batch": most if up_to is None else min(most, up_to - after),
                "max_bytes": self._page_bytes,
            }
            try:
                found = await self._page_of({"seq": after + 1, "next_by_subj": subject, **page})
            except Transient:
                breaks += 1
                if breaks > 2:
                    raise
                continue
            for message in found.messages:
                if up_to is not None and message.sequence > up_to:
                    return
                after = message.sequence
                yield message
            if found.left == 0:
                return
            most, breaks = self._page_messages, 0

    async def last_of_each(
        self, *subjects: str, after: int = 0, up_to: int | None = None
    ) -> list[StoredMessage]:
        """The last message of every matching subject as of `up_to`, if after `after`, by sequence."""
        if up_to is not None and up_to <= after:
            return []
        try:
            if len(subjects) <= SUBJECTS_PER_REQUEST:
                return await self._multi_last(subjects, after, up_to)
        except _TooManyResults:
            pass
        end = up_to if up_to is not None else await self.last_sequence()
        names = list(dict.fromkeys([name for subject in subjects for name in await self._subjects(subject)]))
        found: list[StoredMessage] = []
        for start in range(0, len(names), SUBJECTS_PER_REQUEST):
            found += await self._multi_last(names[start : start + SUBJECTS_PER_REQUEST], after, end)
        return sorted(found, key=lambda message: message.sequence)

    async def last_sequence(self) -> int:
        """The sequence of the newest message; 0 when empty."""
        info = await self._api(f"STREAM.INFO.{self._stream}")
        return int(info["state"]["last_seq"])

    async def _multi_last(
        self, subjects: Sequence[str], after: int, up_to: int | None
    ) -> list[StoredMessage]:
        """`up_to` None: as of the first page, whose answer says what was the last sequence then."""
        found: list[StoredMessage] = []
        while True:
            request: dict[str, Any] = {
                "multi_last": list(subjects),
                "seq": found[-1].sequence + 1 if found else after + 1,
                "batch": self._page_messages,
                "max_bytes": self._page_bytes,
            }
            if up_to is not None:
                request["up_to_seq"] = up_to
            page = await self._page_of(request)
            found += page.messages
            if page.left == 0:
                return found
            up_to = page.up_to if up_to is None else up_to

    async def _subjects(self, subject: str) -> list[str]:
        """The names of all subjects that match, in pages of the server's size."""
        names: list[str] = []
        while True:
            request = {"subjects_filter": subject, "offset": len(names)}
            info = await self._api(f"STREAM.INFO.{self._stream}", request)
            page = info["state"].get("subjects") or {}
            names += page
            if not page or len(names) >= info.get("total", 0):
                return names

    async def _page_of(self, request: dict[str, Any]) -> _MessagePage:
        """One batched direct get."""
        subject = f"$JS.API.DIRECT.GET.{self._stream}"
        *replies, end = await self._connection.request_all(
            subject, json.dumps(request).encode(), timeout=self._timeout_s
        )
        status = (end.headers or {}).get("Status")
        if status in (_END, _NONE):
            messages = [stored(reply) for reply in replies]
            left = int((replies[-1].headers or {}).get("Nats-Num-Pending", "0")) if replies else 0
            return _MessagePage(messages, left, int((end.headers or {}).get(_UP_TO, "0")))
        if status == _TOO_MANY:
            raise _TooManyResults
        raise _unexpected(end)

    async def _one(self, subject: str, body: bytes) -> StoredMessage | None:
        reply = await self._connection.request(subject, body, timeout=self._timeout_s)
        status = (reply.headers or {}).get("Status")
        if status is None:
            return stored(reply)
        if status == _NONE:
            return None
        raise _unexpected(reply)

    async def _api(self, name: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
        try:
            return await self._connection.api(name, request)
        except ApiError as error:
            raise error.as_failure(name) from error


def stored(reply: Msg) -> StoredMessage:
    """A direct get's answer as the message it carries."""
    headers = reply.headers or {}
    return StoredMessage(
        int(headers["Nats-Sequence"]),
        headers["Nats-Subject"],
        reply.data,
        {name: value for name, value in headers.items() if name not in _ADDED},
    )


def _unexpected(reply: Msg) -> Exception:
    headers = reply.headers or {}
    status, text = headers.get("Status", "500"), headers.get("Description", "")
    return ApiError(int(status), 0, text).as_failure("direct get")
