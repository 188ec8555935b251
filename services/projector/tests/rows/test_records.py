"""Rows of events that stand several in a record: each by its own address, N.i."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from agent_contracts.log.address import Address, at_place
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.session_events import inputs
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.projector.counting import REFUSED, Counting
from foldline_testing.projector.projecting import MemoryTables
from foldline_testing.projector.records import committed, records
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import Story, answers, done, says, story, wants
from projections.log_tables import EVENTS
from projections.segments import is_in, segments_of
from projections.session_tables import MESSAGES, MODEL_CALLS, SESSIONS, STAGES, TOOL_CALLS
from projector.administration import check_projections
from projector.projecting.arrivals import Arrivals, BatchLimits
from projector.projecting.schemas import create
from projector.projecting.store import writing
from projector.projecting.writer import ProjectionWriter

Ask = Callable[..., Awaitable[list[tuple[Any, ...]]]]
Reached = Callable[[int], Awaitable[None]]


def looked() -> Story:
    """A turn of one tool call."""
    told = story().given(says("look"))
    told.given(answers(told, "I look.", [wants(told, "look")]))
    return told.given(done(told.state.batch[0].call_id)).given(answers(told, "seen"))


def messages_of(told: Story) -> list[StoredMessage]:
    return committed(as_messages(told.recorded, told.state.session_id))


def address_of(messages: list[StoredMessage], event_type: str, number: int = 0) -> Address:
    """Where the session's event of a type stands."""
    found = [one for one in messages if one.event_type.split(".")[2] == event_type]
    return found[number].address


def test_every_event_of_a_record_has_a_row_and_its_address() -> None:
    messages = messages_of(looked())
    kept = MemoryTables().fold(messages).rows(EVENTS)
    assert [at_place(place) for (place,) in kept] == [one.address for one in messages]
    assert {at_place(place).part for (place,) in kept} == {None, 0, 1}


def test_calls_name_the_events_of_their_own() -> None:
    messages = messages_of(looked())
    tables = MemoryTables().fold(messages)
    [call] = tables.rows(TOOL_CALLS).values()
    first, second = sorted(tables.rows(MODEL_CALLS).values(), key=lambda one: one.number)
    assert at_place(call.requested_place) == address_of(messages, "tool_call_requested")
    assert at_place(call.result_place) == address_of(messages, "tool_call_completed")
    assert at_place(second.requested_place) == address_of(messages, "model_call_requested", 1)
    assert at_place(second.requested_place).sequence == at_place(call.result_place).sequence
    assert call.message_place == first.result_place in {place for _, place in tables.rows(MESSAGES)}


def test_one_by_one_or_record_by_record_the_rows_are_the_same() -> None:
    messages = messages_of(looked())
    one_by_one = MemoryTables()
    for message in messages:
        one_by_one.fold([message])
    together = MemoryTables().fold(messages)
    for table in (EVENTS, SESSIONS, STAGES, MESSAGES, TOOL_CALLS, MODEL_CALLS):
        assert one_by_one.rows(table) == together.rows(table)


@pytest.mark.parametrize(("at", "stays"), [("tool_call_completed", 2), ("tool_call_requested", 1)])
def test_going_back_to_a_record_keeps_what_came_before_its_open_call(at: str, stays: int) -> None:
    told = looked()
    record = address_of(messages_of(told), at).sequence
    told.given(inputs.RewindRequested(to=record, parts=("conversation",)))
    tables = MemoryTables().fold(messages_of(told))
    session: Any = tables.rows(SESSIONS)[(told.state.session_id,)]
    segments = segments_of(session.segments)
    left = [
        row.text for (owner, place), row in tables.rows(MESSAGES).items() if is_in(segments, (owner, place))
    ]
    assert left == ["look", "I look."][:stays]
    _, _, cut = segments[0]
    assert cut is not None
    if at == "tool_call_completed":
        assert at_place(cut) == address_of(messages_of(told), at)


async def test_tables_hold_every_event_of_every_record_and_equal_a_rebuild(
    log: MemoryLog, postgres_dsn: str, ask: Ask, reached: Reached
) -> None:
    told = looked()
    for number, record in enumerate(records(as_messages(told.recorded, told.state.session_id))):
        await log.append(record)
        if number % 2:
            await reached(await log.last_sequence())
    last = await log.last_sequence()
    await reached(last)
    stored = [message.address async for message in log.read(">")]
    assert [
        at_place(place) for (place,) in await ask("SELECT place FROM projections.events ORDER BY 1")
    ] == stored
    assert await ask("SELECT max(sequence) FROM projections.events") == [(last,)]
    report = await check_projections(postgres_dsn, log)
    assert (report.sequence, report.differing) == (last, 0), report.compared


async def test_a_record_is_in_one_batch_however_small_batches_are() -> None:
    async def source() -> AsyncIterator[StoredMessage]:
        for message in messages_of(looked()):
            yield message

    batches = []
    async with Arrivals(source(), BatchLimits(messages=1)) as arrivals:
        while await arrivals.wait(5) and not arrivals.ended:
            batches.append(arrivals.take())
    whole = [[one.sequence for one in batch] for batch in batches]
    assert max(map(len, batches)) == 2
    assert len({sequence for batch in whole for sequence in batch}) == len(whole)


async def test_of_a_record_only_what_the_database_refuses_has_a_problem(postgres_dsn: str) -> None:
    counting = Counting()
    events = [
        StoredMessage(1, "cnt.a", body, {}, part, 3) for part, body in enumerate((b"good", REFUSED, b"fine"))
    ]
    async with writing(postgres_dsn) as connection:
        await create(connection, counting, counting.schema)
        writer = ProjectionWriter(connection, counting, counting.schema, 0, letters=None)
        assert await writer.write(events) == 1
        assert writer.position == 1
        found = await connection.execute("SELECT part, body, problem IS NULL FROM counts.seen ORDER BY part")
        assert await found.fetchall() == [(0, "good", True), (1, "", False), (2, "fine", True)]
        total = await connection.execute("SELECT count, last FROM counts.totals")
        assert await total.fetchall() == [(2, 1)]
