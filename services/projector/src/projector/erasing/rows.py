"""Taking the rows of erased sessions out of the tables, as if the log had never held them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection, sql

from agent_contracts.errors import Transient
from agent_contracts.kinds.registry import KINDS
from agent_contracts.log.address import Address
from agent_domain.erasing.scope import Scope
from projections.agent_tables import ENTITIES
from projections.checkpoint import read_checkpoint
from projections.connecting import connected
from projections.log_tables import EVENTS
from projections.schema import CONSUMER, SCHEMA
from projections.session_tables import MESSAGES, MODEL_CALLS, SESSIONS, STAGES, TOOL_CALLS

_OF_SESSIONS = (EVENTS, SESSIONS, STAGES, MESSAGES, TOOL_CALLS, MODEL_CALLS)
_HELD = sql.SQL("SELECT 1 FROM {}.checkpoint FOR UPDATE").format(sql.Identifier(SCHEMA))
_STATEMENTS = tuple(
    sql.SQL(text).format(sql.Identifier(SCHEMA))
    for text in (
        "DELETE FROM {}.events WHERE agent_id = %(agent)s AND subject = ANY(%(subjects)s)",
        "DELETE FROM {}.entities WHERE agent_id = %(agent)s AND name = ANY(%(ids)s)"
        " AND kind = ANY(%(named_so)s)",
        "DELETE FROM {}.events WHERE place = ANY(%(places)s)",
        "DELETE FROM {}.schedule_runs WHERE agent_id = %(agent)s AND sequence = ANY(%(records)s)",
        "DELETE FROM {}.erasures WHERE name = ANY(%(outlived)s)",
    )
)
_NAMED_SO = [kind.value for kind, one in KINDS.items() if one.named == "session"]
_HELD_BY = tuple(
    sql.SQL("DELETE FROM {} WHERE agent_id = %(agent)s AND kind = {} AND value->>{} = ANY(%(ids)s)").format(
        sql.Identifier(SCHEMA, ENTITIES.name), sql.Literal(kind.value), sql.Literal(one.session_in)
    )
    for kind, one in KINDS.items()
    if one.session_in
)
_SEARCHED = "SELECT set_config('search_path', %(schema)s, true), set_config('enable_seqscan', 'off', true)"
_WORDS = """
    SELECT DISTINCT unnest(tsvector_to_array(words_of(text, rating_text))) FROM messages
    WHERE session_id = ANY(%(ids)s)
"""
_FORGET = """
    WITH others AS MATERIALIZED (
        SELECT DISTINCT unnest(tsvector_to_array(words_of(text, rating_text))) AS word
        FROM (SELECT text, rating_text FROM messages LIMIT 2000) AS m
    )
    DELETE FROM message_words w
    WHERE word = ANY(%(words)s) AND word NOT IN (SELECT word FROM others) AND NOT EXISTS (
        SELECT 1 FROM messages m WHERE words_of(m.text, m.rating_text) @@ ('''' || w.word || '''')::tsquery)
"""
"""The words of what was erased that no message has now. Most are in any 2,000 messages, and soon seen."""
Tables = AsyncConnection[tuple[Any, ...]]
_PATIENCE_S = 60.0
_LOOK_S = 0.1


@asynccontextmanager
async def tables(dsn: str) -> AsyncIterator[Tables]:
    """A connection to the tables, for the length of the block."""
    async with connected(dsn, autocommit=True, application_name="projector: erasing") as connection:
        yield connection


async def until_reached(connection: Tables, up_to: int) -> None:
    """Until the tables hold the log's event `up_to`; `Transient` if that takes more than a minute."""
    for _ in range(round(_PATIENCE_S / _LOOK_S)):
        found = await read_checkpoint(connection, SCHEMA, CONSUMER)
        if found is not None and found.sequence >= up_to:
            return
        await asyncio.sleep(_LOOK_S)
    raise Transient(f"the tables have not come to event {up_to} yet")


async def take_out(connection: Tables, scope: Scope, up_to: int) -> None:
    """Take out what the sessions of `scope` left in the tables, once these hold the log's event `up_to`.

    `Transient` if they don't come so far within a minute.
    """
    await until_reached(connection, up_to)
    told = {
        "agent": scope.agent_id,
        "ids": [one.session_id for one in scope.sessions],
        "named_so": _NAMED_SO,
        "subjects": [one for one in scope.of_the_log if not one.endswith(">")],
        "records": list(scope.records),
        "places": [Address(one).place for one in scope.records],  # each holds one event
        "outlived": [one.session_id for one in scope.sessions] if scope.outlived else [],
    }
    async with connection.transaction():
        await connection.execute(_HELD)  # nobody writes rows of these meanwhile
        await connection.execute(_SEARCHED, {"schema": SCHEMA})
        words = await (await connection.execute(_WORDS, told)).fetchall()
        for table in _OF_SESSIONS:
            everything = sql.SQL("DELETE FROM {} WHERE session_id = ANY(%(ids)s)")
            await connection.execute(everything.format(sql.Identifier(SCHEMA, table.name)), told)
        for statement in (*_STATEMENTS, *_HELD_BY):
            await connection.execute(statement, told)
        await connection.execute(_FORGET, {"words": [word for (word,) in words]})
