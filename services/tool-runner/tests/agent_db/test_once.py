"""A write happens once, whatever goes wrong in its course, and gives the same when it is repeated."""

import asyncio
from collections.abc import AsyncGenerator

import msgspec
import pytest

from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.errors import LogCorrupt, Permanent, Transient
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage, decode
from agent_contracts.log.subjects import database_subject
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.tool_runner.agent_db import AGENT, SESSION, Home
from tool_runner.agent_db.agent_db import AgentDb

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a)"
INSERT = "INSERT INTO t (a) VALUES (random()) RETURNING id, a"


class UnsureLog(MemoryLog):
    """Says that it can't be reached when it is told to: before it appended, or after."""

    before = False
    after = False

    async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
        if self.before:
            raise Transient("unreachable")
        sequence = await super().append(message, expect)
        if self.after:
            raise Transient("unreachable")
        return sequence


async def events(home: Home) -> list[DatabaseWritten]:
    return [decode(message).event async for message in home.log.read(database_subject(AGENT))]


async def test_a_write_says_who_made_it_when_and_by_which_dice(home: Home, database: AgentDb) -> None:
    await home.run(database, TABLE)
    ran, _ = await database.execute("INSERT INTO t (a) VALUES (?)", ["x"], Home.writer_of("c9"))
    _, event = await events(home)
    assert (event.sql, event.params) == ("INSERT INTO t (a) VALUES (?)", ["x"])
    assert (event.session_id, event.call_id) == (SESSION, "c9")
    assert (event.changes, event.last_insert_rowid) == (ran.changes, ran.last_insert_rowid) == (1, 1)
    assert len(event.seed) == 32
    message = await home.log.last(database_subject(AGENT))
    assert message is not None
    assert message.envelope is not None
    assert message.envelope.id == f"{SESSION}:c9:1"
    assert message.envelope.prev == 1


@pytest.mark.parametrize("same_runner", [True, False])
async def test_a_repeated_write_is_made_once_and_returns_the_same_rows(home: Home, same_runner: bool) -> None:
    first = await home.runner()
    await home.run(first, TABLE)
    ran, _ = await first.execute(INSERT, [], Home.writer_of("c9", since=1))
    await home.run(first, "DELETE FROM t")
    again = first if same_runner else await home.runner()
    repeated, wrote = await again.execute(INSERT, [], Home.writer_of("c9", since=1))
    assert wrote
    assert repeated == ran
    assert len(await events(home)) == 3


async def test_a_repeated_write_needs_not_be_valid_any_more(home: Home, database: AgentDb) -> None:
    ran, _ = await database.execute(TABLE, [], Home.writer_of("c9"))
    assert await database.execute(TABLE, [], Home.writer_of("c9")) == (ran, True)
    assert len(await events(home)) == 1


@pytest.mark.parametrize("stored", [True, False])
async def test_an_append_of_which_nobody_knows_whether_it_came_through_is_made_once(
    home: Home, stored: bool
) -> None:
    home.log = log = UnsureLog()
    database = await home.runner()
    await home.run(database, TABLE)
    log.before, log.after = not stored, stored
    with pytest.raises(Transient):
        await database.execute(INSERT, [], Home.writer_of("c9", since=1))
    log.before = log.after = False
    ran, _ = await database.execute(INSERT, [], Home.writer_of("c9", since=1))
    assert len(await events(home)) == 2
    assert (await home.run(database, "SELECT id, a FROM t")).rows == ran.rows
    await same_everywhere(home, database)


async def test_a_call_that_is_cancelled_anywhere_leaves_one_write_when_it_is_repeated(
    home: Home, database: AgentDb
) -> None:
    await home.run(database, TABLE)
    for steps in range(40):
        writer = Home.writer_of(f"cancelled-{steps}", since=1)
        call = asyncio.create_task(database.execute(INSERT, [], writer))
        for _ in range(steps):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait({call})
        await database.execute(INSERT, [], writer)
        assert (await home.run(database, "SELECT count(*) FROM t")).rows == [(steps + 1,)]
    assert len(await events(home)) == 41
    await same_everywhere(home, database)


async def test_a_writer_whose_number_was_used_for_another_kind_of_write_is_told(
    home: Home, database: AgentDb
) -> None:
    await home.run(database, TABLE)
    await database.restore(0, Home.writer_of("c9"))
    with pytest.raises(Permanent) as failed:
        await database.execute(TABLE, [], Home.writer_of("c9"))
    assert failed.value.kind == "write_id_reused"


async def test_a_hole_in_the_write_log_is_noticed(home: Home, database: AgentDb) -> None:
    await home.run(database, TABLE)
    await home.run(database, INSERT)
    await home.run(database, INSERT)
    assert isinstance(home.log, MemoryLog)
    home.log.lose(2)
    cold = await home.runner()
    with pytest.raises(LogCorrupt):
        await cold.content_hash()


async def test_a_write_that_comes_to_another_end_than_it_did_is_noticed(home: Home) -> None:
    writing = await home.runner()
    await home.run(writing, TABLE)
    await home.run(writing, INSERT)

    class Tampered(MemoryLog):
        async def read(
            self, subject: str, *, after: int = 0, up_to: int | None = None
        ) -> AsyncGenerator[StoredMessage, None]:
            async for message in home.log.read(subject, after=after, up_to=up_to):
                data = message.data.replace(b'"changes":1', b'"changes":2')
                yield msgspec.structs.replace(message, data=data)

        async def last(self, subject: str) -> StoredMessage | None:
            return await home.log.last(subject)

    cold = await home.runner(Tampered())
    with pytest.raises(LogCorrupt):
        await cold.content_hash()


async def same_everywhere(home: Home, database: AgentDb) -> None:
    """What a runner has kept is what another makes of the log."""
    cold = await home.runner()
    assert await cold.content_hash() == await database.content_hash()
