"""Opening an archived session again: an input like any other, refused where there is nothing to open."""

from collections.abc import Awaitable
from typing import Any

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import Completed, Failed
from agent_contracts.session_events.inputs import Created
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.agents.agents import NewAgent
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import NewSession
from gateway.operations.sessions.inputs import Inputs


async def begun(memory: InMemory, **new: Any) -> SessionId:
    return SessionId((await memory.operations.creation.create(NewSession(**new), asked())).id)


async def refusal(doing: Awaitable[object]) -> Rejected:
    with pytest.raises(Rejected) as caught:
        await doing
    return caught.value


async def test_an_archived_session_takes_messages_again_once_it_is_reopened(memory: InMemory) -> None:
    session, steering = await begun(memory), memory.operations.steering
    for decided in (True, False):
        await steering.archive(session, asked())
        if decided:
            await memory.decided(session, Completed(reason="archived"))
        assert (await refusal(steering.say(session, "hi", asked()))).kind == "session_closed"
        await memory.operations.reopening.reopen(session, asked())
        await steering.say(session, "hi", asked())
    assert await memory.kinds(session) == [
        *("created", "archived", "completed", "reopened", "user_message"),
        *("archived", "reopened", "user_message"),
    ]


async def test_a_repeat_of_the_same_key_opens_it_once(memory: InMemory) -> None:
    session, request = await begun(memory), asked("k")
    await memory.operations.steering.archive(session, asked())
    first = await memory.operations.reopening.reopen(session, request)
    await memory.operations.steering.say(session, "hi", asked())
    assert await memory.operations.reopening.reopen(session, request) == first
    assert await memory.kinds(session) == ["created", "archived", "reopened", "user_message"]


async def test_what_is_not_archived_can_not_be_reopened_and_is_told_why(memory: InMemory) -> None:
    session, reopen = await begun(memory), memory.operations.reopening.reopen
    told = await refusal(reopen(session, asked()))
    assert (told.kind, "is not archived" in told.message) == ("not_archived", True)
    await memory.decided(session, Failed(kind="log_corrupt", message="a hole"))
    told = await refusal(reopen(session, asked()))
    assert (told.kind, "fork it instead" in told.message) == ("not_archived", True)
    assert (await refusal(reopen(SessionId("s_nobody"), asked()))).kind == "not_found"
    assert await memory.kinds(session) == ["created", "failed"]


async def test_a_sub_session_stays_closed(memory: InMemory) -> None:
    session, default = SessionId("s_child"), AgentId("default")
    child = Created(agent_id=default, token_limit=9, parent_id=await begun(memory), depth=1)
    await Inputs(memory.log, SystemClock()).append(SessionKey(default, session), child, asked())
    await memory.decided(session, Completed(reason="archived"))
    told = await refusal(memory.operations.reopening.reopen(session, asked()))
    assert (told.kind, "sub-session" in told.message) == ("not_archived", True)


async def test_a_session_whose_agent_was_deleted_stays_closed(memory: InMemory) -> None:
    await memory.operations.agents.make(NewAgent(id=AgentId("other"), name="Other"), asked())
    session = await begun(memory, agent_id=AgentId("other"))
    await memory.operations.deletion.delete(AgentId("other"), asked())
    assert (await refusal(memory.operations.reopening.reopen(session, asked()))).kind == "not_found"
