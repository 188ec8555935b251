"""The one event about a call: what came before it was called for, and what is no event, counts for nobody."""

import asyncio
from typing import Any

import pytest

from agent_contracts.errors import Conflict
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.codec import MESSAGE_ID, RecordedEvent
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.results import CallClaimed
from agent_platform.log.event_message import event_message
from agent_platform.log.once import append_once
from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_platform.origins import origin_of

CALL = CallId("c1")
KEY = SessionKey(AgentId("a1"), SessionId("s1"))


def claim(runner: str, call: CallId = CALL) -> NewMessage:
    event = CallClaimed(call, runner)
    return event_message(event, KEY.claims, origin_of(event), SystemClock())[0]


async def append(log: Log, message: NewMessage, *, after: int, call: CallId = CALL) -> None:
    def is_it(one: RecordedEvent[Any]) -> bool:
        return isinstance(one.event, CallClaimed) and one.event.call_id == call

    await append_once(log, message, KEY, is_it, after=after)


async def test_the_first_counts_and_a_second_is_a_conflict() -> None:
    log = MemoryLog()
    await append(log, claim("r1"), after=0)
    with pytest.raises(Conflict):
        await append(log, claim("r2"), after=0)
    assert await log.last_sequence() == 1


async def test_one_from_before_it_was_asked_for_does_not_count() -> None:
    log = MemoryLog()
    await append(log, claim("r1"), after=0)
    await append(log, claim("r2"), after=1)
    with pytest.raises(Conflict):
        await append(log, claim("r3"), after=1)
    assert await log.last_sequence() == 2


async def test_another_call_and_what_is_no_event_keep_nobody_out() -> None:
    log = MemoryLog()
    for number in range(3):
        await log.append(NewMessage(KEY.claims, b"not an event", {MESSAGE_ID: str(number)}))
    await append(log, claim("r1", CallId("c2")), call=CallId("c2"), after=0)
    await append(log, claim("r1"), after=0)
    with pytest.raises(Conflict):
        await append(log, claim("r2"), after=0)
    assert await log.last_sequence() == 5


async def test_of_many_at_once_each_call_has_one() -> None:
    log = MemoryLog()
    calls = [CallId(f"c{number}") for number in range(8)]

    async def runner(name: str, call: CallId) -> bool:
        try:
            await append(log, claim(name, call), call=call, after=0)
        except Conflict:
            return False
        return True

    won = await asyncio.gather(*(runner(name, call) for call in calls for name in ("r1", "r2", "r3")))
    assert sum(won) == len(calls) == await log.last_sequence()


async def test_its_own_of_which_it_was_not_told_is_a_success() -> None:
    log = MemoryLog()
    ours = claim("r1")
    await append(log, ours, after=0)
    await append(log, claim("r1", CallId("c2")), call=CallId("c2"), after=0)
    await append(log, ours, after=0)
    assert await log.last_sequence() == 2
