"""Calls that wait for a person, in any session: for a yes, or for another answer."""

from typing import Any

import msgspec

from agent_contracts.api.waiting import Approval, Approvals, AskedByCode, OpenQuestion, OpenQuestions
from agent_contracts.policies import APPROVAL, WHERE_SHOWN
from agent_contracts.sessions.rendering import ANSWER_SCHEMA, WAITS_FOR_NOBODY
from agent_platform.process.clock import rfc3339
from gateway.queries import cursors
from gateway.queries.cursors import Cursor
from gateway.queries.database import ProjectionSnapshot, Row

_PAGE = """
    WITH waiting AS (
        SELECT c.session_id || '.' || c.call_id AS key, s.agent_id, s.session_id, s.title, c.call_id, c.tool,
               c.arguments, c.show, c.requested_at AS since
        FROM sessions s JOIN tool_calls c USING (session_id)
        WHERE c.status = 'pending' AND (c.show->>'kind' = %(approval)s) = %(for_yes)s
          AND c.show IS NOT NULL AND c.show->>'kind' <> ALL(%(nobody)s)
          AND (%(session_id)s::text IS NULL OR c.session_id = %(session_id)s)
          AND (%(call_id)s::text IS NULL OR c.call_id = %(call_id)s)
          AND s.status IN ('running', 'waiting_for_input')
          AND CASE WHEN %(agent_id)s::text IS NULL THEN NOT starts_with(s.agent_id, 'probe_')
                   ELSE s.agent_id = %(agent_id)s END
          AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.name = s.session_id)
    )
    SELECT *, (SELECT count(*) FROM waiting) AS total FROM waiting
    WHERE %(before)s::timestamptz IS NULL
       OR (since, key) < (%(before)s::timestamptz, %(before_key)s::text)
    ORDER BY since DESC, key DESC LIMIT %(limit)s
"""


class WaitingCalls(msgspec.Struct, frozen=True):
    """Which calls; None: any. Of one agent's sessions, of one session, or one call of it."""

    agent_id: str | None = None
    session_id: str | None = None
    call_id: str | None = None


ONE_SESSION = 200
"""So many of one session are told at most: a model asks for fewer calls at once."""


async def page(
    snapshot: ProjectionSnapshot, wanted: WaitingCalls, after: Cursor | None, limit: int
) -> Approvals:
    """The newest `limit` that come after the cursor and wait for a yes."""
    rows, next_cursor = await _page(snapshot, wanted, after, limit, for_yes=True)
    return Approvals(
        items=[_approval(row) for row in rows],
        total=rows[0]["total"] if rows else 0,
        next_cursor=next_cursor,
    )


async def questions(
    snapshot: ProjectionSnapshot, wanted: WaitingCalls, after: Cursor | None, limit: int
) -> OpenQuestions:
    """The same, of those that wait for another answer."""
    rows, next_cursor = await _page(snapshot, wanted, after, limit, for_yes=False)
    return OpenQuestions(
        items=[_question(row) for row in rows],
        total=rows[0]["total"] if rows else 0,
        next_cursor=next_cursor,
    )


async def _page(
    snapshot: ProjectionSnapshot, wanted: WaitingCalls, after: Cursor | None, limit: int, *, for_yes: bool
) -> tuple[list[Row], str | None]:
    return await cursors.page(
        snapshot,
        _PAGE,
        after,
        limit,
        ("since", "key"),
        **msgspec.structs.asdict(wanted),
        approval=APPROVAL,
        for_yes=for_yes,
        nobody=sorted(WAITS_FOR_NOBODY),
    )


def _question(row: Row) -> OpenQuestion:
    show = row["show"]
    of_row = ("agent_id", "session_id", "title", "call_id", "tool")
    said = (show.get(name) for name in ("question", "title", "message", "reason", "text"))
    return OpenQuestion(
        **{name: row[name] for name in of_row},
        id=row["key"],
        kind=str(show["kind"]),
        text=next((one for one in said if isinstance(one, str) and one), ""),
        options=list(show.get("options") or ()),
        answer_schema=show.get(ANSWER_SCHEMA),
        show=show,
        requested_at=rfc3339(row["since"]),
    )


def _approval(row: Row) -> Approval:
    show = row["show"]
    of_row = ("agent_id", "session_id", "title", "call_id", "tool", "arguments")
    return Approval(
        **{name: row[name] for name in of_row},
        id=row["key"],
        rule=show["rule"],
        version=show["version"],
        covers=show.get("covers"),
        commands=show.get("commands"),
        outside=show.get("outside", []),
        before=show.get("before"),
        run=bool(show.get("run")),
        asks=_asks(show.get("asks")),
        where={name: show[name] for name in WHERE_SHOWN if show.get(name) is not None},
        requested_at=rfc3339(row["since"]),
    )


def _asks(asked: dict[str, Any] | None) -> AskedByCode | None:
    return None if asked is None else AskedByCode(tool=asked["tool"], arguments=asked["arguments"])
