"""Each call is worked on by the pool that holds its session's context: who pulled it hands it over.

All pools pull from one durable consumer. A hand-over is a request over core NATS, which the holder answers
when it has handled the message, with signs of life until then. Meanwhile the message stays in the hands of
the pool that pulled it. A holder that is gone, or fell silent, loses the lease to that one; what it did
before stands in the log: an external call that it claimed is not run again.
"""

import msgspec
import structlog

from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import SessionId
from agent_contracts.subjects import browser_pool_subject, parse_session_subject
from agent_platform.nats.connection import Connection
from agent_platform.nats.long_answers import Answering, ask_patiently
from agent_platform.services.consuming.consumer import Delivery, Handler
from browser_pool.contexts.contexts import Contexts
from browser_pool.leases import Held, Leases
from browser_pool.metrics import PoolMetrics

HANDLED = b"handled"
RETURNED = b"returned"
"""The one who was asked doesn't hold the context, or couldn't handle the message."""
HOLDER_GONE = "the browser pool that held the session's pages stopped"
_FULL_RETRY_S = 0.5
_OTHERS_TRIED = 3

log = structlog.get_logger()


class Routing:
    """Runs `handler` here for sessions whose contexts are here or nowhere, else at their holder.

    The calls of a session run one after another, in the order in which they came.
    """

    def __init__(
        self,
        connection: Connection,
        leases: Leases,
        contexts: Contexts,
        handler: Handler,
        metrics: PoolMetrics,
    ) -> None:
        self._connection = connection
        self._leases = leases
        self._contexts = contexts
        self._handler = handler
        self._metrics = metrics

    async def run(self) -> None:
        """Take what other pools hand over, until cancelled."""
        subject = browser_pool_subject(self._leases.me)
        await Answering(self._connection, subject, "", self._answer, failed=RETURNED, stopped=RETURNED).run()

    async def handle(self, delivery: Delivery) -> None:
        """Returns when the message was handled, here or at its holder. Raises what the handler does here."""
        session = parse_session_subject(delivery.message.subject).key.session_id
        async with self._contexts.turn(session):
            while True:
                held = await self._leases.find(session)
                holder = held.lease.pool
                if holder == self._leases.me or await self._taken(session, held, delivery):
                    await self._handler(delivery)
                    return
                if holder is not None and await self._handled_by(holder, session, delivery):
                    return

    async def _taken(self, session: SessionId, held: Held, delivery: Delivery) -> bool:
        """Whether a context that nobody holds is to be made here from now on."""
        if held.lease.pool is not None:
            return False
        if self._contexts.is_full and delivery.attempt < _OTHERS_TRIED:
            raise Transient("all contexts of this browser pool are in use", retry_after=_FULL_RETRY_S)
        if not await self._leases.take(session, held):
            return False
        self._contexts.begin(session, held.lease.lost)
        return True

    async def _handled_by(self, holder: str, session: SessionId, delivery: Delivery) -> bool:
        """Whether the holder did it. If it is gone or silent, this pool has the lease afterwards."""
        question = msgspec.msgpack.encode(delivery)
        try:
            answer = await ask_patiently(self._connection, browser_pool_subject(holder), question)
        except Transient as error:
            log.warning("browser.holder_gone", holder=holder, kind=error.kind, error=error.message)
            self._metrics.handed_over.labels("unanswered").inc()
            held = await self._leases.find(session)
            if held.lease.pool == holder and await self._leases.take(session, held):
                self._contexts.begin(session, HOLDER_GONE)
            return False
        self._metrics.handed_over.labels(answer.decode("ascii", "replace")).inc()
        return answer == HANDLED

    async def _answer(self, question: bytes) -> bytes:
        try:
            delivery = msgspec.msgpack.decode(question, type=Delivery)
        except msgspec.DecodeError as error:
            raise Rejected(f"not a delivery: {error}") from error
        session = parse_session_subject(delivery.message.subject).key.session_id
        async with self._contexts.turn(session):
            if (await self._leases.find(session)).lease.pool != self._leases.me:
                return RETURNED
            await self._handler(delivery)
        return HANDLED
