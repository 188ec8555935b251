"""Calls under an idempotency key: each runs once, and every repeat is told how it ended."""

import asyncio
from datetime import timedelta

from agent_contracts.entities.tool_answers import KeyedCall, ToolAnswer
from agent_contracts.errors import ErrorKind
from agent_contracts.ids import CallId
from agent_platform.entities.entities import Entities
from agent_tools.running.keyed_calls import KeyedCalls, call_key
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.clock import MovableClock
from foldline_testing.agent_tools.world import AGENT, SOURCE

KEY = call_key(AGENT, CallId("t_1"))
MADE = KeyedCall("pay", "digest of the request")


def calls() -> tuple[KeyedCalls, MovableClock]:
    clock = MovableClock()
    return KeyedCalls(Entities(MemoryLog(), clock, SOURCE), clock), clock


async def test_one_runner_claims_a_call_and_a_repeat_gets_its_answer() -> None:
    keyed, _ = calls()
    assert await keyed.answer(KEY, MADE.request) is None
    claim = await keyed.begin(KEY, MADE)
    assert claim is not None
    assert await keyed.begin(KEY, MADE) is None
    repeat = asyncio.create_task(keyed.answer(KEY, MADE.request))
    await asyncio.sleep(0)
    assert not repeat.done()
    await keyed.end(KEY, claim, MADE, ToolAnswer(result=7, request=MADE.request))
    async with asyncio.timeout(60):
        assert await repeat == ToolAnswer(result=7, request=MADE.request)
    assert await keyed.begin(KEY, MADE) is None


async def test_a_key_that_was_used_for_another_request_is_told_at_once_and_nothing_of_the_answer() -> None:
    keyed, _ = calls()
    claim = await keyed.begin(KEY, MADE)
    assert claim is not None
    used = ToolAnswer(request=MADE.request)
    async with asyncio.timeout(60):
        assert await keyed.answer(KEY, "digest of another") == used
        await keyed.end(KEY, claim, MADE, ToolAnswer(result="private", request=MADE.request))
        assert await keyed.answer(KEY, "digest of another") == used


async def test_nobody_knows_how_a_call_ended_that_died_and_a_late_answer_is_not_kept() -> None:
    keyed, clock = calls()
    claim = await keyed.begin(KEY, MADE)
    assert claim is not None
    clock.ahead = timedelta(hours=1)
    async with asyncio.timeout(60):
        answer = await keyed.answer(KEY, MADE.request)
    assert answer is not None
    assert answer.error is not None
    assert answer.error.kind == ErrorKind.OUTCOME_UNKNOWN
    await keyed.end(KEY, claim, MADE, ToolAnswer(result=7, request=MADE.request))
    assert await keyed.answer(KEY, MADE.request) == answer
