"""What agents have, as rows of the tables and views that people query, with all their columns: literal
values, not what the entities say once more.

A column that is new, or that could hold another's value, is noticed here.
"""

from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import psycopg
from psycopg.rows import dict_row

from agent_contracts.ids import AgentId
from foldline_testing.projector.one_of_each import (
    AGENT,
    BLOB,
    CALL,
    EVENING,
    MORNING,
    SECOND,
    SESSION,
    messages,
)
from projections.project.log_projection import LogProjection
from projections.schema import SCHEMA
from projector.projecting.schemas import create
from projector.projecting.store import writing
from projector.projecting.writer import ProjectionWriter

_OF_OTHERS = {"checkpoint", "entities", "events", "messages"}
_OF_OTHERS |= {"message_words", "model_calls", "sessions", "stages", "tool_calls"}
"""Tables that other tests look at."""


def at(minutes: int) -> datetime:
    """So long after the first write."""
    return datetime(2026, 1, 31, 12, tzinfo=UTC) + timedelta(minutes=minutes)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def made(
    version: int, sequence: int, modified_on: datetime, actor: str = "agent", agent_id: AgentId = AGENT
) -> dict[str, Any]:
    """The columns that each row has."""
    who = {"agent_id": agent_id, "actor": actor, "session_id": SESSION, "call_id": CALL}
    return {**who, "version": version, "sequence": sequence, "modified_on": modified_on}


EXPECTED: dict[str, list[dict[str, Any]]] = {
    "agents": [
        dict(**made(8, 161, at(61)), name="Digger", created_on=moment("2025-12-31T12:00:00.000Z")),
    ],
    "agent_config": [
        dict(
            **made(4, 163, at(63)),
            system_prompt="Dig.",
            learned_notes="Sand is soft.",
            prompt_version=7,
            notes_version=8,
        ),
        dict(
            **made(2, 191, at(91), agent_id=SECOND),
            system_prompt="Dig.",
            learned_notes="Sand is soft.",
            prompt_version=8,
            notes_version=7,
        ),
    ],
    "agent_config_history": [
        dict(
            agent_id="a_1",
            version=1,
            changed="system_prompt",
            system_prompt="Dig.",
            learned_notes=None,
            entity_version=7,
            sequence=102,
            actor="agent",
            session_id="s_1",
            call_id="c_1",
            created_on=at(2),
        ),
        dict(
            agent_id="a_1",
            version=2,
            changed="learned_notes",
            system_prompt=None,
            learned_notes="Sand is soft.",
            entity_version=8,
            sequence=103,
            actor="agent",
            session_id="s_1",
            call_id="c_1",
            created_on=at(3),
        ),
        dict(
            agent_id="a_1",
            version=3,
            changed="system_prompt",
            system_prompt="Dig.",
            learned_notes=None,
            entity_version=7,
            sequence=162,
            actor="agent",
            session_id="s_1",
            call_id="c_1",
            created_on=at(62),
        ),
        dict(
            agent_id="a_1",
            version=4,
            changed="learned_notes",
            system_prompt=None,
            learned_notes="Sand is soft.",
            entity_version=8,
            sequence=163,
            actor="agent",
            session_id="s_1",
            call_id="c_1",
            created_on=at(63),
        ),
        dict(
            agent_id=SECOND,
            version=1,
            changed="learned_notes",
            system_prompt=None,
            learned_notes="Sand is soft.",
            entity_version=7,
            sequence=190,
            actor="agent",
            session_id="s_1",
            call_id="c_1",
            created_on=at(90),
        ),
        dict(
            agent_id=SECOND,
            version=2,
            changed="system_prompt",
            system_prompt="Dig.",
            learned_notes=None,
            entity_version=8,
            sequence=191,
            actor="agent",
            session_id="s_1",
            call_id="c_1",
            created_on=at(91),
        ),
    ],
    "agent_tools": [
        dict(
            **made(7, 164, at(64)),
            name="dig",
            created_on=at(4),
            description="Digs.",
            parameter_schema=({"type": "object"}),
            code="return 1",
            enabled=True,
        ),
        dict(
            **made(8, 165, at(65)),
            name="fill",
            created_on=at(5),
            description="Digs.",
            parameter_schema=({"type": "object"}),
            code="return 1",
            enabled=False,
        ),
    ],
    "functions": [
        dict(
            **made(7, 166, at(66)),
            name="sum",
            created_on=at(6),
            description="Digs.",
            parameter_schema=({"type": "object"}),
            code="return 1",
            enabled=True,
        ),
        dict(
            **made(8, 179, at(79)),
            name="product",
            created_on=at(19),
            description="Digs.",
            parameter_schema=({"type": "object"}),
            code="return 1",
            enabled=False,
        ),
    ],
    "libraries": [
        dict(
            **made(8, 167, at(67)), name="lib", created_on=at(7), description="Sums.", code="exports.one = 1"
        ),
    ],
    "agent_ui_components": [
        dict(
            **made(7, 168, at(68)),
            name="Card",
            created_on=at(8),
            description="A card.",
            code="() => 1",
            props_schema=({"type": "object"}),
        ),
    ],
    "skills": [
        dict(
            **made(8, 169, at(69)),
            name="digging",
            created_on=at(9),
            description="How to dig.",
            content="Dig deep.",
            tags=(["sand"]),
            enabled=True,
        ),
        dict(
            **made(7, 180, at(80)),
            name="filling",
            created_on=at(20),
            description="How to fill.",
            content="Fill.",
            tags=([]),
            enabled=False,
        ),
    ],
    "notes": [
        dict(**made(7, 170, at(70)), name="s_9", created_on=at(10), text="Begun."),
    ],
    "plans": [
        dict(**made(8, 171, at(71)), name="s_9", created_on=at(11), text="Goal: a hole."),
    ],
    "playbooks": [
        dict(
            **made(7, 172, at(72)),
            name="p_1",
            created_on=at(12),
            description="A hole",
            workflow=(
                [
                    {
                        "step_id": "1",
                        "description": "Dig",
                        "tool_name": "dig",
                        "purpose": "depth",
                        "required_data": [],
                        "output_variable": "",
                    }
                ]
            ),
            initial_command="Dig a hole",
            success_criteria="It is deep",
        ),
    ],
    "files": [
        dict(
            **made(8, 173, at(73)),
            name="f_3",
            created_on=at(13),
            path="a.csv",
            media_type="text/csv",
            size=9,
            blob=BLOB,
            scope="session",
            workspace_id="s_9",
            source="web",
            made_from="f_1",
            forked_from="f_2",
        ),
    ],
    "reminders": [
        dict(
            **made(7, 174, at(74)),
            name="r_1",
            created_on=at(14),
            reminds="s_9",
            due_on=moment(MORNING),
            message="call Ann",
            done="told",
            again=({"every": "day", "timezone": "Asia/Tokyo", "clock": "18:00"}),
            quiet=True,
        ),
        dict(
            **made(8, 181, at(81)),
            name="r_2",
            created_on=at(21),
            reminds="s_9",
            due_on=moment(EVENING),
            message="call Bob",
            done=None,
            again=None,
            quiet=False,
        ),
    ],
    "schedules": [
        dict(
            **made(8, 175, at(75)),
            name="t_1",
            created_on=at(15),
            title="News",
            task="read",
            due_on=moment(EVENING),
            cron="0 9 * * *",
            timezone="Asia/Tokyo",
            model="m",
            token_limit=500,
            misfire="skip",
            overlap="queue",
            enabled=True,
            paused_because="5 runs failed",
        ),
        dict(
            **made(7, 182, at(82)),
            name="t_2",
            created_on=at(22),
            title="Once",
            task="look",
            due_on=moment(MORNING),
            cron=None,
            timezone="UTC",
            model=None,
            token_limit=None,
            misfire="run_once",
            overlap="skip",
            enabled=False,
            paused_because=None,
        ),
    ],
    "schedule_runs": [
        dict(
            **made(7, 176, at(76), "user"),
            schedule_id="t_1",
            due_on=moment(MORNING),
            by_hand=True,
            outcome="failed",
            ran_in="s_9",
            reason="no model",
            failures=3,
        ),
        dict(
            **made(8, 183, at(83), "user"),
            schedule_id="t_2",
            due_on=moment(EVENING),
            by_hand=False,
            outcome="started",
            ran_in=None,
            reason=None,
            failures=0,
        ),
    ],
    "inbox": [
        dict(
            **made(8, 177, at(77)),
            name="w_1",
            created_on=at(17),
            source="ci",
            wake_id="17",
            wake_type="build.failed",
            message="red",
            data=({"build": 4}),
            meant_for="s_9",
            priority="later",
            arrived_on=moment(MORNING),
            kept_until=moment(EVENING),
        ),
    ],
    "agent_state": [
        dict(**made(7, 178, at(78)), key="count", value=(12)),
    ],
    "erasures": [
        dict(name="s_8", agent_id="a_1", sequence=184),
    ],
}


async def test_each_row_of_what_an_agent_has_is_whole(postgres_dsn: str) -> None:
    projection = LogProjection()
    async with writing(postgres_dsn) as connection:
        await create(connection, projection, projection.schema)
        writer = ProjectionWriter(connection, projection, projection.schema, 0, letters=None)
        assert await writer.write(messages()) == 0
    found: dict[str, list[dict[str, Any]]] = {}
    async with await psycopg.AsyncConnection.connect(
        postgres_dsn, row_factory=dict_row, options=f"-c search_path={SCHEMA} -c TimeZone=UTC"
    ) as reader:
        listed = await reader.execute(
            "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = %s", [SCHEMA]
        )
        for name in sorted({row["name"] for row in await listed.fetchall()} - _OF_OTHERS):
            rows = await reader.execute(f"SELECT * FROM {name} ORDER BY agent_id, sequence".encode())
            found[name] = await rows.fetchall()
    assert found == EXPECTED


def test_the_rows_expected_here_set_each_column_and_tell_it_from_the_others() -> None:
    for name, rows in EXPECTED.items():
        for column in rows[0]:
            values = [row[column] for row in rows]
            assert {type(one) for one in values} != {bool} or len({*values}) == 2, (name, column)
            assert any(one not in (None, "", 0, [], {}) for one in values), (name, column)
        for one, other in combinations(rows[0], 2):
            assert any(row[one] != row[other] for row in rows), (name, one, other)
