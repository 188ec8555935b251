"""Calls that wait for a yes: exactly these, of any agent but bisect's probes, in pages."""

from typing import Any

import pytest

from foldline_testing.gateway.running import RunningGateway, Start
from foldline_testing.gateway.tables import Tables, at, put, put_session

_PAGE_READ = {"kind": "web", "name": "news.example", "address": "s_1:4"}
_COVERS = {"tool": "fetch_url", "host": "shop.example", "method": "POST"}

_WHERE = {"host": "shop.example", "method": "POST", "path": "/buy", "query": "q=1", "query_length": 900}


async def put_asked(tables: Tables, session_id: str, call_id: str, second: int, **show: Any) -> None:
    asked = {"kind": "approval", "tool": "fetch_url", "rule": "Sending asks", "version": 2, **show}
    await put(
        tables,
        "tool_calls",
        session_id=session_id,
        call_id=call_id,
        position=0,
        tool="fetch_url",
        arguments={"url": "https://shop.example/buy"},
        status="pending",
        runs_on="engine",
        show=asked,
        requested_at=at(second),
    )


@pytest.fixture
async def reading(start: Start, projections: Tables, postgres_dsn: str) -> RunningGateway:
    await put(projections, "checkpoint", consumer="projector", sequence=0, version="test")
    return await start(dsn=postgres_dsn)


async def waiting(gateway: RunningGateway, **params: Any) -> Any:
    answer = await gateway.client.get("/api/v1/approvals", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_call_is_told_with_all_that_a_person_decides_by(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_1", "waiting_for_input")
    await put_asked(projections, "s_1", "c_1", 3, covers=_COVERS, outside=[_PAGE_READ], run=True, **_WHERE)
    asks = {"tool": "shop__order", "arguments": {"item": "tea"}, "exact": "0f"}
    await put_asked(projections, "s_1", "c_0", 2, asks=asks)
    told = await waiting(reading)
    assert told["items"].pop()["asks"] == {"tool": "shop__order", "arguments": {"item": "tea"}}
    assert told == {
        "items": [
            {
                "id": "s_1.c_1",
                "agent_id": "default",
                "session_id": "s_1",
                "title": "About s_1",
                "call_id": "c_1",
                "tool": "fetch_url",
                "arguments": {"url": "https://shop.example/buy"},
                "rule": "Sending asks",
                "version": 2,
                "covers": _COVERS,
                "commands": None,
                "outside": [_PAGE_READ],
                "before": None,
                "run": True,
                "where": _WHERE,
                "asks": None,
                "requested_at": at(3),
            }
        ],
        "total": 2,
        "next_cursor": None,
    }


async def test_what_waits_no_more_what_is_deleted_and_what_a_bisect_tries_are_left_out(
    reading: RunningGateway, projections: Tables
) -> None:
    for session, status, agent_id in (
        ("s_waits", "waiting_for_input", "default"),
        ("s_over", "idle", "default"),
        ("s_deleted", "waiting_for_input", "default"),
        ("s_probe", "waiting_for_input", "probe_1"),
    ):
        await put_session(projections, session, status, agent_id=agent_id)
        await put_asked(projections, session, "c_1", 1)
    await put(projections, "erasures", name="s_deleted", agent_id="default", sequence=9)
    assert [one["session_id"] for one in (await waiting(reading))["items"]] == ["s_waits"]
    # Whoever asks for the agent of a probe sees what it waits for.
    assert [one["session_id"] for one in (await waiting(reading, agent_id="probe_1"))["items"]] == ["s_probe"]


async def test_pages_go_on_where_the_last_one_ended_also_among_those_of_one_instant(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_1", "waiting_for_input")
    for number in range(5):
        await put_asked(projections, "s_1", f"c_{number}", 1)
    seen, cursor = [], None
    for _ in range(3):
        page = await waiting(reading, limit=2, **({"cursor": cursor} if cursor else {}))
        assert page["total"] == 5
        seen += [one["call_id"] for one in page["items"]]
        cursor = page["next_cursor"]
    assert (seen, cursor) == (["c_4", "c_3", "c_2", "c_1", "c_0"], None)
