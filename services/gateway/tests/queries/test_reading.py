"""What people look at comes from the projections, exactly and in pages."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import psycopg
import pytest
from psycopg.types.json import Jsonb

from agent_contracts.log.address import Address
from foldline_testing.agent_platform.servers import PostgresForTests
from foldline_testing.gateway.running import RunningGateway, Start
from foldline_testing.gateway.tables import put_event, used

Tables = psycopg.AsyncConnection[Any]
TIME = "2026-01-31T12:00:{:02d}.5Z"
FILE = {
    "file_id": "f_1",
    "path": "a.csv",
    "media_type": "text/csv",
    "size": 3,
    "version": 1,
    "blob": "0" * 64,
}


async def put(tables: Tables, table: str, **row: Any) -> None:
    names, values = ", ".join(row), ", ".join(f"%({name})s" for name in row)
    adapted = {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in row.items()}
    await tables.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", adapted)


async def put_session(tables: Tables, session_id: str, second: int = 0, **more: Any) -> None:
    row = {
        "agent_id": "default",
        "depth": 0,
        "title": None,
        "status": "idle",
        "token_limit": 1000,
        "usage": used(3, 4, cached_input=2),
        "model_call_count": 0,
        "waiting_calls": [],
        "created_at": TIME.format(second),
        "active_at": TIME.format(second),
        "updated_at": TIME.format(second),
        "last_sequence": 1,
    }
    for column in ("inherited", "segments"):
        if column in more:
            more[column] = [
                [owner, Address(after).place, end_of(up_to)] for owner, after, up_to in more[column]
            ]
    await put(tables, "sessions", session_id=session_id, **{**row, **more})


def end_of(sequence: int | None) -> int | None:
    return None if sequence is None else Address(sequence).end


async def put_message(tables: Tables, session_id: str, sequence: int, text: str, **more: Any) -> None:
    row = {"role": "user", "time": TIME.format(sequence % 60), "body": {}, "place": Address(sequence).place}
    await put(tables, "messages", session_id=session_id, text=text, **{**row, **more})


async def put_call(tables: Tables, session_id: str, call_id: str, **more: Any) -> None:
    row = {"position": 0, "tool": "ask_user", "arguments": {"question": "?"}, "status": "pending"}
    more = {name: Address(value).place if name.endswith("_place") else value for name, value in more.items()}
    await put(tables, "tool_calls", session_id=session_id, call_id=call_id, **{**row, **more})


async def reach(tables: Tables, sequence: int) -> None:
    await tables.execute("DELETE FROM checkpoint")
    await put(tables, "checkpoint", consumer="projector", sequence=sequence, version="test")


@pytest.fixture
async def reading(start: Start, projections: Tables, postgres_dsn: str) -> RunningGateway:
    await reach(projections, 0)
    return await start(dsn=postgres_dsn)


Get = Callable[..., Awaitable[Any]]


async def get(gateway: RunningGateway, path: str, **params: Any) -> Any:
    answer = await gateway.client.get(f"/api/v1{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["kind"]


async def test_a_session_is_shown_with_its_usage_open_calls_children_and_error(
    reading: RunningGateway, projections: Tables
) -> None:
    session = await reading.new_session()
    await put_session(
        projections,
        session,
        title="T",
        status="error",
        model="m",
        error_kind="unreachable",
        error_message="no",
    )
    child: dict[str, Any] = {
        "parent_id": session,
        "parent_call_id": "c2",
        "title": "C",
        "depth": 1,
        "usage": used(3, 30, cached_input=2, cost_micros=40),
    }
    await put_session(projections, "s_child", **child)
    await put_session(
        projections, "s_grandchild", parent_id="s_child", depth=2, usage=used(500, 4, cached_input=2)
    )
    await put_call(projections, session, "c1", show={"kind": "ask_user"}, requested_at=TIME.format(7))
    await put_call(projections, session, "c2", status="completed", result=Jsonb(5))
    await reach(projections, 1)
    shown = await get(reading, f"/sessions/{session}")
    open_calls = shown.pop("open_calls")
    assert shown == {
        "id": session,
        "agent_id": "default",
        "title": "T",
        "status": "error",
        "model": "m",
        "parent_id": None,
        "depth": 0,
        "token_limit": 1000,
        "usage": used(3, 4, cached_input=2),
        "error": {"kind": "unreachable", "message": "no"},
        "failed_turn": None,
        "begun_by": None,
        "thinking": None,
        "pinned": False,
        "found": None,
        "family": [],
        "created_at": "2026-01-31T12:00:00.500Z",
        "active_at": "2026-01-31T12:00:00.500Z",
        "updated_at": "2026-01-31T12:00:00.500Z",
        "last_sequence": 1,
        "forked_from_id": None,
        "forked_from_sequence": None,
        "children": [
            {
                "id": "s_child",
                "title": "C",
                "status": "idle",
                "call_id": "c2",
                "usage": used(3, 30, cached_input=2, cost_micros=40),
            }
        ],
        "queued": [],
        "open_model_call": None,
        "cut_model_call": None,
        "newest_model_call": None,
        "attention": None,
        "forks": [],
        "parent": None,
        "origin": None,
        "usage_with_children": used(506, 38, cached_input=6, cost_micros=40),
    }
    assert [(call["call_id"], call["show"], call["requested_at"]) for call in open_calls] == [
        ("c1", {"kind": "ask_user"}, "2026-01-31T12:00:07.500Z")
    ]


async def test_pages_of_sessions_join_to_the_whole_list_newest_first(
    reading: RunningGateway, projections: Tables
) -> None:
    for n in range(25):
        await put_session(projections, f"s_{n:02d}", second=n // 3)
    found: list[str] = []
    cursor: str | None = None
    while cursor is not None or not found:
        page = await get(reading, "/sessions", limit=10, **({"cursor": cursor} if cursor else {}))
        found += [one["id"] for one in page["items"]]
        cursor = page["next_cursor"]
        await put_session(projections, f"s_new{len(found)}", second=59)  # what is newer moves no page
    assert found == [f"s_{n:02d}" for n in reversed(range(25))]


async def test_those_come_first_in_which_somebody_spoke_last(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_failing", second=1, updated_at=TIME.format(50))
    await put_session(projections, "s_old", created_at=TIME.format(0), active_at=TIME.format(40))
    await put_session(projections, "s_new", second=30)
    listed = [one["id"] for one in (await get(reading, "/sessions"))["items"]]
    assert listed == ["s_old", "s_new", "s_failing"]


async def test_sessions_are_found_by_agent_status_parent_and_words(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_a", agent_id="a1", title="Weather in Oslo")
    await put_session(projections, "s_b", status="running", parent_id="s_a")
    await put_session(projections, "s_c", title="50% of a_b\\c")
    await put_message(projections, "s_b", 5, "It rains in OSLO today")

    async def found(**params: Any) -> set[str]:
        return {one["id"] for one in (await get(reading, "/sessions", **params))["items"]}

    assert await found() == {"s_a", "s_b", "s_c"}
    assert await found(agent_id="a1") == {"s_a"}
    assert await found(status="running") == {"s_b"}
    assert await found(parent_id="s_a") == {"s_b"}
    assert await found(q="oslo") == {"s_a", "s_b"}
    assert await found(q="oslo", agent_id="a1") == {"s_a"}
    await put_message(projections, "s_c", 6, "Bergen", rating="down", rating_text="The wrong CITY")
    assert await found(q="wrong city") == {"s_c"}
    assert (await found(rating="down"), await found(rating="up")) == ({"s_c"}, set())
    listed = await get(reading, "/sessions", q="wrong city")
    assert listed["items"][0]["found"]["snippet"] == [
        {"text": "Bergen The ", "match": False},
        {"text": "wrong", "match": True},
        {"text": " ", "match": False},
        {"text": "CITY", "match": True},
    ]
    assert await found(q="nowhere") == set()
    for literal in ("50%", "a_b", "\\c"):
        assert await found(q=literal) == {"s_c"}
    for pattern in ("%", "_"):
        assert await found(q=pattern) == {"s_c"}
    assert await found(q="'; DROP TABLE sessions; --") == set()


async def test_messages_come_in_pages_with_their_calls_and_where_to_go_on(
    reading: RunningGateway, projections: Tables
) -> None:
    session = await reading.new_session()
    await put_session(projections, session, title="Paged")
    for sequence in range(2, 9):
        await put_message(projections, session, sequence, f"text {sequence}", body={"files": [FILE]})
    answer = {"model": "m1", "usage": used(5, 6), "tool_calls": ["b", "a"]}
    await put_message(projections, session, 9, "", role="assistant", model_call_id="m000002", body=answer)
    await put_call(
        projections,
        session,
        "a",
        message_place=9,
        position=1,
        status="failed",
        error={"kind": "timeout", "message": "slow", "retryable": True},
    )
    await put_call(
        projections, session, "b", message_place=9, position=0, status="completed", result={"x": 1}
    )
    await put_message(
        projections, session, 10, "the model failed", role="error", body={"kind": "unreachable"}
    )
    await put_message(projections, session, 11, "too late", body={"refused": "the session had ended"})
    await reach(projections, 42)
    page = await get(reading, f"/sessions/{session}/messages", limit=4)
    assert [message["sequence"] for message in page["items"]] == [8, 9, 10, 11]
    assert (page["next_cursor"], page["sequence"]) == ("8", 42)
    assert page["session"]["title"] == "Paged"
    said, answered, failed, late = page["items"]
    assert (said["role"], said["text"], said["files"], said["created_at"]) == (
        "user",
        "text 8",
        [FILE],
        "2026-01-31T12:00:08.500Z",
    )
    assert answered["model"] == "m1"
    assert answered["usage"] == used(5, 6)
    first, second = answered["tool_calls"]
    assert (first["call_id"], first["result"], first["error"]) == ("b", {"x": 1}, None)
    assert (second["call_id"], second["error"]) == (
        "a",
        {"kind": "timeout", "message": "slow", "path": None, "retryable": True},
    )
    assert (failed["role"], failed["error_kind"], late["refused"]) == (
        "error",
        "unreachable",
        "the session had ended",
    )
    page = await get(reading, f"/sessions/{session}/messages", limit=4, cursor=page["next_cursor"])
    assert [message["sequence"] for message in page["items"]] == [4, 5, 6, 7]
    assert page["session"] is None
    page = await get(reading, f"/sessions/{session}/messages", limit=4, cursor=page["next_cursor"])
    assert [message["sequence"] for message in page["items"]] == [2, 3]
    assert page["next_cursor"] is None


async def test_a_call_is_shown_whole(reading: RunningGateway, projections: Tables) -> None:
    session = await reading.new_session()
    await reach(projections, await reading.log.last_sequence())
    await put_call(
        projections,
        session,
        "c1",
        status="completed",
        result=None,
        runner="r1",
        accounting={"attempt": 2, "duration_ms": 12, "sampled": [{"asked": "Which?", "answered": "This."}]},
        requested_place=5,
        result_place=6,
        effect="pure",
        runs_on="tools",
        finished_at=TIME.format(9),
        excerpt={"head": "h", "tail": "t", "blob": {"sha256": "x", "size": 1}},
        model_call_id="m000002",
    )
    call = await get(reading, f"/sessions/{session}/calls/c1")
    assert call["excerpt"]["head"] == "h"
    assert (call["runner"], call["finished_at"]) == ("r1", "2026-01-31T12:00:09.500Z")
    assert call["accounting"] == {
        "duration_ms": 12,
        "attempt": 2,
        "usage": None,
        "tasks": [],
        "sent": None,
        "worked": None,
        "sampled": [{"asked": "Which?", "answered": "This."}],
    }
    answer = await reading.client.get(f"/api/v1/sessions/{session}/calls/c2")
    assert refused(answer) == (404, "not_found")


async def test_a_read_waits_for_the_event_it_asks_for(reading: RunningGateway, projections: Tables) -> None:
    while await reading.log.last_sequence() < 7:
        await reading.new_session()
    asking = asyncio.create_task(get(reading, "/sessions", min_sequence=7))
    await asyncio.sleep(0.1)  # sleeps: quiet
    assert not asking.done()
    await put_session(projections, "s_a")
    await reach(projections, 7)
    assert [one["id"] for one in (await asking)["items"]] == ["s_a"]


async def test_a_new_session_is_read_as_soon_as_it_is_projected(
    reading: RunningGateway, projections: Tables
) -> None:
    session = await reading.new_session()
    asking = asyncio.create_task(get(reading, f"/sessions/{session}"))
    await asyncio.sleep(0.1)  # sleeps: quiet
    assert not asking.done()
    await put_session(projections, session)
    await reach(projections, 1)
    assert (await asking)["id"] == session


async def test_a_read_that_waited_too_long_says_how_far_the_projections_are(
    start: Start, projections: Tables, postgres_dsn: str
) -> None:
    gateway = await start(dsn=postgres_dsn, projection_wait_s=0.2)
    await reach(projections, 3)
    while await gateway.log.last_sequence() < 9:
        await gateway.new_session()
    answer = await gateway.client.get("/api/v1/sessions", params={"min_sequence": 9})
    assert refused(answer) == (503, "projection_behind")
    assert "lack the last 6 events" in answer.json()["detail"]
    assert answer.headers["retry-after"]


async def test_an_event_that_does_not_exist_yet_is_not_waited_for(
    start: Start, projections: Tables, postgres_dsn: str
) -> None:
    gateway = await start(dsn=postgres_dsn, projection_wait_s=3600)
    session = await gateway.new_session()
    end = await gateway.log.last_sequence()
    await put_session(projections, session)
    await reach(projections, end)
    for path in ("/sessions", f"/sessions/{session}/messages"):
        answer = await gateway.client.get(f"/api/v1{path}", params={"min_sequence": end + 1})
        assert refused(answer) == (422, "invalid_request")
        assert answer.json()["path"] == "/min_sequence"
        assert f"the log ends at event {end}" in answer.json()["detail"]


async def test_a_list_with_less_than_half_of_the_log_says_that_it_is_being_filled(
    start: Start, projections: Tables, postgres_dsn: str
) -> None:
    gateway = await start(dsn=postgres_dsn, projection_wait_s=0.1)
    while await gateway.log.last_sequence() < 8:
        await gateway.new_session()
    end = await gateway.log.last_sequence()
    await reach(projections, end // 2 - 1)
    answer = await gateway.client.get("/api/v1/sessions")
    assert refused(answer) == (503, "projection_behind")
    assert f"at event {end // 2 - 1} of {end}. Nothing is lost" in answer.json()["detail"]
    await reach(projections, end // 2 + 1)
    assert (await gateway.client.get("/api/v1/sessions")).status_code == 200, "it is only late"


async def test_a_list_says_how_old_it_is(start: Start, projections: Tables, postgres_dsn: str) -> None:
    gateway = await start(dsn=postgres_dsn, projection_wait_s=0.1)
    while await gateway.log.last_sequence() < 8:
        session = await gateway.new_session()
    await put_session(projections, session)
    end = await gateway.log.last_sequence()
    await reach(projections, end - 1)
    headers = (await gateway.client.get("/api/v1/sessions")).headers
    assert headers["foldline-behind"] == "1"
    since = datetime.now(UTC) - datetime.fromisoformat(headers["foldline-as-of"])
    assert timedelta(0) <= since < timedelta(minutes=1)
    newest = await gateway.client.get(f"/api/v1/sessions/{session}/turns/latest")
    assert refused(newest) == (503, "projection_behind"), "there may be a newer one"
    await reach(projections, end)
    headers = (await gateway.client.get("/api/v1/sessions")).headers
    assert (headers["foldline-behind"], "foldline-as-of" in headers) == ("0", False)


async def test_before_the_first_projection_reads_say_so_and_writes_go_on(
    start: Start, postgres_dsn: str
) -> None:
    gateway = await start(dsn=postgres_dsn)
    assert refused(await gateway.client.get("/api/v1/sessions")) == (503, "unavailable")
    assert await gateway.new_session()


async def test_without_postgres_reads_say_so_and_come_back_with_it(
    reading: RunningGateway, projections: Tables, postgres_server: PostgresForTests
) -> None:
    if postgres_server.server is None:
        pytest.skip("this test kills its Postgres")
    await put_session(projections, "s_a")
    await reach(projections, 1_000)
    assert (await get(reading, "/sessions"))["items"]
    postgres_server.server.kill()
    answer = await reading.client.get("/api/v1/sessions")
    assert refused(answer) == (503, "unavailable")
    assert await reading.new_session()
    assert (await reading.client.get("/readyz")).status_code == 200
    postgres_server.server.start_blocking()
    async with asyncio.timeout(20):
        while answer.status_code != 200:
            answer = await reading.client.get("/api/v1/sessions")
    assert [one["id"] for one in answer.json()["items"]] == ["s_a"]


async def test_a_rebuild_that_swaps_the_tables_is_seen_at_once(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_old")
    assert [one["id"] for one in (await get(reading, "/sessions"))["items"]] == ["s_old"]
    async with projections.transaction():
        await projections.execute("ALTER SCHEMA projections RENAME TO projections_old")
        await projections.execute("CREATE SCHEMA projections")
        for table in ("sessions", "messages", "erasures", "events", "checkpoint"):
            await projections.execute(
                f"CREATE TABLE projections.{table} (LIKE projections_old.{table} INCLUDING DEFAULTS)"
            )
        await put_session(projections, "s_new")
    assert [one["id"] for one in (await get(reading, "/sessions"))["items"]] == ["s_new"]
    await projections.execute("DROP SCHEMA projections_old CASCADE")
    assert [one["id"] for one in (await get(reading, "/sessions"))["items"]] == ["s_new"]


async def test_reading_changes_nothing(reading: RunningGateway) -> None:
    async with reading.deps.outside.database.snapshot() as snapshot:
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            await snapshot.rows("CREATE TABLE x (y int)")


async def test_a_forks_messages_page_back_into_those_of_whom_it_was_forked_from(
    reading: RunningGateway, projections: Tables
) -> None:
    fork = await reading.new_session()
    inherited = [["s_first", 0, 12], ["s_second", 20, 24]]
    await put_session(projections, "s_first")
    await put_session(projections, "s_second", forked_from_id="s_first", forked_from_sequence=12)
    await put_session(
        projections,
        fork,
        title="F",
        forked_from_id="s_second",
        forked_from_sequence=24,
        inherited=inherited,
        segments=[*inherited, [fork, 0, None]],
    )
    for owner, sequences in {"s_first": [10, 12, 13], "s_second": [18, 22, 24, 28], fork: [30, 31]}.items():
        for sequence in sequences:
            await put_message(projections, owner, sequence, f"{owner} {sequence}")
    await put_call(projections, "s_second", "c1", message_place=22, position=0)
    await put_call(projections, "s_first", "c1", message_place=12, position=0)
    await reach(projections, 1)
    found: list[Any] = []
    before: str | None = None
    while before is not None or not found:
        page = await get(
            reading, f"/sessions/{fork}/messages", limit=2, **({"cursor": before} if before else {})
        )
        found = page["items"] + found
        before = page["next_cursor"]
    assert [(m["session_id"], m["sequence"], len(m["tool_calls"])) for m in found] == [
        ("s_first", 10, 0),
        ("s_first", 12, 1),
        ("s_second", 22, 1),
        ("s_second", 24, 0),
        (fork, 30, 0),
        (fork, 31, 0),
    ]
    assert {m["hidden_by"] for m in found} == {None}
    shown = await get(reading, f"/sessions/{fork}")
    assert (shown["forked_from_id"], shown["forked_from_sequence"]) == ("s_second", 24)
    assert shown["origin"] == {"id": "s_second", "title": None, "status": "idle"}


async def test_a_session_names_its_forks(reading: RunningGateway, projections: Tables) -> None:
    session = await reading.new_session()
    await put_session(projections, session)
    await put_session(
        projections, "s_fork", second=1, title="F", forked_from_id=session, forked_from_sequence=7
    )
    await reach(projections, 1)
    assert (await get(reading, f"/sessions/{session}"))["forks"] == [
        {"id": "s_fork", "title": "F", "status": "idle", "fork_sequence": 7}
    ]


async def test_a_session_says_what_began_it_and_a_message_who_said_it(
    reading: RunningGateway, projections: Tables
) -> None:
    session = await reading.new_session()
    await put_session(projections, session, begun_by={"what": "schedule", "name": "t_1"})
    await put_message(projections, session, 1, "Look", body={"source": "reminder"})
    await reach(projections, 1)
    assert (await get(reading, f"/sessions/{session}"))["begun_by"] == {"what": "schedule", "name": "t_1"}
    (message,) = (await get(reading, f"/sessions/{session}/messages"))["items"]
    assert message["source"] == "reminder"


async def test_what_a_rewind_hid_is_shown_and_says_which_rewind(
    reading: RunningGateway, projections: Tables
) -> None:
    session = await reading.new_session()
    await put_session(
        projections,
        session,
        inherited=[["s_other", 0, 3]],
        segments=[[session, 0, 6], [session, 10, 12], [session, 20, None]],
    )
    await put_message(projections, "s_other", 2, "elsewhere")
    for sequence in (5, 8, 11, 15, 21):
        await put_message(projections, session, sequence, str(sequence))
    await reach(projections, 1)
    page = await get(reading, f"/sessions/{session}/messages")
    assert {m["sequence"]: m["hidden_by"] for m in page["items"]} == {
        2: "10",
        5: None,
        8: "10",
        11: None,
        15: "20",
        21: None,
    }


async def test_a_summary_names_the_messages_that_it_stands_for(
    reading: RunningGateway, projections: Tables
) -> None:
    session = await reading.new_session()
    await put_session(projections, session)
    body = {"first": 3, "last": 9, "reason": "compaction"}
    await put_message(projections, session, 12, "we talked", role="summary", body=body)
    await reach(projections, 1)
    [summary] = (await get(reading, f"/sessions/{session}/messages"))["items"]
    assert (summary["role"], summary["shadows"]) == ("summary", {"first": 3, "last": 9})


DAYS = [
    ("UTC", {"2026-01-31": 1, "2026-02-01": 2}),
    ("Asia/Tokyo", {"2026-02-01": 2, "2026-02-02": 1}),
    ("America/Los_Angeles", {"2026-01-31": 2, "2026-02-01": 1}),
    ("Asia/Kathmandu", {"2026-01-31": 1, "2026-02-01": 1, "2026-02-02": 1}),
    ("America/Coyhaique", {"2026-01-31": 1, "2026-02-01": 2}),  # newer than many a Postgres' zones
]


async def test_costs_stand_under_the_day_that_it_was_in_any_zone(
    reading: RunningGateway, projections: Tables
) -> None:
    await put_session(projections, "s_1")
    spent = used(1, 1, cost_micros=1)
    for number, at in enumerate(("2026-01-31T15:30", "2026-02-01T07:30", "2026-02-01T18:30")):
        ended = {"status": "completed", "finished_at": datetime.fromisoformat(f"{at}Z")}
        if number:
            row = {"number": number, "model": "a/x", "usage": spent, **ended}
            await put(projections, "model_calls", session_id="s_1", call_id=f"m{number}", **row)
        else:
            await put_call(projections, "s_1", "t1", accounting={"usage": spent}, **ended)
    await reach(projections, 1)
    for zone, days in DAYS:
        found = await get(reading, "/costs", days=3660, timezone=zone)
        calls = Counter[str]()
        for one in found["items"]:
            calls[one["day"]] += one["calls"]
        assert (found["timezone"], calls) == (zone, days)


async def test_costs_are_summed_by_day_agent_and_model(reading: RunningGateway, projections: Tables) -> None:
    now = datetime.now(UTC)
    day = now.date().isoformat()
    await put_session(projections, "s_1")
    await put_session(projections, "s_2", agent_id="other")

    def usage(tokens: int, cost: int | None) -> Any:
        return used(tokens, 1, cached_input=2, cost_micros=cost)

    made: list[tuple[str, str, str, dict[str, Any], datetime]] = [
        ("s_1", "m1", "a/x", usage(10, 70), now),
        ("s_1", "m2", "a/x", usage(20, None), now),
        ("s_1", "m3", "a/y", usage(5, None), now),
        ("s_2", "m1", "a/x", usage(1, 1), now),
        ("s_1", "m4", "a/x", usage(1, 1), now - timedelta(days=9)),
    ]
    for number, (session_id, call_id, model, spent, at) in enumerate(made):
        row = {"number": number, "model": model, "status": "completed", "usage": spent, "finished_at": at}
        await put(projections, "model_calls", session_id=session_id, call_id=call_id, **row)
    failed = {"status": "failed", "accounting": {"usage": usage(3, 8)}, "finished_at": now}
    await put_call(projections, "s_1", "t1", **failed)
    await reach(projections, 1)
    found = await get(reading, "/costs", agent_id="default", days=7)
    told = [(one["model"], one["calls"], one["usage"], one["unpriced_tokens"]) for one in found["items"]]
    assert told == [
        ("a/x", 2, used(30, 2, cached_input=4, cost_micros=70), 21),
        (None, 1, usage(3, 8), 0),
        ("a/y", 1, usage(5, None), 6),
    ]
    assert {one["day"] for one in found["items"]} == {day}
    everyone = await get(reading, "/costs", days=30)
    assert len(everyone["items"]) == 5
    refused = await reading.client.get("/api/v1/costs", params={"timezone": "Mars/Base"})
    assert refused.status_code == 422
    assert "Mars/Base" in refused.text


@pytest.mark.parametrize("path", ["/sessions/{}", "/sessions/{}/messages", "/sessions", "/attention"])
async def test_what_is_in_the_log_is_waited_for_without_asking(
    reading: RunningGateway, projections: Tables, path: str
) -> None:
    session = await reading.new_session()
    await put_session(projections, session, title="before")
    await reach(projections, await reading.log.last_sequence())
    sent = await reading.client.post(f"/api/v1/sessions/{session}/messages", json={"text": "Hi"})
    assert sent.status_code == 202
    asking = asyncio.create_task(get(reading, path.format(session)))
    await projections.execute("UPDATE sessions SET title = 'after'")
    await put_message(projections, session, sent.json()["sequence"], "after")
    await put_event(projections, sent.json()["sequence"], session, "user_message", {})
    await reach(projections, await reading.log.last_sequence())
    told = await asking
    assert path == "/attention" or "after" in str(told)


async def test_other_sessions_are_not_waited_for(reading: RunningGateway, projections: Tables) -> None:
    session = await reading.new_session()
    await put_session(projections, session)
    await reach(projections, await reading.log.last_sequence())
    await reading.new_session()
    assert (await get(reading, f"/sessions/{session}"))["id"] == session


async def test_projections_that_stand_still_give_what_they_have(
    reading: RunningGateway, projections: Tables
) -> None:
    session = await reading.new_session()
    await put_session(projections, session)
    await reach(projections, await reading.log.last_sequence())
    await reading.client.post(f"/api/v1/sessions/{session}/messages", json={"text": "Hi"})
    assert (await get(reading, f"/sessions/{session}"))["id"] == session
    assert len((await get(reading, "/sessions"))["items"]) == 1


async def test_a_session_is_at_work_from_the_moment_at_which_something_was_accepted(
    reading: RunningGateway, projections: Tables
) -> None:
    session = await reading.new_session()
    await put_session(projections, session)
    for woken, status in ((True, "running"), (False, "idle")):
        await projections.execute(f"UPDATE sessions SET woken = {woken}")
        await reach(projections, await reading.log.last_sequence())
        assert (await get(reading, f"/sessions/{session}"))["status"] == status
        for wanted in ("running", "idle"):
            listed = (await get(reading, "/sessions", status=wanted))["items"]
            assert [one["status"] for one in listed] == ([status] if wanted == status else [])
