"""A change that an agent made of itself is undone, where nothing came after it, once."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.api.rewinds import AgentRewound
from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import database_subject
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.event_message import Origin, event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.rewinding_engine import rewinding_engine
from foldline_testing.gateway.running import AGENT, RunningGateway
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.rewind.agent_rewinds import AgentRewinds, RewindScope


def key(name: str, kind: EntityKind = EntityKind.STATE) -> EntityKey:
    return EntityKey(AgentId(AGENT), kind, name)


class Changing:
    """An agent that changes itself, and a person who looks at it."""

    def __init__(self, gateway: RunningGateway) -> None:
        self.gateway = gateway
        self._writes = 0

    async def write(self, one: EntityKey, value: Json, actor: Actor = Actor.AGENT) -> int:
        changed = await self.gateway.entities.write(one, value, self._writer(actor))
        assert changed.sequence is not None
        return changed.sequence

    async def delete(self, one: EntityKey) -> int:
        changed = await self.gateway.entities.delete(one, self._writer(Actor.AGENT))
        assert changed.sequence is not None
        return changed.sequence

    async def undo(self, address: object, status: int = 200, idempotency: str = "") -> Any:
        headers = {"Idempotency-Key": idempotency} if idempotency else {}
        url = f"/api/v1/agents/{AGENT}/changes/{address}:undo"
        answer = await self.gateway.client.post(url, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def value(self, one: EntityKey) -> Json:
        found = await self.gateway.entities.current(one)
        return None if found is None else found.value

    def _writer(self, actor: Actor) -> EntityWriter:
        self._writes += 1
        session = SessionId("s_a") if actor is Actor.AGENT else None
        return EntityWriter(f"w{self._writes}", actor, session, CallId("c") if session else None)


@pytest.fixture
async def agent(gateway: RunningGateway) -> AsyncIterator[Changing]:
    engine = rewinding_engine(gateway)
    engine.start()
    yield Changing(gateway)
    await engine.stop()


async def test_what_was_changed_is_as_before_what_was_made_is_gone_and_what_was_deleted_is_back(
    agent: Changing,
) -> None:
    await agent.write(key("tea"), 1)
    await agent.undo(await agent.write(key("tea"), 2))
    assert await agent.value(key("tea")) == 1
    skill = key("brewing", EntityKind.SKILL)
    await agent.undo(await agent.write(skill, {"description": "d", "content": "c"}))
    assert await agent.value(skill) is None
    await agent.undo(await agent.delete(key("tea")))
    assert await agent.value(key("tea")) == 1


async def test_a_change_that_never_was_is_not_found(agent: Changing) -> None:
    for address in (0, 10**9):
        assert (await agent.undo(address, 404))["kind"] == "not_found"


async def test_the_last_of_several_is_undone_first_and_nobodys_later_change_is_lost(agent: Changing) -> None:
    first = await agent.write(key("tea"), 1)
    await agent.write(key("tea"), 2, Actor.USER)
    problem = await agent.undo(first, 409)
    assert "changed since" in problem["detail"]
    assert await agent.value(key("tea")) == 2


async def test_a_repeat_undoes_it_once_and_the_undoing_can_be_undone(agent: Changing) -> None:
    await agent.write(key("tea"), 1)
    change = await agent.write(key("tea"), 2)
    done = await agent.undo(change, idempotency="one")
    assert await agent.undo(change, idempotency="one") == done
    assert done["rewound"] == {"state": 1}
    url = f"/api/v1/agents/{AGENT}:rewind"
    again = await agent.gateway.client.post(url, json={"to": done["sequence"]})
    assert again.status_code == 200
    assert await agent.value(key("tea")) == 2


async def test_what_was_written_while_one_thought_about_it_is_kept(
    agent: Changing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the newest event and the restore's own, somebody else writes."""
    restore = AgentRewinds.rewind

    async def late(
        self: AgentRewinds, agent_id: AgentId, back: RewindScope, request: IdempotentRequest
    ) -> AgentRewound:
        await agent.write(key("tea"), 3)
        return await restore(self, agent_id, back, request)

    await agent.write(key("tea"), 1)
    change = await agent.write(key("tea"), 2)
    monkeypatch.setattr(AgentRewinds, "rewind", late)
    problem = await agent.undo(change, 409)
    assert "at the same moment" in problem["detail"]
    assert await agent.value(key("tea")) == 3


async def test_of_many_undos_at_once_one_counts_and_the_others_are_told(agent: Changing) -> None:
    await agent.write(key("tea"), 1)
    change = await agent.write(key("tea"), 2)
    url = f"/api/v1/agents/{AGENT}/changes/{change}:undo"
    answers = await asyncio.gather(*(agent.gateway.client.post(url) for _ in range(8)))
    assert sorted(one.status_code for one in answers) == [200] + [409] * 7
    assert await agent.value(key("tea")) == 1
    history = await agent.gateway.entities.history(key("tea"))
    assert len(history) == 3, "it went back once"


async def test_of_two_undos_of_the_database_at_once_one_counts(agent: Changing) -> None:
    subject = database_subject(AgentId(AGENT))
    at = 0
    for number in range(2):
        event = DatabaseWritten(f"insert into t values ({number})", [], 1, "5eed", 1, 1)
        origin = Origin(event_sources.RUNNER, Actor.AGENT, prev=at)
        message, _ = event_message(event, subject, origin, SystemClock(), f"db-{number}")
        at = await agent.gateway.log.append(message)
    url = f"/api/v1/agents/{AGENT}/changes/{at}:undo"
    answers = await asyncio.gather(*(agent.gateway.client.post(url) for _ in range(4)))
    assert sorted(one.status_code for one in answers) == [200, 409, 409, 409]


async def test_what_a_person_did_and_what_is_no_change_is_not_undone_here(agent: Changing) -> None:
    by_person = await agent.write(key("tea"), 1, Actor.USER)
    notepad = await agent.write(key("s_a", EntityKind.NOTEPAD), "mine")
    for address in (by_person, notepad, 10**9):
        await agent.undo(address, 404)
    await agent.undo("nowhere", 422)
