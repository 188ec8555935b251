"""What an app called: each call with its beginning and its end, newest first, of that app alone."""

from typing import Any

import pytest

from agent_contracts.log.address import Address
from foldline_testing.gateway.running import RunningGateway, Start
from foldline_testing.gateway.tables import Tables, at, put
from gateway.queries.app_calls import LONGEST

CALL = "m000003-00"


@pytest.fixture
async def session(start: Start, projections: Tables, postgres_dsn: str) -> tuple[RunningGateway, str]:
    await put(projections, "checkpoint", consumer="projector", sequence=9_999, version="test")
    gateway = await start(dsn=postgres_dsn)
    made = await gateway.client.post("/api/v1/sessions", json={})
    return gateway, made.json()["id"]


async def listed(gateway: RunningGateway, session: str, call: str = CALL, **params: Any) -> Any:
    answer = await gateway.client.get(f"/api/v1/sessions/{session}/calls/{call}/app-calls", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def put_call(tables: Tables, second: int, session: str, answer: Any = None, **more: Any) -> None:
    """A call's beginning, or (with an answer) its end at the second after."""
    by_app = {"session_id": session, "of": CALL, "arguments": {"n": second}, "verdict": "allow", "rule": "r"}
    value = {"name": "apps__keep", "request": "d", "by_app": {**by_app, **more}}
    name = f"a_{second}"
    body = {"kind": "call", "name": name, "value": value, "version": 1}
    place = second
    if answer is not None:
        place = second + 1
        body = {**body, "value": {**value, "answer": answer}, "version": 2, "replaced": second}
    await put(
        tables,
        "events",
        place=Address(place).place,
        subject=f"agt.default.call.{name}",
        agent_id="default",
        type="foldline.agent.entity_written.v1",
        time=at(place),
        body=body,
    )


async def test_a_call_is_told_once_with_how_it_ended(
    session: tuple[RunningGateway, str], projections: Tables
) -> None:
    gateway, session_id = session
    assert await listed(gateway, session_id) == {"items": [], "next_cursor": None}
    await put_call(projections, 3, session_id)
    (begun,) = (await listed(gateway, session_id))["items"]
    assert (begun["call_id"], begun["finished_at"], begun["address"]) == ("a_3", None, "3")
    await put_call(projections, 3, session_id, {"result": {"text": "x" * 9_000}, "request": "d"})
    (ended,) = (await listed(gateway, session_id))["items"]
    assert ended == {
        "call_id": "a_3",
        "requested_at": at(3),
        "finished_at": at(4),
        "tool": "apps__keep",
        "arguments": '{"n": 3}',
        "result": ('{"text": "' + "x" * 9_000)[:LONGEST],
        "error": None,
        "verdict": "allow",
        "rule": "r",
        "approved": False,
        "address": "4",
    }


async def test_what_failed_says_why_and_other_apps_have_their_own(
    session: tuple[RunningGateway, str], projections: Tables
) -> None:
    gateway, session_id = session
    error = {"kind": "outcome_unknown", "message": "the host died"}
    await put_call(projections, 3, session_id, approved=True, verdict="ask")
    await put_call(projections, 3, session_id, {"error": error, "request": "d"}, approved=True, verdict="ask")
    await put_call(projections, 5, "s_other")
    await put_call(projections, 7, session_id, of="m000009-00")
    (one,) = (await listed(gateway, session_id))["items"]
    assert (one["error"]["kind"], one["verdict"], one["approved"]) == ("outcome_unknown", "ask", True)
    assert one["result"] is None
    assert len((await listed(gateway, session_id, "m000009-00"))["items"]) == 1


async def test_pages(session: tuple[RunningGateway, str], projections: Tables) -> None:
    gateway, session_id = session
    for second in (1, 5, 9, 11):
        await put_call(projections, second, session_id)
    await put_call(projections, 5, session_id, {"result": 1, "request": "d"})
    seen: list[str] = []
    cursor = None
    while True:
        page = await listed(gateway, session_id, limit=2, **({"cursor": cursor} if cursor else {}))
        seen += [one["call_id"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == ["a_11", "a_9", "a_5", "a_1"]
    for session_of, params in (("s_none", {}), (session_id, {"cursor": "x"})):
        url = f"/api/v1/sessions/{session_of}/calls/{CALL}/app-calls"
        assert (await gateway.client.get(url, params=params)).status_code in (404, 422)


async def test_one_event_is_shown_to_whoever_asks_for_it_by_its_agent(
    session: tuple[RunningGateway, str],
) -> None:
    gateway, session_id = session
    created = (await gateway.client.get(f"/api/v1/sessions/{session_id}/events")).json()["items"][0]

    async def status(agent: str, address: str) -> int:
        return (await gateway.client.get(f"/api/v1/agents/{agent}/events/{address}")).status_code

    answer = await gateway.client.get(f"/api/v1/agents/default/events/{created['address']}")
    assert answer.json() == created
    assert await status("another", created["address"]) == 404
    assert await status("default", "99999") == 404
    assert await status("default", "0") == 422
