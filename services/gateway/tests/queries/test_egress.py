"""What left the machine: each request of each call, newest first, by host, session and verdict."""

from typing import Any

import pytest

from agent_contracts.log.address import Address
from foldline_testing.gateway.running import RunningGateway, Start
from foldline_testing.gateway.tables import Tables, at, put, put_event, put_session


@pytest.fixture
async def reading(start: Start, projections: Tables, postgres_dsn: str) -> RunningGateway:
    await put(projections, "checkpoint", consumer="projector", sequence=0, version="test")
    return await start(dsn=postgres_dsn)


async def left(gateway: RunningGateway, **params: Any) -> Any:
    answer = await gateway.client.get("/api/v1/egress", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def request(host: str, verdict: str = "sent", **more: Any) -> dict[str, Any]:
    return {"host": host, "method": "GET", "path": "/p", "verdict": verdict, **more}


async def put_sent(tables: Tables, second: int, session: str, *requests: dict[str, Any]) -> None:
    body = {"call_id": f"c_{second}", "sent": {"requests": list(requests)}}
    await put_event(tables, second, session, "tool_call_completed", body)


async def test_a_request_is_told_with_its_call_and_what_it_carried(
    reading: RunningGateway, projections: Tables
) -> None:
    assert await left(reading) == {"items": [], "next_cursor": None}
    await put_session(projections, "s_1", "idle")
    sent = request("a.example", bytes_out=120, bytes_in=30, status=200, secrets=["KEY"])
    await put_sent(projections, 3, "s_1", sent)
    await put_event(projections, 4, "s_1", "tool_call_completed", {"call_id": "c_4"})
    (one,) = (await left(reading))["items"]
    assert one == {
        "recorded_at": at(3),
        "agent_id": "default",
        "session_id": "s_1",
        "title": "About s_1",
        "call_id": "c_3",
        "tool": None,
        "sequence": 3,
        **sent,
    }


async def test_what_an_app_called_is_told_with_the_call_that_brought_the_app(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_1", "idle")
    await put_sent(projections, 3, "s_1", request("a.example"))
    by_app = {"session_id": "s_1", "of": "c_3", "arguments": {}, "verdict": "allow", "rule": "r"}
    answer = {"sent": {"requests": [request("b.example", bytes_out=9)]}, "request": "d"}
    body = {
        "kind": "call",
        "name": "a_1",
        "value": {"name": "apps__keep", "by_app": by_app, "answer": answer},
    }
    await put(
        projections,
        "events",
        place=Address(5).place,
        subject="agt.default.call.a_1",
        agent_id="default",
        type="foldline.agent.entity_written.v1",
        time=at(5),
        body=body,
    )
    first, second = (await left(reading, session_id="s_1"))["items"]
    assert (first["host"], first["tool"], first["call_id"], first["sequence"]) == (
        "b.example",
        "apps__keep",
        "c_3",
        5,
    )
    assert second["host"] == "a.example"
    assert (await left(reading, session_id="s_2"))["items"] == []


async def test_pages_and_filters(reading: RunningGateway, projections: Tables) -> None:
    for session in ("s_1", "s_2", "s_gone"):
        await put_session(projections, session, "idle")
    await put_sent(projections, 1, "s_1", request("a.example"), request("api.a.example", "asked"))
    await put_sent(projections, 2, "s_2", request("b.example"), request("nota.example", "blocked"))
    await put_sent(projections, 3, "s_gone", request("a.example"))
    await put(projections, "erasures", name="s_gone", agent_id="default", sequence=9)

    async def hosts(**params: Any) -> list[str]:
        return [one["host"] for one in (await left(reading, **params))["items"]]

    everything = ["nota.example", "b.example", "api.a.example", "a.example"]
    assert await hosts() == everything
    assert await hosts(host="A.example") == ["api.a.example", "a.example"]
    assert await hosts(verdict="asked") == ["api.a.example"]
    assert await hosts(session_id="s_2") == ["nota.example", "b.example"]
    assert await hosts(agent_id="another") == []
    seen: list[str] = []
    cursor = None
    while True:
        page = await left(reading, limit=1, **({"cursor": cursor} if cursor else {}))
        seen += [one["host"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == everything


@pytest.mark.parametrize("params", [{"verdict": "lost"}, {"host": "a\x00b"}, {"limit": 0}, {"cursor": "x"}])
async def test_what_cannot_be_asked_for_is_refused(reading: RunningGateway, params: dict[str, Any]) -> None:
    answer = await reading.client.get("/api/v1/egress", params=params)
    assert answer.status_code == 422, answer.text
