"""Agents: made once, renamed, several of them, and one that is always there."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from httpx import Response

from agent_contracts.entities.agent_texts import DEFAULT_PROMPT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId
from agent_domain.starters import STARTERS
from agent_platform.log.sealing.checking import LogLost
from agent_platform.nats.connection import Request
from foldline_testing.agent_platform.eventually import eventually, until
from foldline_testing.agent_platform.servers import NatsForTest
from foldline_testing.gateway.running import RunningGateway, Start
from gateway.app import meanwhile

PLURAL = {
    EntityKind.TOOL: "tools",
    EntityKind.FUNCTION: "functions",
    EntityKind.LIBRARY: "libraries",
    EntityKind.COMPONENT: "components",
    EntityKind.SKILL: "skills",
}


async def made(gateway: RunningGateway, **body: Any) -> Any:
    """Make an agent; what is answered."""
    answer = await gateway.client.post("/api/v1/agents", json={"name": "A", **body})
    assert answer.status_code == 201, answer.text
    return answer.json()


def problem(answer: Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["kind"]


async def test_an_agent_is_made_with_the_built_in_prompt_or_its_own(gateway: RunningGateway) -> None:
    answer = await gateway.client.post("/api/v1/agents", json={"name": "Åse's helper"})
    one = answer.json()
    assert answer.headers["location"] == f"/api/v1/agents/{one['id']}"
    assert (one["name"], one["version"], one["id"][:2]) == ("Åse's helper", 1, "a_")
    other = await made(gateway, id="pirate", prompt="Arr.\r\n")
    for agent, prompt in ((one, DEFAULT_PROMPT), (other, "Arr.\r\n")):
        found = (await gateway.client.get(f"/api/v1/agents/{agent['id']}/prompt")).json()
        assert (found["text"], found["version"], found["actor"]) == (prompt, 1, "user")
    assert (await gateway.client.get("/api/v1/agents/pirate")).json() == other


async def test_agents_are_listed_by_id_and_have_sessions_of_their_own(gateway: RunningGateway) -> None:
    for name in ("b", "a"):
        await made(gateway, id=name)
    agents = (await gateway.client.get("/api/v1/agents")).json()["items"]
    assert [agent["id"] for agent in agents] == ["a", "b"]
    answer = await gateway.client.post("/api/v1/sessions", json={"agent_id": "b"})
    assert (answer.status_code, answer.json()["agent_id"]) == (201, "b")


async def test_an_agent_is_renamed_and_keeps_everything_else(gateway: RunningGateway) -> None:
    first = await made(gateway, id="a1")
    answer = await gateway.client.patch("/api/v1/agents/a1", json={"name": "B"})
    assert answer.status_code == 200
    renamed = answer.json()
    assert (renamed["name"], renamed["version"], renamed["created_at"]) == ("B", 2, first["created_at"])
    assert (await gateway.client.patch("/api/v1/agents/a1", json={"name": "B"})).json() == renamed
    assert (await gateway.client.get("/api/v1/agents/a1")).json() == renamed


async def test_an_id_that_is_taken_is_a_conflict_and_changes_nothing(gateway: RunningGateway) -> None:
    await made(gateway, id="a1", name="first")
    last = await gateway.log.last_sequence()
    answer = await gateway.client.post("/api/v1/agents", json={"id": "a1", "name": "second", "prompt": "x"})
    assert problem(answer) == (409, "conflict")
    assert await gateway.log.last_sequence() == last


async def test_a_repeated_creation_makes_one_agent_and_another_body_is_refused(start: Start) -> None:
    one, other = await start(), await start()
    headers = {"Idempotency-Key": "once"}
    body = {"name": "A", "prompt": "P"}
    answers = await asyncio.gather(
        *(gateway.client.post("/api/v1/agents", json=body, headers=headers) for gateway in (one, other) * 3)
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    agent = answers[0].json()["id"]
    await one.client.patch(f"/api/v1/agents/{agent}", json={"name": "B"})
    again = await other.client.post("/api/v1/agents", json=body, headers=headers)
    assert (again.status_code, again.text) == (201, answers[0].text)
    for changed in ({"name": "B", "prompt": "P"}, {"name": "A"}, {"name": "A", "prompt": "P", "id": "a2"}):
        answer = await one.client.post("/api/v1/agents", json=changed, headers=headers)
        assert problem(answer) == (422, "idempotency_mismatch")
    assert len((await one.client.get("/api/v1/agents")).json()["items"]) == 1


def killed_after(gateway: RunningGateway, cut: pytest.MonkeyPatch, appended: int) -> None:
    """From now on the gateway dies once it has sent so many messages to the log, before the answer comes."""
    send, sent = gateway.connection.request_in_turn, 0

    async def request_in_turn(requests: Sequence[Request], **more: Any) -> Any:
        nonlocal sent
        of_agents = [number for number, one in enumerate(requests) if one.subject.startswith("agt.")]
        if sent + len(of_agents) < appended:
            sent += len(of_agents)
            return await send(requests, **more)
        last = of_agents[appended - sent - 1]
        for one in requests[: last + 1]:
            await send([one], **more)
        raise ConnectionError("killed")

    cut.setattr(gateway.connection, "request_in_turn", request_in_turn)


async def definitions_of(gateway: RunningGateway, agent: str) -> dict[str, Any]:
    """All that the agent has made, by kind and name."""
    list_of = gateway.entities.list
    found = [one for kind in PLURAL for one in await list_of(AgentId(agent), kind)]
    return {f"{one.key.kind}/{one.key.name}": one for one in found}


async def test_an_agent_is_made_whole_or_not_at_all_wherever_its_making_was_killed(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway, other = await start(), await start()
    log, whole = gateway.log, len(STARTERS) + 2
    for appended in range(1, whole + 1):
        killed_after(gateway, monkeypatch, appended)
        with pytest.raises(ConnectionError):
            await gateway.agents.make_default()
        monkeypatch.undo()
        assert await log.last_sequence() == (0 if appended < whole else whole), f"killed after {appended}"
    await other.agents.make_default()
    assert await log.last_sequence() == whole
    assert len(await definitions_of(other, "default")) == len(STARTERS)


async def test_a_creation_that_was_killed_is_done_by_its_repeat(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway, other = await start(), await start()
    asked: dict[str, Any] = {
        "json": {"name": "A", "id": "a1", "prompt": "P"},
        "headers": {"Idempotency-Key": "once"},
    }
    for appended in (1, len(STARTERS) + 2):
        killed_after(gateway, monkeypatch, appended)
        assert (await gateway.client.post("/api/v1/agents", **asked)).status_code == 500
        monkeypatch.undo()
    assert (await other.client.post("/api/v1/agents", **asked)).status_code == 201
    assert (await other.client.get("/api/v1/agents/a1/prompt")).json()["text"] == "P"
    assert await gateway.log.last_sequence() == len(STARTERS) + 2


async def test_a_new_agent_has_made_the_starters_unless_it_is_to_have_none(gateway: RunningGateway) -> None:
    await gateway.agents.make_default()
    await made(gateway, id="a1")
    await made(gateway, id="bare", starters=False)
    for agent in ("default", "a1"):
        found = await definitions_of(gateway, agent)
        assert {name: one.value for name, one in found.items()} == {
            f"{one.kind}/{one.name}": one.value for one in STARTERS
        }
        assert {(one.version, one.actor) for one in found.values()} == {(1, Actor.SERVICE)}
    assert await definitions_of(gateway, "bare") == {}


async def test_a_starter_that_was_changed_or_deleted_stays_so(start: Start) -> None:
    gateway = await start()
    await gateway.agents.make_default()
    await made(gateway, id="a1")
    for agent in ("default", "a1"):
        for one in STARTERS:
            name = f"/api/v1/agents/{agent}/{PLURAL[one.kind]}/{one.name}"
            if one.kind is EntityKind.TOOL:
                await gateway.client.patch(f"{name}", json={"enabled": False})
            else:
                assert (await gateway.client.delete(name)).json()["deleted"] is True
    await gateway.client.delete("/api/v1/agents/a1")
    await (await start()).agents.make_default()
    await made(gateway, id="a1")
    for agent in ("default", "a1"):
        left = await definitions_of(gateway, agent)
        assert {name: one.value["enabled"] for name, one in left.items()} == {
            f"tool/{one.name}": False for one in STARTERS if one.kind is EntityKind.TOOL
        }


async def test_the_default_agent_is_made_once_however_many_start(start: Start) -> None:
    gateways = [await start() for _ in range(3)]
    await asyncio.gather(*(gateway.agents.make_default() for gateway in gateways * 2))
    assert await gateways[0].log.last_sequence() == len(STARTERS) + 2
    agents = (await gateways[0].client.get("/api/v1/agents")).json()["items"]
    assert [(agent["id"], agent["name"], agent["version"]) for agent in agents] == [("default", "default", 1)]
    prompt = (await gateways[1].client.get("/api/v1/agents/default/prompt")).json()
    assert (prompt["text"], prompt["version"], prompt["actor"]) == (DEFAULT_PROMPT, 1, "service")


async def test_a_later_start_leaves_the_default_agent_as_it_was_made_since(start: Start) -> None:
    gateway = await start()
    await gateway.agents.make_default()
    await gateway.client.patch("/api/v1/agents/default", json={"name": "Mine"})
    await gateway.client.put("/api/v1/agents/default/prompt", json={"text": "Mine."})
    last = await gateway.log.last_sequence()
    await (await start()).agents.make_default()
    assert await gateway.log.last_sequence() == last


async def test_the_default_agent_is_there_for_whoever_asks_before_it_is_made(gateway: RunningGateway) -> None:
    assert (await gateway.client.get("/api/v1/agents/default")).json()["name"] == "default"


async def test_a_gateway_that_starts_without_a_log_makes_the_default_agent_later(
    start: Start, nats_server: NatsForTest
) -> None:
    gateway = await start()
    nats_server.kill()
    async with meanwhile(gateway.agents.keep_default(), "default agent"):
        await until(lambda: not gateway.connection.is_connected)
        nats_server.restart()
        await eventually(lambda: _there(gateway), within=30)


async def test_over_a_log_that_lost_its_beginning_no_new_default_agent_is_made(
    start: Start, nats_server: NatsForTest
) -> None:
    gateway = await start()
    await made(gateway, id="mine")
    await gateway.connection.api("STREAM.PURGE.LOG", {"seq": 2})
    last = await gateway.log.last_sequence()
    await gateway.agents.keep_default()
    assert await gateway.log.last_sequence() == last
    answer = await gateway.client.get("/api/v1/agents/default")
    assert answer.status_code == 500
    assert "event missing: 1 " in answer.json()["detail"]
    assert "--accept-loss" in answer.json()["detail"]
    with pytest.raises(LogLost):
        await gateway.agents.default_is_there()


async def _there(gateway: RunningGateway) -> bool | None:
    try:
        return len((await gateway.agents.list()).items) == 1 or None
    except Exception:
        return None


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("GET", "/agents/nobody", None, (404, "not_found")),
        ("PATCH", "/agents/nobody", {"name": "x"}, (404, "not_found")),
        ("GET", "/agents/nobody/prompt", None, (404, "not_found")),
        ("PUT", "/agents/nobody/notes", {"text": "x"}, (404, "not_found")),
        ("GET", "/agents/nobody/state", None, (404, "not_found")),
        ("PUT", "/agents/nobody/state/k", {"value": 1}, (404, "not_found")),
        ("GET", "/agents/a.b", None, (422, "invalid_id")),
        ("GET", "/agents/a%2Fb", None, (422, "invalid_id")),
        ("GET", "/agents/%3E/prompt", None, (422, "invalid_id")),
        ("POST", "/agents", {"name": "A", "id": "a.>"}, (422, "invalid_id")),
        ("POST", "/agents", {"name": " "}, (422, "invalid_request")),
        ("POST", "/agents", {"name": "x" * 101}, (422, "invalid_request")),
        ("POST", "/agents", {}, (422, "invalid_request")),
        ("POST", "/agents", {"name": "A", "nickname": "B"}, (422, "invalid_request")),
        ("POST", "/agents", {"name": "A", "prompt": "é" * 600_000}, (413, "too_large")),
        ("PATCH", "/agents/default", {}, (422, "invalid_request")),
        ("DELETE", "/agents/default", None, (409, "conflict")),
        ("DELETE", "/agents/nobody", None, (404, "not_found")),
    ],
)
async def test_what_cant_be_is_refused(
    gateway: RunningGateway, method: str, path: str, body: Any, expected: tuple[int, str]
) -> None:
    answer = await gateway.client.request(method, f"/api/v1{path}", json=body)
    assert problem(answer) == expected


async def test_a_deleted_agent_is_gone_with_its_sessions_archived_and_nothing_leaves_the_log(
    gateway: RunningGateway,
) -> None:
    await made(gateway, id="a1", prompt="Arr.")
    await made(gateway, id="a2")
    open_ones = [await gateway.new_session(agent_id="a1", message="hi") for _ in range(2)]
    closed = await gateway.new_session(agent_id="a1")
    await gateway.client.post(f"/api/v1/sessions/{closed}:archive")
    other = await gateway.new_session(agent_id="a2")

    answer = await gateway.client.delete("/api/v1/agents/a1")
    assert answer.status_code == 200, answer.text
    assert (answer.json()["deleted"], answer.json()["archived"]) == (True, 2)
    agents = (await gateway.client.get("/api/v1/agents")).json()["items"]
    assert [agent["id"] for agent in agents] == ["a2"]
    for path in ("a1", "a1/prompt", "a1/state"):
        assert problem(await gateway.client.get(f"/api/v1/agents/{path}")) == (404, "not_found")
    refused = await gateway.client.post("/api/v1/sessions", json={"agent_id": "a1"})
    assert problem(refused) == (404, "not_found")
    for session in open_ones:
        said = await gateway.client.post(f"/api/v1/sessions/{session}/messages", json={"text": "?"})
        assert problem(said) == (409, "session_closed")
        assert (await gateway.client.get(f"/api/v1/sessions/{session}/events")).json()["items"]
    said = await gateway.client.post(f"/api/v1/sessions/{other}/messages", json={"text": "!"})
    assert said.status_code == 202

    again = (await gateway.client.delete("/api/v1/agents/a1")).json()
    assert (again["deleted"], again["archived"]) == (False, 0)
    await made(gateway, id="a1")
    assert (await gateway.client.get("/api/v1/agents/a1/prompt")).json()["text"] == "Arr."
