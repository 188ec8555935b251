"""What Postgres holds for what the log holds: bytes of each table and index, of sessions as they are."""

import asyncio
from typing import Any

import psycopg
from psycopg.rows import dict_row

from agent_contracts.log.subjects import LOG_STREAM
from bench.script import steps
from bench.stage import Stage
from bench.table import Figure, at_most
from projections.schema import SCHEMA

GROUP = "storage"
_SESSIONS, _STEPS = 4, 20
_RELATIONS = """
    SELECT coalesce(t.relname, c.relname) AS of, c.relname AS name, c.relkind = 'i' AS is_index,
           pg_total_relation_size(c.oid) - coalesce((
               SELECT sum(pg_relation_size(indexrelid)) FROM pg_index WHERE indrelid = c.oid), 0) AS bytes
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
    WHERE n.nspname = %(schema)s AND c.relkind IN ('r', 'i')
"""
_SMALL = 20
"""Bytes a step: what takes less is not named."""


async def measure(stage: Stage, *, turns: int) -> list[Figure]:
    """Four sessions of so many turns of 20 steps: a model call, and a call of a tool that says a kilobyte."""
    async with await psycopg.AsyncConnection.connect(
        stage.postgres_dsn, autocommit=True, row_factory=dict_row
    ) as connection:
        log, before = await _log(stage), await _relations(connection)
        sessions = [await stage.new_session() for _ in range(_SESSIONS)]
        for _ in range(turns):
            await asyncio.gather(*(stage.turn(one, steps(_STEPS)) for one in sessions))
        written = await _log(stage) - log
        after = await _relations(connection)
    number = _SESSIONS * turns * _STEPS
    took = {name: (one["bytes"] - before[name]["bytes"]) / number for name, one in after.items()}
    ratio = sum(took.values()) * number / written
    note = f"{number:,} steps of {_SESSIONS} sessions"
    return [
        Figure(GROUP, "Postgres, to the log's bytes", ratio, "x", at_most(1.5), note),
        Figure(GROUP, "log, a step", written / number, "B"),
        Figure(GROUP, "Postgres, a step", sum(took.values()), "B"),
        *(
            Figure(GROUP, _told(after[name]), bytes_, "B")
            for name, bytes_ in sorted(took.items(), key=lambda one: -one[1])
            if bytes_ >= _SMALL
        ),
    ]


def _told(relation: dict[str, Any]) -> str:
    return (
        f"{relation['of']}: index {relation['name']}" if relation["is_index"] else f"{relation['of']}: rows"
    )


async def _relations(connection: psycopg.AsyncConnection[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """After a vacuum: pages that wait for new rows are counted, rows that nobody sees are not."""
    await connection.execute("VACUUM")
    found = await (await connection.execute(_RELATIONS, {"schema": SCHEMA})).fetchall()
    return {one["name"]: {**one, "bytes": int(one["bytes"])} for one in found}


async def _log(stage: Stage) -> int:
    return int((await stage.log.stream_info(LOG_STREAM)).state.bytes)
