"""What a policy would have said of past calls, before it is saved."""

from typing import Any

import pytest

from agent_contracts.log.address import Address
from foldline_testing.gateway.running import RunningGateway, Start
from foldline_testing.gateway.tables import Tables, at, put, put_session

URL = "https://a.example/x"


@pytest.fixture
async def reading(start: Start, projections: Tables, postgres_dsn: str) -> RunningGateway:
    await put(projections, "checkpoint", consumer="projector", sequence=0, version="test")
    return await start(dsn=postgres_dsn)


async def tried(gateway: RunningGateway, status: int = 200, **policy: Any) -> Any:
    answer = await gateway.client.post("/api/v1/agents/default/policy:try", json=policy)
    assert answer.status_code == status, answer.text
    return answer.json()


async def put_call(
    tables: Tables, sequence: int, tool: str, arguments: dict[str, Any], **request: Any
) -> None:
    place = Address(sequence).place
    row = {"place": place, "role": "assistant", "text": "", "time": at(sequence), "body": {}}
    await put(tables, "messages", session_id="s_1", **row)
    await put(
        tables,
        "tool_calls",
        session_id="s_1",
        call_id=f"c_{sequence}",
        position=0,
        message_place=place,
        tool=tool,
        arguments=arguments,
        status="completed",
        effect="external",
        requested_place=place + 1,
    )
    kind = "foldline.session.tool_call_requested.v1"
    await put(
        tables, "events", place=place + 1, subject="-", session_id="s_1", type=kind, time=at(1), body=request
    )


async def test_it_is_said_what_would_differ_and_by_which_rule(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_1", "idle")
    await put_call(projections, 1, "fetch_url", {"url": URL})
    await put_call(projections, 2, "fetch_url", {"url": URL, "method": "POST"})
    await put_call(projections, 3, "run_command", {"command": "ls"})
    rule = {"verdict": "deny", "match": {"host": "*.example", "method": "GET"}, "note": "Not there"}
    told = await tried(reading, preset="balanced", rules=[rule])
    assert (told["of"], told["differ"]) == (3, 1)
    assert told["verdicts"] == {"allow": 0, "ask": 2, "deny": 1}
    [one] = told["shown"]
    assert (one["call_id"], one["tool"], one["what"]) == ("c_1", "fetch_url", "GET a.example")
    assert (one["was"], one["would"], one["would_by"]) == ("allow", "deny", "Rule 1: Not there")
    free = await tried(reading, preset="free", rules=[])
    assert free["verdicts"] == {"allow": 3, "ask": 0, "deny": 0}


async def test_it_counts_whether_there_was_material_from_outside_and_whether_the_url_was_known(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_1", "idle")
    outside = [{"kind": "web", "name": "evil.example"}]
    await put_call(projections, 1, "fetch_url", {"url": URL})
    await put_call(projections, 2, "fetch_url", {"url": URL}, outside=outside)
    await put_call(projections, 3, "fetch_url", {"url": URL}, outside=outside, urls=[URL])
    told = await tried(reading, preset="balanced", rules=[])
    assert (told["verdicts"], told["differ"]) == ({"allow": 2, "ask": 1, "deny": 0}, 0)


async def test_what_is_no_policy_is_refused_and_nothing_is_written(reading: RunningGateway) -> None:
    problem = await tried(reading, 422, preset="balanced", rules=[{"verdict": "maybe", "match": {}}])
    assert problem["path"] == "/rules/0/verdict"
    await tried(reading, preset="free", rules=[])
    kept = await reading.client.get("/api/v1/agents/default/policy")
    assert (kept.json()["version"], kept.json()["preset"]) == (0, "balanced")
