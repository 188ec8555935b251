"""What operators look for in the tables: sessions that may wait in vain, calls with an unknown outcome."""

from foldline_testing.gateway.tables import Tables, at, put, put_event, put_session
from gateway.queries.database import Postgres
from gateway.queries.waiting import for_something, unknown_outcomes


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
            finished_at=at(0),
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
