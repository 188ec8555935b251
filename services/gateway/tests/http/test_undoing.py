"""A change that an agent made of itself is undone, where nothing came after it, once."""

from typing import Any

import pytest

from agent_contracts.entities import EntityKind
from agent_contracts.envelope import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_platform.entities.entity import EntityKey, Writer
from gateway.testing.running import AGENT, RunningGateway


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
        url = f"/api/v1/agents/{AGENT}/changes/{address}/undo"
        answer = await self.gateway.client.post(url, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def value(self, one: EntityKey) -> Json:
        found = await self.gateway.entities.current(one)
        return None if found is None else found.value

    def _writer(self, actor: Actor) -> Writer:
        self._writes += 1
        session = SessionId("s_a") if actor is Actor.AGENT else None
        return Writer(f"w{self._writes}", actor, session, CallId("c") if session else None)


@pytest.fixture
async def agent(gateway: RunningGateway) -> Changing:
    return Changing(gateway)


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
    assert done["restored"] == {"state": 1}
    url = f"/api/v1/agents/{AGENT}/restore"
    again = await agent.gateway.client.post(url, json={"to": done["sequence"]})
    assert again.status_code == 200
    assert await agent.value(key("tea")) == 2


async def test_what_a_person_did_and_what_is_no_change_is_not_undone_here(agent: Changing) -> None:
    by_person = await agent.write(key("tea"), 1, Actor.USER)
    notepad = await agent.write(key("s_a", EntityKind.NOTEPAD), "mine")
    for address in (by_person, notepad, 10**9):
        await agent.undo(address, 404)
    await agent.undo("nowhere", 422)
