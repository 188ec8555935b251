"""Rows written straight into the tables, for tests of what reads them."""

from typing import Any

import msgspec
import psycopg
from psycopg.types.json import Jsonb

from agent_contracts.log.address import Address
from agent_contracts.session_events.results import Usage
from agent_contracts.sessions.session_view import TokensUsed

_INPUTS = ("user_message", "outcome_settled")
Tables = psycopg.AsyncConnection[Any]


def used(input: int, output: int, **more: Any) -> Any:
    """A usage as rows have it."""
    return msgspec.to_builtins(TokensUsed.of(Usage(input, output, **more)))


def at(second: int) -> str:
    """A moment, by its second."""
    return f"2026-01-31T12:00:{second:02d}.000Z"


async def put(tables: Tables, table: str, **row: Any) -> None:
    """One row."""
    names, values = ", ".join(row), ", ".join(f"%({name})s" for name in row)
    adapted = {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in row.items()}
    await tables.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", adapted)


async def put_session(tables: Tables, session_id: str, status: str, second: int = 0, **more: Any) -> None:
    """A session that used 1,001 of its 1,000 tokens, changed at `second`."""
    row = {
        "agent_id": "default",
        "depth": 0,
        "title": f"About {session_id}",
        "status": status,
        "token_limit": 1000,
        "usage": used(900, 101),
        "model_call_count": 0,
        "waiting_calls": [],
        "created_at": at(0),
        "active_at": at(second),
        "updated_at": at(second),
        "last_sequence": 1,
    }
    await put(tables, "sessions", session_id=session_id, **{**row, **more})


async def put_event(tables: Tables, sequence: int, session_id: str, kind: str, body: dict[str, Any]) -> None:
    """An event of a session, at the second of its sequence."""
    side = "in" if kind in _INPUTS else "ev"
    await put(
        tables,
        "events",
        place=Address(sequence).place,
        subject=f"ses.default.1.{session_id}.{side}.{kind}",
        session_id=session_id,
        agent_id="default",
        type=f"foldline.session.{kind}.v1",
        time=at(sequence),
        body=body,
    )
