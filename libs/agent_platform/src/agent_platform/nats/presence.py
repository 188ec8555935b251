"""Who of a group of processes lives: each says so twice a second, over core NATS. Nothing is stored.

Silence is measured on each process's own monotonic clock, so that clocks that differ do no harm. Views may
differ for moments: presence says who should do something, and never keeps others from doing it.
"""

import asyncio
import contextlib
from collections.abc import Callable

import msgspec
import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Transient
from agent_platform.nats.connection import NatsConnection

_log = structlog.get_logger(__name__)

BEAT_S = 0.5
LAPSE_S = 2.0
"""A member that was silent for so long is gone."""


class _Beat(msgspec.Struct, frozen=True):
    member: str
    leaving: bool = False


class GroupPresence:
    """The living members of the group that talks on `subject`, `me` always among them.

    `changed` is called with all of them whenever they change, from the event loop; it must not raise.
    """

    def __init__(
        self, connection: NatsConnection, subject: str, me: str, changed: Callable[[frozenset[str]], None]
    ) -> None:
        self._connection = connection
        self._subject = subject
        self._me = me
        self._changed = changed
        self._heard_at: dict[str, float] = {}
        self._wake = asyncio.Event()

    @property
    def members(self) -> frozenset[str]:
        """Who lives, as far as is known here."""
        return frozenset({self._me, *self._heard_at})

    def lost(self, member: str) -> None:
        """Someone found out that a member is gone. It is back when it is heard again."""
        if self._heard_at.pop(member, None) is not None:
            self._tell()

    async def run(self) -> None:
        """Take part until cancelled or the connection is closed; the others are told of the end."""
        subscription = await self._connection.subscribe(self._subject, self._on_beat)
        self._connection.add_listener(self._wake.set)
        try:
            with contextlib.suppress(Transient):  # the connection is closed
                await self._beat_for_ever()
        finally:
            self._connection.remove_listener(self._wake.set)
            with contextlib.suppress(Transient):
                await self._say(leaving=True)
            await self._connection.unsubscribe(subscription)

    async def _beat_for_ever(self) -> None:
        now = asyncio.get_running_loop().time
        looked_at = now()
        while True:
            await self._connection.until_connected()
            self._wake.clear()
            await self._say()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):
                    await self._wake.wait()  # someone new, or a reconnect: say it at once
            deaf = now() - looked_at > 2 * BEAT_S or not self._connection.is_connected
            looked_at = now()
            if deaf:  # who couldn't hear can't tell who was silent
                self._heard_at = dict.fromkeys(self._heard_at, looked_at)
            for member in [one for one, at in self._heard_at.items() if looked_at - at > LAPSE_S]:
                _log.warning("presence.silent", member=member)
                self.lost(member)

    async def _say(self, *, leaving: bool = False) -> None:
        await self._connection.publish(self._subject, msgspec.json.encode(_Beat(self._me, leaving)))

    async def _on_beat(self, message: Msg) -> None:
        try:
            beat = msgspec.json.decode(message.data, type=_Beat)
        except msgspec.DecodeError as error:
            _log.warning("presence.unreadable", error=str(error))
            return
        if beat.member == self._me:
            return
        if beat.leaving:
            self.lost(beat.member)
            return
        is_new = beat.member not in self._heard_at
        self._heard_at[beat.member] = asyncio.get_running_loop().time()
        if is_new:
            self._wake.set()
            self._tell()

    def _tell(self) -> None:
        self._changed(self.members)
