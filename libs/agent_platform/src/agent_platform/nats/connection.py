"""A connection to NATS that never gives up, fails requests fast, and knows what it may not do."""

import asyncio
import contextlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec
import nats.errors
import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from agent_contracts.errors import Failure, Rejected, Transient
from agent_platform.nats.client import FastClient
from agent_platform.nats.errors import ApiError
from agent_platform.nats.late_answers import LateAnswers
from agent_platform.nats.monitoring import storage_problem
from agent_platform.nats.opening import abandon, until_open
from agent_platform.nats.outage import Outages, outages_of
from agent_platform.nats.pending_requests import (
    MEANWHILE,
    PendingRequests,
    Reply,
    answered,
    checked,
    silent,
    unanswered,
)
from agent_platform.secrecy.failure_text import failure_of

_log = structlog.get_logger(__name__)

_VIOLATION = re.compile(r'permissions violation for (publish|subscription)[^"]*"([^"]*)"')
_RECONNECT_WAIT_S = 0.1
_FULL = "no space left on device"
_STORAGE_RETRY_S = 5.0
SLOW_DISK_S = 120.0
"""How long to wait where the server makes something on its disk, one after the other for all who ask: each
takes it several flushes, and a hard disk or one on a network takes a tenth of a second for each."""


class Request(msgspec.Struct, frozen=True):
    """What is asked, and of whom."""

    subject: str
    data: bytes = b""
    headers: Mapping[str, str] | None = None


class NatsConnection:
    """One user's connection. Made by `connect`; survives server restarts until `close`.

    `epoch` grows with every reconnect: whatever the server remembered about us is gone then.
    """

    def __init__(self, user: str) -> None:
        self.user = user
        self._monitor_url: str | None = None
        self.epoch = 0
        self.inbox_prefix = f"_INBOX.{user}"
        self.client = FastClient()
        self._pending = PendingRequests()
        self._connected = asyncio.Event()
        self._refused: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._outages = Outages("")
        self._listeners: list[Callable[[], None]] = []
        self._late_answers = LateAnswers()

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called (or the server refused the user for good)."""
        return bool(self.client.is_closed)

    @property
    def is_connected(self) -> bool:
        """Whether there is a server at the other end now, and everything is subscribed to there."""
        return self._connected.is_set() and bool(self.client.is_connected)

    @property
    def server_id(self) -> str:
        """The server at the other end: another one after each of its starts."""
        return str(self.client._server_info.get("server_id", ""))  # nats-py has no other way to it

    def add_listener(self, listener: Callable[[], None]) -> None:
        """Call `listener` after every disconnect, reconnect and at close."""
        self._listeners.append(listener)

    def remove_listener(self, listener: Callable[[], None]) -> None:
        """Stop calling it."""
        self._listeners.remove(listener)

    async def until_connected(self, timeout: float | None = None) -> None:
        """Wait for a server. `Transient` after `timeout` seconds or when closed."""
        try:
            async with asyncio.timeout(timeout):
                while not self.is_connected:
                    if self.client.is_closed:
                        raise Transient("the connection to NATS is closed", kind="closed")
                    # nats-py says that it reconnects a while after it began to: until then the flag is stale,
                    # and who asked again and again would keep the event loop from ever changing that.
                    self._connected.clear()
                    await self._connected.wait()
        except TimeoutError as error:
            raise Transient(f"NATS can't be reached. {MEANWHILE}", kind="disconnected") from error

    def monitored_at(self, url: str) -> None:
        """Say where the server's monitoring port is."""
        self._monitor_url = url.rstrip("/")

    async def check_storage(self) -> None:
        """`Transient(kind="storage")` while the server says on its monitoring port, where that is known, that
        it can't store."""
        if self._monitor_url is None:
            return
        problem = await asyncio.to_thread(storage_problem, self._monitor_url)
        if problem is not None:
            is_full = _FULL in problem
            why = f"The disk of the log is full: {_FULL}" if is_full else f"NATS can't store: {problem}"
            raise Transient(
                f"{why}. What was stored before is safe; nothing new is stored. Make room on the disk of the "
                "log: Foldline continues automatically within a minute. Then try again",
                kind="storage",
                retry_after=_STORAGE_RETRY_S,
            )

    async def publish(
        self, subject: str, data: bytes = b"", *, reply: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        """Send without waiting for anything. A denied publish is only logged.

        Raises `Rejected(kind="too_large")`, or `Transient` when closed.
        """
        if self.client.send(subject, data, reply, headers):
            return
        try:
            await self.client.publish(subject, data, reply=reply, headers=dict(headers) if headers else None)
        except nats.errors.MaxPayloadError as error:
            raise Rejected(
                f"{len(data)} bytes: NATS takes at most {self.client.max_payload} in a message",
                kind="too_large",
            ) from error
        except nats.errors.BadSubjectError as error:
            raise Rejected(f"not a subject: {subject!r}", kind="bad_subject") from error
        except (
            nats.errors.ConnectionClosedError,
            nats.errors.ConnectionDrainingError,
            nats.errors.OutboundBufferLimitError,
        ) as error:
            raise Transient(f"NATS: {error}", kind="disconnected") from error

    async def request(
        self,
        subject: str,
        data: bytes = b"",
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 5.0,
    ) -> Msg:
        """Send and return the first answer.

        Raises `PermissionDenied` as soon as the server says so, `Transient` when the connection breaks,
        nobody serves the subject, or `timeout` seconds passed.
        """
        if not self.is_connected:
            await self.until_connected(timeout)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Reply] = loop.create_future()
        inbox = self._pending.begin(subject, partial(answered, future))
        late = loop.call_later(timeout, unanswered, future, subject, timeout)
        try:
            await self.publish(subject, data, reply=inbox, headers=headers)
            return checked(subject, await future)
        finally:
            late.cancel()
            self._pending.end(inbox)

    async def request_in_turn(self, requests: Sequence[Request], *, timeout: float = 5.0) -> list[Msg]:
        """Send one after the other without waiting, and return the first answer to each.

        Raises as `request`, what the first of them raises that has no answer; `timeout` is the longest wait
        for the next answer in seconds.
        """
        await self.until_connected(timeout)
        loop = asyncio.get_running_loop()
        answers: list[Msg] = []
        with ExitStack() as stack:
            waiting: list[tuple[str, asyncio.Future[Reply]]] = []
            for request in requests:
                future: asyncio.Future[Reply] = loop.create_future()
                waiter = self._pending.waiting(request.subject, partial(answered, future))
                inbox = stack.enter_context(waiter)
                await self.publish(request.subject, request.data, reply=inbox, headers=request.headers)
                waiting.append((request.subject, future))
            for subject, future in waiting:
                try:
                    async with asyncio.timeout(timeout):
                        answers.append(checked(subject, await future))
                except TimeoutError as error:
                    raise silent(subject, timeout) from error
        return answers

    async def request_all(
        self,
        subject: str,
        data: bytes,
        *,
        timeout: float = 5.0,
        is_last: Callable[[Msg], bool] = lambda _: False,
    ) -> list[Msg]:
        """Send and return every answer, up to and with the first that has a status and no body, or `is_last`.

        `timeout` is the longest silence in seconds. Raises as `request`.
        """
        await self.until_connected(timeout)
        answers: list[Msg] = []
        complete: asyncio.Future[Failure | None] = asyncio.get_running_loop().create_future()

        def add(reply: Reply) -> None:
            if complete.done():
                return
            if isinstance(reply, Failure):
                complete.set_result(reply)
                return
            answers.append(reply)
            if is_last(reply) or (not reply.data and reply.headers and "Status" in reply.headers):
                complete.set_result(None)

        late: asyncio.TimerHandle

        def heard(before: int) -> None:
            nonlocal late
            if len(answers) > before:
                late = loop.call_later(timeout, heard, len(answers))
            else:
                add(silent(subject, timeout))

        loop = asyncio.get_running_loop()
        late = loop.call_later(timeout, heard, 0)
        inbox = self._pending.begin(subject, add)
        try:
            await self.publish(subject, data, reply=inbox)
            failure = await complete
        finally:
            late.cancel()
            self._pending.end(inbox)
        if failure is not None:
            raise failure
        checked(subject, answers[-1])
        return answers

    async def api(
        self, name: str, request: Mapping[str, Any] | None = None, *, timeout: float = 5.0
    ) -> dict[str, Any]:
        """A request to JetStream's API (`$JS.API.<name>`). Raises `ApiError`, or as `request`."""
        body = json.dumps(request).encode() if request is not None else b""
        answer = json.loads((await self.request(f"$JS.API.{name}", body, timeout=timeout)).data)
        if "error" in answer:
            raise ApiError.of(answer["error"])
        return cast(dict[str, Any], answer)

    async def subscribe(
        self, subject: str, callback: Callable[[Msg], Awaitable[None]], *, queue: str = ""
    ) -> Subscription:
        """Call back for each message; restored after reconnects. A denied subscription is only logged."""
        return await self.client.subscribe(subject, queue=queue, cb=callback)

    async def subscribe_at_once(
        self, subject: str, tell: Callable[[Msg], None], *, queue: str = ""
    ) -> Subscription:
        """As `subscribe`, for what returns at once: it is called where the message is read."""
        return await self.client.subscribe_at_once(subject, tell, queue=queue)

    async def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription; nothing to do if the connection is closed already."""
        with contextlib.suppress(nats.errors.Error):
            await subscription.unsubscribe()

    async def drain(self, subscription: Subscription, timeout: float = 0.5) -> None:
        """End a subscription after calling back for what was sent already, within `timeout` seconds."""
        if self.client.is_connected:
            with contextlib.suppress(nats.errors.Error, TimeoutError):
                async with asyncio.timeout(timeout):
                    await subscription.drain()  # type: ignore[no-untyped-call]
                    return
        await self.unsubscribe(subscription)

    def new_inbox(self) -> str:
        """A subject of our own that nobody else can guess."""
        return str(self.client.new_inbox())

    async def flush(self, timeout: float = 5.0) -> None:
        """Wait until the server has read everything sent so far; `Transient` if it doesn't."""
        try:
            await self.client.flush(timeout=cast(int, timeout))
        except (nats.errors.Error, TimeoutError) as error:
            raise Transient(f"NATS: {failure_of(error)}", kind="disconnected") from error

    async def close(self) -> None:
        """Send what is buffered and close. Requests in flight end as `Transient`."""
        if not self.client.is_closed:
            if self.client.is_connected:
                with contextlib.suppress(Transient):
                    await self.flush(timeout=1.0)
            await self.client.close()
        await self._on_closed()

    async def _open(self, url: str, password: str | None, name: str, timeout: float) -> None:
        self._outages = outages_of(urlsplit(url).netloc.rpartition("@")[2])
        opening = asyncio.create_task(
            self.client.connect(
                url,
                user=self.user if password is not None else None,
                password=password,
                name=name,
                inbox_prefix=self.inbox_prefix,
                error_cb=self._on_error,
                disconnected_cb=self._on_disconnected,
                reconnected_cb=self._on_reconnected,
                closed_cb=self._on_closed,
                max_reconnect_attempts=-1,
                reconnect_time_wait=cast(int, _RECONNECT_WAIT_S),
                ping_interval=10,
                max_outstanding_pings=2,
                connect_timeout=5,
            )
        )
        try:
            await until_open(opening, self._refused, timeout, server=url, user=self.user)
            await self.subscribe_at_once(self._pending.answered_on(self.new_inbox()), self._pending.on_reply)
        except BaseException:  # cancelled too: whoever gives up leaves nothing behind that keeps trying
            await abandon(opening)
            self._outages.closed(self)
            await self.client.close()
            raise
        self._connected.set()
        self._outages.back(self)

    async def _on_error(self, error: Exception) -> None:
        text = str(error)
        violation = _VIOLATION.search(text)
        if violation is not None:
            if violation[1] == "publish" and self._late_answers.has(violation[2]):
                _log.info("nats.late_answer", user=self.user, subject=violation[2])
                return
            verb = "publish to" if violation[1] == "publish" else "subscribe to"
            _log.error("nats.permission_denied", user=self.user, verb=verb, subject=violation[2])
            if violation[1] == "publish":
                self._pending.deny(self.user, violation[2])
            return
        if "authorization violation" in text.lower():
            if not self._refused.done():
                self._refused.set_result(None)
        elif not self.client.is_closed and (
            isinstance(error, nats.errors.StaleConnectionError) or not self.is_connected
        ):
            self._outages.lost(self, failure_of(error))
        self._outages.failed(self, error)

    async def _on_disconnected(self) -> None:
        self._connected.clear()
        self._pending.fail(Transient(f"The connection to NATS broke. {MEANWHILE}", kind="disconnected"))
        if not self.client.is_closed:
            self._outages.lost(self, "the connection broke")
        self._notify()

    async def _on_reconnected(self) -> None:
        self.epoch += 1
        self._late_answers.reconnected()
        self._connected.set()
        self._outages.back(self)
        self._notify()

    async def _on_closed(self) -> None:
        self._pending.fail(Transient("the connection to NATS is closed", kind="closed"))
        self._outages.closed(self)
        self._connected.set()  # whoever waits for it sees that it is closed
        self._notify()

    def _notify(self) -> None:
        for listener in list(self._listeners):
            listener()


async def connect(
    url: str, *, name: str, user: str | None = None, password: str | None = None, timeout: float = 30.0
) -> NatsConnection:
    """Connect, waiting up to `timeout` seconds for a server to appear.

    User and password may be part of the URL. `name` shows in the server's monitoring.
    Raises `Rejected(kind="unauthorized")` for a wrong password, `Transient` if no server answers.
    """
    connection = NatsConnection(user or urlsplit(url).username or "anonymous")
    await connection._open(url, password, name, timeout)
    return connection
