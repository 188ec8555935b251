"""A page of a long session reads that page, wherever it lies, and not the session."""

from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import Titled
from agent_platform.log.direct import FIRST_PAGE
from agent_platform.log.event_message import event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.origins import origin_of
from foldline_testing.gateway.running import AGENT, RunningGateway
from gateway.queries import messages
from gateway.queries.database import Row

LONG = 10_000
_FILL = """
    INSERT INTO messages (session_id, place, role, text, time, body)
    SELECT 's_' || (n %% 3), n * 4096, 'user', 'text ' || n, now(), '{}'
    FROM generate_series(1, 3 * %(long)s) n;
"""
_CALLS = """
    INSERT INTO tool_calls (session_id, call_id, position, message_place, tool, arguments, status)
    SELECT session_id, 'c_' || place, 0, place, 'look', '{}', 'completed' FROM messages
"""
_SESSION = """
    INSERT INTO sessions (session_id, agent_id, depth, status, token_limit, usage, model_call_count,
                          waiting_calls, created_at, active_at, updated_at, last_sequence, segments)
    VALUES ('s_0', 'default', 0, 'idle', 1, '{"input": 0, "output": 0, "tokens": 0}', 0, '[]',
            now(), now(), now(), 30000, '[["s_0", 0, null]]')
"""


class CountedRows:
    """A `Snapshot` that counts the rows of tables and indexes that its queries look at."""

    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self._connection = connection
        self.looked_at = 0

    async def rows(self, sql: str, **parameters: object) -> list[Row]:
        explained = await self._connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", parameters)
        ((plans,),) = await explained.fetchall()
        self.looked_at += _looked_at(plans[0]["Plan"])
        async with self._connection.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(sql, parameters)
            return list(await cursor.fetchall())


def _looked_at(plan: dict[str, Any]) -> int:
    below = sum(_looked_at(one) for one in plan.get("Plans", []))
    if "Relation Name" not in plan:
        return below
    seen = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    return below + int(seen * plan["Actual Loops"])


@pytest.mark.parametrize(("before", "newest"), [(None, 30_000), (15_000, 14_997), (200, 198)])
async def test_a_page_of_messages_looks_at_no_other_rows(
    projections: psycopg.AsyncConnection[Any], before: int | None, newest: int
) -> None:
    await projections.execute(_FILL, {"long": LONG})
    await projections.execute(_CALLS)
    await projections.execute(_SESSION)
    await projections.execute("ANALYZE")
    snapshot = CountedRows(projections)
    page = await messages.page(snapshot, "s_0", Address(before) if before else None, 50)
    assert [message.sequence for message in page.items] == list(range(newest - 147, newest + 1, 3))
    assert snapshot.looked_at < 4 * 50


async def test_a_page_of_events_fetches_no_other_events(gateway: RunningGateway) -> None:
    session = await gateway.new_session()
    subject = SessionKey(AGENT, SessionId(session)).decision(type_of(Titled(title="")))
    for number in range(2_000):
        message, _ = event_message(
            Titled(title=str(number)), subject, origin_of(Titled(title="")), SystemClock()
        )
        await gateway.connection.publish(message.subject, message.data, headers=dict(message.headers))

    async def all_stored_and_followed() -> int | None:
        stored = await gateway.log.last_sequence()
        return stored if stored > 2_000 and gateway.deps.feed.position == Address(stored).place else None

    newest = await eventually(all_stored_and_followed, within=60)
    client = gateway.connection.client
    for after in (0, newest // 2, newest - 50):
        before = client.stats["in_msgs"]
        answer = await gateway.client.get(
            f"/api/v1/sessions/{session}/events", params={"cursor": after, "limit": 50}
        )
        found = [event["sequence"] for event in answer.json()["items"]]
        assert len(found) == 50
        assert after < found[0] <= found[-1] <= after + 60
        assert client.stats["in_msgs"] - before < FIRST_PAGE + 20
