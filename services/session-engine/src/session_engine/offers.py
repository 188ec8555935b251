"""Results that workers offer, for the partitions that are this engine's."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from agent_contracts.errors import Failure, Permanent, Rejected, Transient
from agent_contracts.log.offered_results import (
    COMMITTED,
    NOT_COMMITTED,
    CommittedResult,
    OfferedResult,
    ResultSource,
    offers_in,
    source_of,
)
from agent_contracts.log.record.codec import MESSAGE_ID, RecordedEvent
from agent_contracts.log.record.records import NewMessage, StoredMessage, decode, parts
from agent_contracts.log.record.session_subjects import parse_session_subject
from agent_platform.log.local_offers import takes_for
from agent_platform.nats.connection import NatsConnection
from session_engine.commit import UNKNOWN, OfferedEvent
from session_engine.handlers import Engine
from session_engine.partitions import Partitions

_log = structlog.get_logger(__name__)
_ENGINES = "engines"
"""The queue group: two engines may own a partition for a moment."""
_Answer = Callable[[StoredMessage | None], Awaitable[None]]
_LARGEST_ANSWER = 64 * 1024
"""Bytes of a record that is sent back to whose result is in it."""


class OfferListener:
    """Hears of results where their sessions are decided, commits them, and goes on from there.

    Whatever goes wrong is answered *not committed*: the worker then writes the result itself, and it comes
    like any other.
    """

    def __init__(self, connection: NatsConnection, partitions: Partitions, engine: Engine) -> None:
        self._connection = connection
        self._partitions = partitions
        self._engine = engine
        self._subscribed: dict[int, Subscription] = {}
        self._here: dict[int, contextlib.ExitStack] = {}
        self._taking: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Listen for the partitions that are ours, as they come and go, until cancelled."""
        try:
            while True:
                self._partitions.shared.clear()
                await self._follow(self._partitions.owned)
                await self._partitions.shared.wait()
        finally:
            for task in self._taking:
                task.cancel()
            if self._taking:
                await asyncio.wait(self._taking)
            await self._follow(frozenset())

    async def _follow(self, owned: frozenset[int]) -> None:
        for partition in owned - self._subscribed.keys():
            self._subscribed[partition] = await self._connection.subscribe_at_once(
                offers_in(partition), self._offered, queue=_ENGINES
            )
            self._here[partition] = contextlib.ExitStack()
            self._here[partition].enter_context(takes_for(self._connection, partition, self._offered_here))
        for partition in self._subscribed.keys() - owned:
            self._here.pop(partition).close()
            await self._connection.unsubscribe(self._subscribed.pop(partition))

    def _offered(self, message: Msg) -> None:
        worker = worker_of(message.subject)

        async def answer(record: StoredMessage | None) -> None:
            with contextlib.suppress(Transient):  # closed: the worker writes it
                told = NOT_COMMITTED if record is None else committed(worker, record)
                await self._connection.publish(message.reply, told)

        def offered() -> NewMessage:
            one = msgspec.msgpack.decode(message.data, type=OfferedResult)
            return NewMessage(one.subject, one.data, {MESSAGE_ID: one.message_id})

        self._begin(worker, offered, answer)

    async def _offered_here(self, worker: ResultSource, offered: NewMessage) -> StoredMessage | None:
        taken: asyncio.Future[StoredMessage | None] = asyncio.get_running_loop().create_future()

        async def answer(record: StoredMessage | None) -> None:
            if not taken.done():
                taken.set_result(record)

        self._begin(worker, lambda: offered, answer)
        return await taken

    def _begin(self, worker: ResultSource, offered: Callable[[], NewMessage], answer: _Answer) -> None:
        task = asyncio.create_task(self._take(worker, offered, answer))
        self._taking.add(task)
        task.add_done_callback(self._taking.discard)

    async def _take(self, worker: ResultSource, offered: Callable[[], NewMessage], answer: _Answer) -> None:
        record: StoredMessage | None = None
        result: OfferedEvent | None = None
        try:
            result = read_offer(worker, offered())
            record = await self._engine.take(result)
        except (Failure, msgspec.DecodeError) as error:
            _log.warning("offer.not_taken", worker=worker.value, error=str(error))
        except Exception:  # a bug, whatever it is: it shows again where the worker writes the result
            _log.exception("offer.bug", worker=worker.value)
        finally:
            await answer(record)
        if record is not None and result is not None:
            await self._go_on(result, record.sequence)

    async def _go_on(self, result: OfferedEvent, sequence: int) -> None:
        """What is left to decide; should it fail here, the record's delivery leads to it all the same."""
        with contextlib.suppress(Failure):
            session = parse_session_subject(result.recorded.subject).key
            await self._engine.advance(session, sequence)


def read_offer(worker: ResultSource, offered: NewMessage) -> OfferedEvent:
    """The result in an offer. `Rejected` for what this kind of worker may not offer, `Permanent` or
    `msgspec.DecodeError` for what is none."""
    recorded, body, number = _read(offered)
    if recorded.envelope.source != source_of(worker) or not offered.subject.endswith(".result"):
        raise Rejected(f"{worker.value} may not offer {recorded.envelope.type}", kind="not_permitted")
    if number > 1:
        raise Permanent("an offer is one result", kind="bad_event")
    return OfferedEvent(recorded, body)


def _read(offered: NewMessage) -> tuple[RecordedEvent[Any], bytes, int]:
    """The last event, its own JSON, and how many events there are."""
    made = offered.known
    if made is not None:
        return RecordedEvent(UNKNOWN, made.subject, made.envelope, made.event), made.body, 1
    found = parts(StoredMessage(UNKNOWN, offered.subject, offered.data, offered.headers))
    return decode(found[-1]), found[-1].data, len(found)


def worker_of(subject: str) -> ResultSource:
    """Who offers there."""
    return ResultSource(subject.split(".")[1])


def committed(worker: ResultSource, record: StoredMessage) -> bytes:
    """The answer that a result is in this record. A model caller, who will be asked to go on from it, is sent
    it; if it can't be told as it is so large, it is read."""
    if worker is not ResultSource.MODEL or len(record.data) > _LARGEST_ANSWER:
        return COMMITTED
    stored = CommittedResult(record.sequence, record.subject, dict(record.headers), record.data)
    return COMMITTED + msgspec.msgpack.encode(stored)
