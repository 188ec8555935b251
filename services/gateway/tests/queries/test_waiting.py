"""What operators look for in the tables: sessions that may wait in vain, calls with an unknown outcome."""

from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from agent_contracts.address import Address
from gateway.queries.database import Postgres
from gateway.queries.waiting import for_something, unknown_outcomes

Tables = psycopg.AsyncConnection[Any]
BEFORE = "2026-01-31T12:00:00Z"


async def put(tables: Tables, table: str, **row: Any) -> None:
    names, values = ", ".join(row), ", ".join(f"%({name})s" for name in row)
    adapted = {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in row.items()}
    await tables.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", adapted)


async def put_session(tables: Tables, session_id: str, status: str, **more: Any) -> None:
    row = {
        "agent_id": "default",
        "depth": 0,
        "status": status,
        "token_limit": 1000,
        "input_tokens": 0,
        "output_tokens": 0,
        "cached_input_tokens": 0,
        "model_call_count": 0,
        "waiting_calls": [],
        "created_at": BEFORE,
        "updated_at": BEFORE,
        "last_sequence": 1,
    }
    await put(tables, "sessions", session_id=session_id, **{**row, **more})


async def put_event(tables: Tables, sequence: int, session_id: str, kind: str, body: dict[str, Any]) -> None:
    await put(
        tables,
        "events",
        place=Address(sequence).place,
        subject=f"ses.default.1.{session_id}.in.{kind}",
        session_id=session_id,
        agent_id="default",
        type=f"foldline.session.{kind}.v1",
        time=BEFORE,
        body=body,
    )


async def test_quiet_sessions_that_work_or_were_told_something_are_looked_at(
    projections: Tables, postgres_dsn: str
) -> None:
    await put_session(projections, "s_running", "running")
    await put_session(projections, "s_waiting", "waiting_for_input")
    await put_session(projections, "s_idle", "idle")
    await put_session(projections, "s_done", "completed", last_sequence=7)
    await put_session(projections, "s_told", "idle", last_sequence=8)
    await put_session(projections, "s_busy", "running", updated_at="2126-01-01T00:00:00Z")
    for sequence, session in ((7, "s_done"), (8, "s_told")):
        await put_event(projections, sequence, session, "user_message", {"text": "hi"})
    database = Postgres(postgres_dsn)
    await database.open()
    async with database.snapshot() as snapshot:
        assert set(await for_something(snapshot, 60.0, 10)) == {"s_running", "s_waiting", "s_told"}
        assert len(await for_something(snapshot, 60.0, 1)) == 1
    await database.close()


async def test_an_unknown_outcome_is_listed_until_somebody_settles_it(
    projections: Tables, postgres_dsn: str
) -> None:
    await put_session(projections, "s_1", "idle")
    for call, kind in (("c1", "outcome_unknown"), ("c2", "outcome_unknown"), ("c3", "timeout")):
        await put(
            projections,
            "tool_calls",
            session_id="s_1",
            call_id=call,
            position=0,
            tool="send_mail",
            arguments={"to": "a"},
            status="failed",
            error={"kind": kind, "message": "?"},
            finished_at=BEFORE,
        )
    await put_event(projections, 5, "s_1", "outcome_settled", {"call_id": "c1", "happened": True})
    database = Postgres(postgres_dsn)
    await database.open()
    async with database.snapshot() as snapshot:
        assert [one.call_id for one in await unknown_outcomes(snapshot, None, 10, settled=False)] == ["c2"]
        every = await unknown_outcomes(snapshot, "default", 10, settled=True)
        assert [(one.call_id, one.happened) for one in every] == [("c1", True), ("c2", None)]
        assert await unknown_outcomes(snapshot, "other", 10, settled=True) == []
    await database.close()
