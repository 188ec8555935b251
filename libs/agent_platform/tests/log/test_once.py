"""The one event on a subject: what came before it was called for, and what is no event, counts for nobody."""

import pytest

from agent_contracts.errors import Conflict
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.results import CallClaimed
from agent_platform.log.event_message import event_message
from agent_platform.log.once import append_once
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of

CALL = CallId("c1")
SUBJECT = SessionKey(AgentId("a1"), SessionId("s1")).claim(CALL)


def claim(runner: str) -> NewMessage:
    event = CallClaimed(CALL, runner)
    message, _ = event_message(event, SUBJECT, origin_of(event), SystemClock())
    return message


async def test_the_first_counts_and_a_second_is_a_conflict() -> None:
    log = MemoryLog()
    await append_once(log, claim("r1"), after=0)
    with pytest.raises(Conflict):
        await append_once(log, claim("r2"), after=0)
    assert await log.last_sequence() == 1


async def test_one_from_before_it_was_asked_for_does_not_count() -> None:
    log = MemoryLog()
    await append_once(log, claim("r1"), after=0)
    await append_once(log, claim("r2"), after=1)
    with pytest.raises(Conflict):
        await append_once(log, claim("r3"), after=1)
    assert await log.last_sequence() == 2


async def test_what_is_no_event_keeps_nobody_out() -> None:
    log = MemoryLog()
    for number in range(3):
        await log.append(NewMessage(SUBJECT, b"not an event", {MESSAGE_ID: str(number)}))
    await append_once(log, claim("r1"), after=0)
    with pytest.raises(Conflict):
        await append_once(log, claim("r2"), after=0)
    assert await log.last_sequence() == 4
