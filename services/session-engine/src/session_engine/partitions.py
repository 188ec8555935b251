"""Each partition is worked on by one of the living engines: who pulled what another owns hands it off.

All engines pull from one durable consumer. A hand-off is a request over core NATS that the owner answers
when it has handled the message; until then it is in the hands of the one who pulled it, and whatever goes
wrong on the way (an owner that is gone, slow or failing) ends in that one handling it itself. That is always
allowed: a decision is appended only if it saw everything before it.
"""

import asyncio
import contextlib

import msgspec
import structlog
from nats.aio.msg import Msg
from prometheus_client import Counter, Gauge

from agent_contracts.errors import Failure, Rejected, Transient
from agent_contracts.ids import PARTITIONS
from agent_contracts.log import subjects
from agent_contracts.log.record import session_subjects
from agent_platform.nats.presence import GroupPresence
from agent_platform.nats.rendezvous import owners
from agent_platform.observing.metrics import Metrics
from agent_platform.services.consuming.consumer import Delivery, Handler
from agent_platform.services.service import ServiceRuntime

_ANSWER_S = 2.0
"""After how long without an answer a message is handled by the one who pulled it."""
_HANDLED = b"handled"
_RETURNED = b"returned"

_log = structlog.get_logger(__name__)


class _Counts:
    """What is measured of it."""

    def __init__(self, metrics: Metrics) -> None:
        self.owned = Gauge(
            "foldline_partitions_owned",
            f"Of the {PARTITIONS} partitions of sessions, those that this engine works on",
            registry=metrics.registry,
        )
        self.handed_off = Counter(
            "foldline_messages_handed_off",
            "Messages of other engines' partitions, by outcome: handled, returned, unanswered",
            ["outcome"],
            registry=metrics.registry,
        )


class Partitions:
    """Runs `handler` here for this engine's partitions, and at their owners for those of others.

    `me` is this process's id, new with each start. Until `run`, and while no other engine is heard, every
    partition is this engine's.
    """

    def __init__(self, service: ServiceRuntime, me: str, handler: Handler) -> None:
        self._connection = service.connection
        self._me = me
        self._handler = handler
        self._counts = _Counts(service.metrics)
        self._presence = GroupPresence(self._connection, subjects.ENGINES_PRESENT, me, self._changed)
        self._handling: set[asyncio.Task[None]] = set()
        self.shared = asyncio.Event()
        """Set whenever partitions may have come or gone."""
        self._share(self._presence.members)

    @property
    def owned(self) -> frozenset[int]:
        """The partitions that are this engine's now."""
        return frozenset(number for number, owner in enumerate(self._owners) if owner == self._me)

    async def run(self) -> None:
        """Take part until cancelled or the connection is closed; what is in hand then is given back."""
        mine = await self._connection.subscribe(subjects.engine_subject(self._me), self._handed_to_me)
        try:
            await self._presence.run()
        finally:
            for task in self._handling:
                task.cancel()
            if self._handling:
                await asyncio.wait(self._handling)
            await self._connection.unsubscribe(mine)

    async def handle(self, delivery: Delivery) -> None:
        """Returns when the message was handled, here or at its owner. Raises what the handler raises here."""
        partition = session_subjects.parse_session_subject(delivery.message.subject).partition
        owner = self._owners[partition]
        if owner == self._me or not await self._handled_by(owner, delivery):
            await self._handler(delivery)

    async def _handled_by(self, owner: str, delivery: Delivery) -> bool:
        try:
            answer = await self._connection.request(
                subjects.engine_subject(owner), msgspec.msgpack.encode(delivery), timeout=_ANSWER_S
            )
        except (Transient, Rejected) as error:  # gone, slow, cut off; or too large to be handed off
            self._counts.handed_off.labels("unanswered").inc()
            _log.info("partition.not_answered", owner=owner, kind=error.kind, error=error.message)
            if error.kind == "no_responders":
                self._presence.lost(owner)
            return False
        handled = answer.data == _HANDLED
        self._counts.handed_off.labels("handled" if handled else "returned").inc()
        return handled

    async def _handed_to_me(self, message: Msg) -> None:
        task = asyncio.create_task(self._handle_and_answer(message))
        self._handling.add(task)
        task.add_done_callback(self._handling.discard)

    async def _handle_and_answer(self, message: Msg) -> None:
        answer = _RETURNED
        try:
            delivery = msgspec.msgpack.decode(message.data, type=Delivery)
            await self._handler(delivery)
            answer = _HANDLED
        except (Failure, msgspec.DecodeError) as error:
            _log.warning("partition.returned", error=str(error))
        except Exception:  # a bug, whatever it is: it shows again where the message was pulled
            _log.exception("partition.bug")
        finally:
            with contextlib.suppress(Transient):  # closed: whoever waits handles it
                await self._connection.publish(message.reply, answer)

    def _changed(self, members: frozenset[str]) -> None:
        self._share(members)
        _log.info("partitions.shared", engines=len(members), owned=len(self.owned))

    def _share(self, members: frozenset[str]) -> None:
        self._owners = owners(sorted(members), PARTITIONS)
        self._counts.owned.set(len(self.owned))
        self.shared.set()
