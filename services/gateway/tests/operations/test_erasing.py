"""Deleting a chat: a mark that counts at once, made once, and never for a sub-session alone."""

from collections.abc import Awaitable

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.erasures import Erasure
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import Completed
from agent_contracts.session_events.inputs import Created
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import NewSession
from gateway.operations.sessions.inputs import Inputs

DEFAULT = AgentId("default")


async def begun(memory: InMemory) -> SessionId:
    return SessionId((await memory.operations.creation.create(NewSession(), asked())).id)


async def refused_as(doing: Awaitable[object]) -> str:
    with pytest.raises(Rejected) as caught:
        await doing
    return caught.value.kind


async def mark_of(memory: InMemory, session: SessionId) -> Erasure | None:
    entities = Entities(memory.log, SystemClock(), event_sources.GATEWAY)
    found = await entities.current(EntityKey(DEFAULT, EntityKind.ERASED, session))
    return None if found is None else msgspec.convert(found.value, Erasure)


async def test_it_is_marked_for_its_person_stopped_and_found_by_nobody(memory: InMemory) -> None:
    session, other = await begun(memory), await begun(memory)
    first = await memory.operations.erasing.erase(session, asked())
    mark = await mark_of(memory, session)
    assert mark is not None
    assert (mark.what, mark.named, mark.sessions, mark.by) == ("session", session, (session,), "user")
    assert (mark.done_at, await memory.kinds(session)) == (None, ["created", "archived"])
    assert await refused_as(memory.operations.steering.say(session, "hi", asked())) == "erased"
    await memory.operations.steering.say(other, "hi", asked())
    assert await memory.operations.erasing.erase(session, asked()) == first
    assert await memory.kinds(session) == ["created", "archived"]


async def test_one_that_has_ended_is_marked_and_not_stopped_again(memory: InMemory) -> None:
    session = await begun(memory)
    await memory.operations.steering.archive(session, asked())
    await memory.decided(session, Completed(reason="archived"))
    await memory.operations.erasing.erase(session, asked())
    assert await mark_of(memory, session) is not None
    assert await memory.kinds(session) == ["created", "archived", "completed"]


async def test_a_sub_session_goes_only_with_the_session_that_it_works_for(memory: InMemory) -> None:
    child = SessionId("s_child")
    created = Created(agent_id=DEFAULT, token_limit=9, parent_id=await begun(memory), depth=1)
    await Inputs(memory.log, SystemClock()).append(SessionKey(DEFAULT, child), created, asked())
    assert await refused_as(memory.operations.erasing.erase(child, asked())) == "conflict"
    assert (await mark_of(memory, child), await memory.kinds(child)) == (None, ["created"])
    assert await refused_as(memory.operations.erasing.erase(SessionId("s_nobody"), asked())) == "not_found"
