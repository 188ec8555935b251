"""A call's result on its way into the log: offered to who decides for its session, else written here."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

import msgspec
import structlog

from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import CallId
from agent_contracts.log.offered_results import (
    COMMITTED,
    CommittedResult,
    OfferedResult,
    ResultSource,
    offer_subject,
)
from agent_contracts.log.record.codec import MESSAGE_ID, RecordedEvent, type_of
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.log.subjects import agent_of
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import Result
from agent_contracts.tool_spec import RunsOn
from agent_platform.log.events import events as every_event
from agent_platform.log.events import first_event
from agent_platform.log.local_offers import taker_for
from agent_platform.log.once import append_once
from agent_platform.log.port import Log
from agent_platform.log.quotas.counted_log import size_of
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.stop_points import stop_point

log = structlog.get_logger()

NEAR = 16
"""So many records after a call's request are looked at before the rest of the session is."""

ANSWER_S = 2.0
"""Seconds in which a result that is offered must be committed; then its worker writes it."""

_RESULTS = Result.__args__


class ResultOffers(Protocol):
    """Where results are offered."""

    async def offer(self, message: NewMessage) -> bool:
        """Whether the result was committed. False: it wasn't, or nobody knows."""
        ...


class NatsOffers:
    """Asks who owns the session's partition, by a call where that is in this process; what that one commits
    counts towards the agent's quota.

    `stop_at` is the stop point before each offer. `committed` is told of the record that a result is in,
    where its owner says so.
    """

    def __init__(
        self,
        connection: NatsConnection,
        worker: ResultSource,
        stop_at: str,
        quota: DailyQuota | None = None,
        *,
        committed: Callable[[StoredMessage], None] = lambda _: None,
    ) -> None:
        self._connection = connection
        self._worker = worker
        self._stop_at = stop_at
        self._quota = quota
        self._committed = committed

    async def offer(self, message: NewMessage) -> bool:
        """See `ResultOffers`. Nobody there, no answer in time, or too large to be sent: not committed."""
        await stop_point(self._stop_at)
        partition = parse_session_subject(message.subject).partition
        take = taker_for(self._connection, partition)
        try:
            if take is not None:
                async with asyncio.timeout(ANSWER_S):
                    record = await take(self._worker, message)
                is_taken = record is not None
            else:
                is_taken, record = await self._ask(partition, message)
        except (Transient, Rejected, TimeoutError) as failure:
            log.info("result.not_taken", subject=message.subject, kind=getattr(failure, "kind", "timeout"))
            return False
        if not is_taken:
            return False
        if record is not None:
            self._committed(record)
        if self._quota is not None:
            await self._quota.count(agent_of(message.subject), size_of(message))
        return True

    async def _ask(self, partition: int, message: NewMessage) -> tuple[bool, StoredMessage | None]:
        """Whether it was committed, and in which record, where that is told."""
        offered = OfferedResult(message.subject, message.headers[MESSAGE_ID], message.data)
        subject = offer_subject(self._worker, partition)
        answer = await self._connection.request(subject, msgspec.msgpack.encode(offered), timeout=ANSWER_S)
        record = answer.data.removeprefix(COMMITTED)
        if not answer.data.startswith(COMMITTED) or not record:
            return answer.data.startswith(COMMITTED), None
        one = msgspec.msgpack.decode(record, type=CommittedResult)
        return True, StoredMessage(one.sequence, one.subject, one.data, one.headers)


async def append_result(
    events: Log, offers: ResultOffers | None, message: NewMessage, call_id: CallId, *, after: int
) -> None:
    """Have the result of this call in the log: committed where it is offered, or appended here. `Conflict` if
    it has one.

    `after` is the sequence of the call's request. Raises what `Log.append` does.
    """
    if offers is not None and await offers.offer(message):
        return
    session = parse_session_subject(message.subject).key
    # Who was offered it may commit it late, in a record on any subject of the session.
    await append_once(events, message, session, lambda one: _is_result(one, call_id), after=after)


async def result_of(
    events: Log, session: SessionKey, call_id: CallId, *, after: int
) -> RecordedEvent[Any] | None:
    """The first result of a call that was asked for by event `after`, wherever in a record it stands.

    It mostly stands right behind it: what is near is read first, and costs little where a long session is
    delivered that is over.
    """

    def is_it(one: RecordedEvent[Any]) -> bool:
        return _is_result(one, call_id)

    near = await first_event(events, session.everything, after=after, up_to=after + NEAR, such_that=is_it)
    if near is not None:
        return near
    return await first_event(events, session.everything, after=after + NEAR, such_that=is_it)


async def request_of(
    events: Log, session: SessionKey, call_id: CallId, runs_on: RunsOn | None = None
) -> RecordedEvent[ToolCallRequested] | None:
    """The newest request of a tool call; `runs_on` names its workers, where they are known.

    It reads all requests of the session: for what people do, not for each step.
    """
    worker = "*" if runs_on is None else runs_on.value
    subject = session.decision(type_of(ToolCallRequested), worker)
    found = None
    async for asked in every_event(events.read(subject)):
        if isinstance(asked.event, ToolCallRequested) and asked.event.call_id == call_id:
            found = asked
    return found


def _is_result(recorded: RecordedEvent[Any], call_id: CallId) -> bool:
    return isinstance(recorded.event, _RESULTS) and recorded.event.call_id == call_id
