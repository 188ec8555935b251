"""Pull requests on a JetStream consumer, kept outstanding so that a message is delivered as it is stored."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Failure
from agent_platform.nats.connection import NatsConnection

_log = structlog.get_logger(__name__)

EXPIRES_S = 30.0
HEARTBEAT_S = 5.0
_SILENCE_S = 2.5 * HEARTBEAT_S
_NANOSECONDS = 1_000_000_000
_HEARTBEAT = "100"
_ENDED = frozenset(("408", "409", "423"))


class ConsumerGone(Exception):
    """The consumer was deleted, or its server lost it."""


class Pulls:
    """Asks for up to `window` messages that were delivered but not yet released.

    `deliver` is called for each message, in order, where it is read: it must return at once. Each
    message counts against the window until `release`. Pull requests are renewed when they end, when the
    server falls silent for 12 s, and after a reconnect. A request lasts `expires_s` seconds: so long a
    process that is frozen is still given messages.
    """

    def __init__(  # noqa: PLR0913 — which consumer, and how much of it
        self,
        connection: NatsConnection,
        stream: str,
        consumer: str,
        window: int,
        deliver: Callable[[Msg], None],
        *,
        expires_s: float = EXPIRES_S,
    ) -> None:
        self._connection = connection
        self._consumer = consumer
        self._subject = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        self._window = window
        self._deliver = deliver
        self._expires_s = expires_s
        self._in_hand = 0
        self._outstanding = 0
        self._heard = 0.0
        self._trouble: str | None = None
        self._wake = asyncio.Event()

    @property
    def in_hand(self) -> int:
        """Messages delivered and not yet released."""
        return self._in_hand

    def release(self) -> None:
        """One delivered message is done with."""
        self._in_hand -= 1
        if self._wants_more():
            self._wake.set()

    async def until_interrupted(self) -> None:
        """Pull until a reconnect or a silence: what the server sent meanwhile may have got lost.

        Raises `ConsumerGone`, or `Transient` once the connection is closed.
        """
        await self._connection.until_connected()
        self._connection.add_listener(self._wake.set)
        try:
            await self._pull_on_one_inbox()
        finally:
            self._connection.remove_listener(self._wake.set)

    async def _pull_on_one_inbox(self) -> None:
        inbox = self._connection.new_inbox()
        subscription = await self._connection.subscribe_at_once(inbox, self._received)
        epoch = self._connection.epoch
        self._outstanding = 0
        self._heard = asyncio.get_running_loop().time()
        try:
            while self._connection.epoch == epoch and self._connection.is_connected:
                self._wake.clear()
                if self._trouble is not None:
                    await self._on_trouble()
                    return
                if self._wants_more():
                    await self._pull(inbox)
                try:
                    async with asyncio.timeout(HEARTBEAT_S):
                        await self._wake.wait()
                except TimeoutError:
                    if self._is_silent():
                        _log.warning("pulls.silent", consumer=self._consumer)
                        return
        finally:
            await self._connection.drain(subscription)

    def _wants_more(self) -> bool:
        free = self._window - self._in_hand - self._outstanding
        return free > 0 and self._outstanding * 8 <= self._window

    def _is_silent(self) -> bool:
        silence = asyncio.get_running_loop().time() - self._heard
        return self._outstanding > 0 and silence > _SILENCE_S

    async def _pull(self, inbox: str) -> None:
        batch = self._window - self._in_hand - self._outstanding
        self._outstanding += batch
        request = {
            "batch": batch,
            "expires": int(self._expires_s * _NANOSECONDS),
            "idle_heartbeat": int(min(HEARTBEAT_S, self._expires_s / 2) * _NANOSECONDS),
        }
        await self._connection.publish(self._subject, json.dumps(request).encode(), reply=inbox)

    def _received(self, message: Msg) -> None:
        self._heard = asyncio.get_running_loop().time()
        if message.reply:  # status messages have none
            self._outstanding = max(0, self._outstanding - 1)
            self._in_hand += 1
            self._deliver(message)
            if self._outstanding == 0:
                self._wake.set()
        else:
            self._status(message.headers or {})

    def _status(self, headers: dict[str, str]) -> None:
        status = headers.get("Status", "")
        if status == _HEARTBEAT:
            return
        left = headers.get("Nats-Pending-Messages")
        description = headers.get("Description", "")
        if status in _ENDED and left is not None:
            self._outstanding = max(0, self._outstanding - int(left))
        else:
            self._trouble = f"{status} {description}".strip()
        self._wake.set()

    async def _on_trouble(self) -> None:
        trouble, self._trouble = self._trouble or "", None
        _log.warning("pulls.refused", consumer=self._consumer, reason=trouble)
        if "Consumer Deleted" in trouble or trouble.startswith("503"):
            raise ConsumerGone(trouble)
        await asyncio.sleep(HEARTBEAT_S / 10)


async def pull_for_ever(
    pulls: Pulls, find: Callable[[], Awaitable[None]], connection: NatsConnection, patience_s: float = 0.5
) -> None:
    """Pull from a durable consumer, across interruptions; before each time `find` says where from.

    One that is gone (its server is starting) is asked again. Returns when the connection is closed.
    """
    while True:
        try:
            await connection.until_connected()
            await find()
            await pulls.until_interrupted()
            await asyncio.sleep(0)  # a turn for others, whatever ended it
        except ConsumerGone:
            await asyncio.sleep(patience_s)
        except Failure as failure:
            if connection.is_closed:
                return
            _log.warning("consumer.not_found", reason=failure.message)
            await asyncio.sleep(patience_s)
