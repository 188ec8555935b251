"""What an agent made, as a person reads, switches, deletes and reverts it."""

from typing import Any

import msgspec
import pytest

from agent_contracts.entities.definitions import (
    ComponentDefinition,
    LibraryDefinition,
    SkillDefinition,
    ToolDefinition,
)
from agent_contracts.ids import CallId, SessionId
from agent_contracts.kinds.component import COMPONENT
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.kinds.kind import ThingKind
from agent_contracts.kinds.library import LIBRARY
from agent_contracts.kinds.skill import SKILL
from agent_contracts.kinds.tool import TOOL
from agent_domain.definitions import create, to_json, update
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.gateway.running import AGENT, RunningGateway

CODE = ToolDefinition("d", {"type": "object"}, "return 1")
MADE: list[tuple[str, ThingKind[Any], Any]] = [
    ("tools", TOOL, CODE),
    ("functions", FUNCTION, CODE),
    ("libraries", LIBRARY, LibraryDefinition("d", "exports.a = 1")),
    ("components", COMPONENT, ComponentDefinition("d", "export default 1")),
    ("skills", SKILL, SkillDefinition("d", "content", ("t",))),
]


@pytest.mark.parametrize(("path", "kind", "first"), MADE, ids=[one[0] for one in MADE])
async def test_it_is_read_listed_deleted_and_reverted(
    gateway: RunningGateway, path: str, kind: Any, first: Any
) -> None:
    entities, key = gateway.entities, EntityKey(AGENT, kind.kind, "my-own 1")
    second = msgspec.structs.replace(first, description="other")
    await create(entities, key, kind, first, EntityWriter.user("e1"))
    await update(entities, key, kind, lambda found: second, EntityWriter.user("e2"))

    async def ask(method: str, rest: str = "", **more: Any) -> Any:
        answer = await gateway.client.request(method, f"/api/v1/agents/default/{path}{rest}", **more)
        return answer.json() if answer.status_code < 400 else answer.status_code

    one = "/my-own%201"
    read = await ask("GET", one)
    assert (read["definition"], read["version"]) == (to_json(second), 2)
    (listed,) = (await ask("GET"))["items"]
    assert (listed["name"], listed["description"], listed["enabled"]) == ("my-own 1", "other", True)
    assert [each["version"] for each in (await ask("GET", f"{one}/versions"))["items"]] == [2, 1]
    assert (await ask("GET", f"{one}/versions/1"))["definition"] == to_json(first)
    reverted = await ask("POST", f"{one}:revert", json={"version": 1})
    assert (reverted["definition"], reverted["version"]) == (to_json(first), 3)
    off = await ask("PATCH", f"{one}", json={"enabled": False})
    assert off in (404, 405) if path in ("libraries", "components") else off["definition"]["enabled"] is False
    assert (await ask("DELETE", one))["deleted"] is True
    assert (await ask("DELETE", one))["deleted"] is False
    assert await ask("GET", one) == 404
    again = await ask("POST", f"{one}:revert", json={"sequence": read["sequence"]})
    assert (again["definition"], again["version"]) == (to_json(second), 1)


async def test_a_version_leads_to_its_event_and_to_the_call_that_made_it(gateway: RunningGateway) -> None:
    entities, key = gateway.entities, EntityKey(AGENT, TOOL.kind, "one")
    by_call = EntityWriter.call(SessionId("s1"), CallId("c1"), 1, since=1)
    await create(entities, key, TOOL, CODE, by_call)
    await update(
        entities, key, TOOL, lambda found: msgspec.structs.replace(found, code="2"), EntityWriter.user("e")
    )

    async def get(rest: str) -> Any:
        return (await gateway.client.get(f"/api/v1/agents/{rest}")).json()

    second, first = (await get("default/tools/one/versions"))["items"]
    assert (first["session_id"], first["call_id"], first["causation"]) == ("s1", "c1", 1)
    assert (second["actor"], second["causation"]) == ("user", None)
    event = await get(f"default/events/{first['sequence']}")
    assert (event["type"], event["causation"]) == ("foldline.agent.entity_written.v1", 1)
    assert event["body"]["value"] == to_json(CODE)
    assert (await get(f"other/events/{first['sequence']}"))["kind"] == "not_found"
    assert (await get("default/events/999999"))["kind"] == "not_found"


PLAYBOOK_BODY: dict[str, Any] = {
    "description": "Publish the report",
    "workflow": [{"step_id": "1", "description": "Write it", "tool_name": "write_file", "purpose": "text"}],
}


async def test_a_playbook_is_written_by_people_with_versions_and_a_way_back(
    gateway: RunningGateway,
) -> None:
    path = "/api/v1/agents/default/playbooks/pb_report"
    made = await gateway.client.put(path, json=PLAYBOOK_BODY)
    assert (made.status_code, made.json()["version"]) == (200, 1), made.text
    assert made.json()["definition"]["workflow"][0]["tool_name"] == "write_file"
    assert (await gateway.client.put(path, json=PLAYBOOK_BODY)).json()["version"] == 1
    other = {**PLAYBOOK_BODY, "description": "Publish it well", "version": 1}
    assert (await gateway.client.put(path, json=other)).json()["version"] == 2
    assert (await gateway.client.put(path, json=other)).status_code == 409
    back = (await gateway.client.post(f"{path}:revert", json={"version": 1})).json()
    assert (back["definition"]["description"], back["version"]) == ("Publish the report", 3)
    (listed,) = (await gateway.client.get("/api/v1/agents/default/playbooks")).json()["items"]
    assert (listed["name"], listed["description"]) == ("pb_report", "Publish the report")


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"workflow": []}, "/workflow"),
        ({"description": ""}, "/description"),
        ({"workflow": [{"step_id": "1"}]}, "/workflow/0/description"),
        ({"workflow": [{**PLAYBOOK_BODY["workflow"][0], "purpose": 1}]}, "/workflow/0/purpose"),
        ({"workflow": [{**PLAYBOOK_BODY["workflow"][0], "tool": "x"}]}, "/workflow/0/tool"),
    ],
)
async def test_what_can_not_be_a_playbook_is_refused_by_its_path(
    gateway: RunningGateway, change: dict[str, Any], path: str
) -> None:
    refused = await gateway.client.put(
        "/api/v1/agents/default/playbooks/pb", json={**PLAYBOOK_BODY, **change}
    )
    assert (refused.status_code, refused.json()["path"]) == (422, path), refused.text
    assert (await gateway.client.get("/api/v1/agents/default/playbooks")).json()["items"] == []
