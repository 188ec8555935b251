"""What an erased session leaves in the tables: nothing of its own, all that is the agent's."""

from typing import Any

import psycopg

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_domain.erasing.scope import Scope
from foldline_testing.projector.one_of_each import AGENT, OTHER, messages
from projections.project.log_projection import LogProjection
from projections.schema import SCHEMA
from projector.erasing.rows import take_out
from projector.projecting.schemas import create
from projector.projecting.store import writing
from projector.projecting.writer import ProjectionWriter

GONE = [("file", "f_3"), ("notepad", "s_9"), ("plan", "s_9"), ("reminder", "r_1"), ("reminder", "r_2")]
"""What is of the session `s_9`: named by it, or with it in its value."""


async def test_what_is_of_an_erased_session_is_taken_out_and_nothing_else(postgres_dsn: str) -> None:
    async def things() -> set[tuple[Any, ...]]:
        found = await reader.execute(f"SELECT kind, name FROM {SCHEMA}.entities WHERE agent_id = %s", [AGENT])
        return set(await found.fetchall())

    async def words(*among: str) -> set[str]:
        found = await reader.execute(
            f"SELECT word FROM {SCHEMA}.message_words WHERE word = ANY(%s)", [list(among)]
        )
        return {word for (word,) in await found.fetchall()}

    projection = LogProjection()
    async with writing(postgres_dsn) as connection:
        await create(connection, projection, projection.schema)
        writer = ProjectionWriter(connection, projection, projection.schema, 0, letters=None)
        await writer.write(messages())
    async with await psycopg.AsyncConnection.connect(postgres_dsn, autocommit=True) as reader:
        for session, text in ((OTHER, "the secretword is said"), (SessionId("s_other"), "the word is said")):
            await reader.execute(
                f"INSERT INTO {SCHEMA}.messages VALUES (%s, 77, 'user', %s, now(), NULL, '{{}}')",
                [session, text],
            )
        before = await things()
        await take_out(reader, of_session(AGENT, OTHER), up_to=1)
        assert sorted(before - await things()) == GONE
        assert await words("secretword", "word", "the", "said") == {"word", "the", "said"}
        again = of_session(AGENT, SessionId("s_none"))
        await take_out(reader, again, up_to=1)
        assert len(await things()) == len(before) - len(GONE)


def of_session(agent_id: AgentId, session_id: SessionId) -> Scope:
    return Scope(session_id, agent_id, (SessionKey(agent_id, session_id),))
