"""What operators look for in the tables: sessions that may wait in vain, calls with an unknown outcome."""

from foldline_testing.gateway.tables import Tables, at, put, put_event, put_session
from gateway.queries import cursors
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
        found, end = await for_something(snapshot, 60.0, None, 10)
        assert (set(found), end) == ({"s_running", "s_waiting", "s_told"}, None)
        pages, cursor = [], None
        for _ in found:
            page, then = await for_something(snapshot, 60.0, cursors.read(cursor), 1)
            pages += page
            cursor = then
        assert (pages, cursor) == (found, None)
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
        open_ones = await unknown_outcomes(snapshot, None, None, 10, settled=False)
        assert [one.call_id for one in open_ones.items] == ["c2"]
        every = await unknown_outcomes(snapshot, "default", None, 10, settled=True)
        assert [(one.call_id, one.happened) for one in every.items] == [("c2", None), ("c1", True)]
        first = await unknown_outcomes(snapshot, "default", None, 1, settled=True)
        rest = await unknown_outcomes(snapshot, "default", cursors.read(first.next_cursor), 1, settled=True)
        assert ([*first.items, *rest.items], rest.next_cursor) == (every.items, None)
        assert (await unknown_outcomes(snapshot, "other", None, 10, settled=True)).items == []
    await database.close()
