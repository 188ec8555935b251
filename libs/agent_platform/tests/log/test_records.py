"""A message of the log holds one event, or several that were committed together: in both implementations."""

import pytest

from agent_contracts import event_sources
from agent_contracts.errors import Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.records import (
    MOST_EVENTS,
    Expect,
    NewMessage,
    SkippedMessage,
    decode,
    id_after,
    one_record,
    read,
    split,
    whole,
)
from agent_contracts.log.record.session_subjects import SessionKey, subject_of
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.session_events.union import SessionEvent
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.origins import origin_of

KEY = SessionKey(AgentId("a"), SessionId("s"))
DONE = ToolCallCompleted(CallId("m000003-00"), "seen", "r", duration_ms=1)
ASKED = ev.ModelCallRequested(CallId("m000006"))


def message(event: SessionEvent, part: int = 0, event_id: str = "e") -> NewMessage:
    origin = origin_of(event) if part == 0 else Origin(event_sources.ENGINE, origin_of(event).actor)
    return event_message(
        event, subject_of(event, KEY), origin, SystemClock(), f"{event_id}{part}", part=part
    )[0]


def record(*events: SessionEvent) -> NewMessage:
    return one_record([message(event, part) for part, event in enumerate(events)])


async def test_a_record_is_found_by_its_last_events_subject_and_gives_all_of_them(log: Log) -> None:
    first = await log.append(message(inputs.UserMessage(text="hi"), event_id="u"))
    sequence = await log.append(record(DONE, ASKED), Expect(KEY.everything, first))
    stored = [one async for one in log.read(KEY.everything, after=first)]
    assert [(one.sequence, one.part, one.parts) for one in stored] == [(sequence, 0, 2), (sequence, 1, 2)]
    assert [one.subject for one in stored] == [subject_of(DONE, KEY), subject_of(ASKED, KEY)]
    assert [decode(one).event for one in stored] == [DONE, ASKED]
    assert [one.event_id for one in stored] == ["e0", "e0.1"]
    assert await log.get(sequence) == await log.last(subject_of(ASKED, KEY)) == stored[1]
    assert list(await log.record(sequence)) == stored
    assert not await log.record(sequence + 1)
    assert await log.last(subject_of(DONE, KEY)) is None
    assert [one async for one in log.read(subject_of(ASKED, KEY))] == stored[1:]
    assert (await log.last_of_each(KEY.everything))[-1] == stored[1]
    tailed = []
    async for one in log.tail([KEY.everything], after=first):
        tailed.append(one)
        if len(tailed) == 2:
            break
    assert tailed == stored


async def test_what_comes_next_in_a_session_has_its_id_and_cause_by_that(log: Log) -> None:
    first = await log.append(message(inputs.UserMessage(text="hi"), event_id="u"))
    stopped = Origin(event_sources.ENGINE, Actor.AGENT, first, first)
    made = event_message(ASKED, subject_of(ASKED, KEY), stopped, SystemClock(), id_after(KEY, first))[0]
    written = one_record([made], after=first)
    assert not written.headers
    assert b"cause" not in written.data
    sequence = await log.append(written, Expect(KEY.everything, first))
    stored = await log.get(sequence)
    assert stored is not None
    found = decode(stored)
    assert found.event == ASKED
    assert found.envelope.id == id_after(KEY, first) == "c.s.1"
    assert (found.envelope.causation, found.envelope.prev) == (first, first)
    assert whole([stored]) == NewMessage(stored.subject, written.data, stored.headers)


def test_a_record_of_more_events_than_the_tables_have_room_for_is_refused() -> None:
    with pytest.raises(Rejected, match="4094"):
        one_record([message(ASKED)] * (MOST_EVENTS + 1))


async def test_a_record_is_one_message_that_can_be_written_again(log: Log) -> None:
    written = record(DONE, ASKED)
    sequence = await log.append(written)
    [raw] = [one async for one in log.records(">")]
    assert (raw.sequence, raw.subject, raw.data) == (sequence, written.subject, written.data)
    assert whole(split(raw)) == NewMessage(raw.subject, raw.data, raw.headers)


async def test_one_event_that_does_not_count_takes_its_record_with_it(log: Log) -> None:
    forged = message(inputs.UserMessage(text="hi")).data[1:-1].partition(b",")[2]
    bodies = (b"1,{},{}", b"1," + forged + b"," + forged, b"", b"1", b"{}")
    for data in (*(b"[" + body + b"]" for body in bodies), b"["):
        sequence = await log.append(
            NewMessage(subject_of(ASKED, KEY), data, {"Nats-Msg-Id": str(hash(data))})
        )
        [skipped] = [one async for one in log.read(KEY.everything, after=sequence - 1)]
        assert isinstance(read(skipped), SkippedMessage)
        assert skipped.data == data
