"""What agents have, in a real Postgres: as the entities have it, live and after a rebuild."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT
from agent_contracts.entities.definitions import LARGEST_CODE
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.state_keys import LARGEST_VALUE, LONGEST_KEY
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import carrying
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.projector.entity_rows import in_the_log, in_the_tables, stored_rows
from projections.agent_tables import AGENT_TABLES
from projections.project.batch_rows import BatchRows
from projections.project.log_projection import LogProjection
from projector.administration import check_projections
from projector.projecting.rebuild import rebuild
from projector.projecting.schemas import create
from projector.projecting.store import writing
from projector.projecting.writer import ProjectionWriter

Reached = Callable[[int], Awaitable[None]]
Ask = Callable[..., Awaitable[list[tuple[Any, ...]]]]

K = EntityKind
AGENT, OTHER = AgentId("default"), AgentId("other")
SESSION = SessionId("s_1")
PROMPT = EntityKey(AGENT, SYSTEM_PROMPT.kind, SYSTEM_PROMPT.name)
NOTES = EntityKey(AGENT, LEARNED_NOTES.kind, LEARNED_NOTES.name)
TOOL = EntityKey(AGENT, K.TOOL, "dig")
STATE = EntityKey(AGENT, K.STATE, "Ein Schlüssel.")


def code(text: str, **more: Json) -> dict[str, Json]:
    return {"description": "Digs.", "code": text, "parameter_schema": {"type": "object"}, **more}


class Agents:
    """Writes what agents have, by hands that take turns: an agent's, a person's, a service's."""

    def __init__(self, log: MemoryLog) -> None:
        self.log = log
        self.entities = Entities(log, SystemClock(), event_sources.RUNNER)
        self.by_gateway = Entities(log, SystemClock(), event_sources.GATEWAY)
        self._writes = 0

    def writer(self, session_id: SessionId | None = None) -> EntityWriter:
        self._writes += 1
        by = list(Actor)[self._writes % 3] if session_id is None else Actor.AGENT
        call = CallId(f"c_{self._writes}") if by is Actor.AGENT else None
        return EntityWriter(f"w{self._writes}", by, session_id or (SESSION if call else None), call)

    async def write(self, key: EntityKey, *values: Json) -> None:
        for value in values:
            if key.kind is K.RUN:
                await self.by_gateway.write(key, value, self.person())
            else:
                await self.entities.write(key, value, self.writer())

    async def delete(self, key: EntityKey) -> None:
        if key.kind is K.RUN:
            await self.by_gateway.delete(key, self.person())
        else:
            await self.entities.delete(key, self.writer())

    def person(self) -> EntityWriter:
        self._writes += 1
        return EntityWriter.user(f"w{self._writes}")

    async def everything(self, agent_id: AgentId) -> None:
        """A story with every kind: made, changed, disabled, deleted and made again, taken back."""

        def key(kind: EntityKind, name: str) -> EntityKey:
            return EntityKey(agent_id, kind, name)

        profile = {"name": "Digger", "created_at": "2026-01-31T12:34:56.789Z"}
        await self.write(key(K.AGENT, agent_id), profile, {**profile, "name": "Dora"})
        prompt, notes = key(K.PROMPT, "prompt"), key(K.NOTES, "notes")
        await self.write(prompt, "Dig.", {"text": "Dig deep."})
        await self.write(notes, "Sand is soft.")
        await self.delete(prompt)
        await self.write(prompt, "Dig.")
        await self.write(notes, "Sand is soft.\nRock is not.")
        for kind in (K.TOOL, K.FUNCTION):
            await self.write(key(kind, "dig"), code("1"), code("2"), code("2", enabled=False), code("1"))
            await self.write(key(kind, "fly"), code("1"))
            await self.delete(key(kind, "fly"))
            await self.write(key(kind, "hop"), code("1"))
            await self.delete(key(kind, "hop"))
            await self.write(key(kind, "hop"), code("2"), code("3"))
        await self.write(key(K.LIBRARY, "lib"), {"description": "Sums.", "code": "exports.one = 1"})
        card = {"description": "A card.", "code": "() => <b>1</b>"}
        await self.write(
            key(K.COMPONENT, "Own card"), card, {**card, "props_schema": {"type": "object"}}, card
        )
        skill = {"description": "How to dig.", "content": "Dig.", "tags": ["sand", "rock"]}
        await self.write(key(K.SKILL, "own-skill"), skill, {**skill, "enabled": False, "tags": []})
        await self.write(key(K.NOTEPAD, SESSION), "Begun.", {"text": "Half done."})
        await self.write(key(K.PLAN, SESSION), "Goal: dig.", {"text": "Goal: dig deep."})
        step: dict[str, Json] = {
            "step_id": "1",
            "description": "Dig",
            "tool_name": "dig",
            "purpose": "a hole",
        }
        playbook: dict[str, Json] = {"description": "A hole", "workflow": [step]}
        needs: dict[str, Json] = {**step, "required_data": ["place"], "output_variable": "hole"}
        await self.write(key(K.PLAYBOOK, "p_1"), playbook, {**playbook, "workflow": [needs, step]})
        await self.write(key(K.PLAYBOOK, "p_2"), playbook)
        await self.delete(key(K.PLAYBOOK, "p_2"))
        file = {"media_type": "text/csv", "size": 9, "blob": "0" * 64, "source": "web"}
        own: dict[str, Json] = {**file, "path": "a.csv", "scope": "session", "session_id": SESSION}
        await self.write(key(K.FILE, "f_1"), own, {**own, "size": 2**31, "path": "b c/a.csv"})
        await self.write(key(K.PATH, f"{SESSION}/a.csv"), {"file_id": "f_1"})
        shared = {**file, "path": "a.csv", "scope": "agent", "made_from": "f_1", "forked_from": "f_0"}
        await self.write(key(K.FILE, "f_2"), shared)
        await self.write(key(K.FILE, "f_3"), shared)
        await self.delete(key(K.FILE, "f_3"))
        await self.waiting(agent_id)
        await self.write(key(K.STATE, "count"), 1, 1.5, None, True, {"b": [1, {}], "a": "ü\n"})
        await self.write(key(K.STATE, "a.b c"), "kept")
        await self.write(key(K.STATE, "gone"), 1)
        await self.delete(key(K.STATE, "gone"))
        await self.write(key(K.SETTING, "x"), 1)

    async def waiting(self, agent_id: AgentId) -> None:
        """What waits for a time, or for somebody."""

        def key(kind: EntityKind, name: str) -> EntityKey:
            return EntityKey(agent_id, kind, name)

        at, later = "2026-03-01T09:00:00.000Z", "2026-03-02T09:00:00.000Z"
        reminder: dict[str, Json] = {"session_id": SESSION, "at": at, "message": "call Ann"}
        await self.write(key(K.REMINDER, "r_1"), reminder, {**reminder, "at": later})
        again: dict[str, Json] = {"every": "interval", "seconds": 3600, "window": ["09:00", "17:00"]}
        await self.write(key(K.REMINDER, "r_4"), {**reminder, "again": again, "quiet": True})
        await self.write(key(K.REMINDER, "r_2"), reminder, {**reminder, "done": "told"})
        await self.write(key(K.REMINDER, "r_3"), reminder)
        await self.delete(key(K.REMINDER, "r_3"))
        schedule: dict[str, Json] = {"name": "News", "task": "read", "cron": "0 9 * * *"}
        chosen: dict[str, Json] = {"model": "m", "token_limit": 2**40, "overlap": "queue", "misfire": "skip"}
        off: dict[str, Json] = {"enabled": False, "paused_because": "5 runs failed"}
        await self.write(key(K.SCHEDULE, "t_1"), schedule, {**schedule, **chosen, **off})
        await self.write(key(K.SCHEDULE, "t_2"), {"name": "Once", "task": "read", "at": at})
        await self.write(key(K.SCHEDULE, "t_3"), schedule)
        await self.delete(key(K.SCHEDULE, "t_3"))
        run: dict[str, Json] = {"due_at": at, "outcome": "started", "session_id": "st_1", "decided": at}
        failed: dict[str, Json] = {**run, "outcome": "failed", "reason": "no model", "failures": 1}
        asked: dict[str, Json] = {"due_at": at, "outcome": "asked", "by_hand": True}
        await self.write(key(K.RUN, "t_1"), run, failed, asked, {**run, "due_at": later})
        await self.write(key(K.RUN, "t_3"), run)
        await self.delete(key(K.RUN, "t_3"))
        item: dict[str, Json] = {
            **{"source": "ci", "wake_id": "1", "message": "red", "at": at, "until": later},
            **{"data": {"b": [1, None]}, "session_id": SESSION, "wake_type": "build.failed"},
        }
        await self.write(key(K.INBOX, "w_1"), item)
        await self.write(key(K.INBOX, "w_2"), {name: item[name] for name in list(item)[:5]})
        await self.write(key(K.INBOX, "w_3"), item)
        await self.delete(key(K.INBOX, "w_3"))


@pytest.fixture
def agents(log: MemoryLog) -> Agents:
    return Agents(log)


@pytest.fixture
def agree(agents: Agents, reached: Reached, postgres_dsn: str) -> Callable[[], Awaitable[dict[str, Any]]]:
    """The tables, once they have come as far as the log; they must say what the entities say."""

    async def compared() -> dict[str, Any]:
        await reached(await agents.log.last_sequence())
        found = in_the_tables(await stored_rows(postgres_dsn, [AGENT, OTHER]))
        assert found == await in_the_log(agents.entities, [AGENT, OTHER])
        return found

    return compared


Agree = Callable[[], Awaitable[dict[str, Any]]]


async def test_the_tables_say_what_the_entities_say_live_and_after_a_rebuild(
    agents: Agents, agree: Agree, postgres_dsn: str, log: MemoryLog
) -> None:
    await agents.everything(AGENT)
    await agree()
    await agents.everything(OTHER)
    found = await agree()
    assert {name: len(rows) for name, rows in found.items()} == {
        "agent": 2,
        "prompt": 2,
        "notes": 2,
        "tool": 4,
        "function": 4,
        "library": 2,
        "component": 2,
        "skill": 2,
        "notepad": 2,
        "plan": 2,
        "playbook": 2,
        "file": 4,
        "reminder": 6,
        "schedule": 4,
        "schedule_runs": 8,
        "inbox": 4,
        "state": 4,
    }
    report = await check_projections(postgres_dsn, log)
    assert report.differing == 0
    compared = {table.table for table in report.compared or () if table.rows}
    assert compared >= {table.name for table in AGENT_TABLES}
    assert (await rebuild(LogProjection(), postgres_dsn, log)).differing == 0
    assert await agree() == found


async def test_a_deleted_agent_is_gone_and_what_it_had_is_not(agents: Agents, agree: Agree) -> None:
    await agents.everything(OTHER)
    before = await agree()
    await agents.delete(EntityKey(OTHER, K.AGENT, OTHER))
    assert await agree() == {**before, "agent": []}


async def test_what_a_rewind_takes_back_is_what_the_tables_had_before(
    agents: Agents, agree: Agree, log: MemoryLog, ask: Ask
) -> None:
    await agents.write(TOOL, code("1"))
    await agents.write(NOTES, "Sand is soft.")
    before, point = await agree(), await log.last_sequence()
    for key, value in ((TOOL, code("2")), (NOTES, "Rock is soft."), (STATE, 1)):
        await agents.entities.write(key, value, agents.writer(SESSION))
    await agents.entities.delete(TOOL, agents.writer(SESSION))
    for key in (TOOL, NOTES, STATE):  # as a rewind does it: each value once more, in the session's name
        earlier = await agents.entities.as_of(key, point)
        writer = msgspec.structs.replace(
            EntityWriter.user(f"back:{key.name}"), session_id=SESSION, since=point
        )
        if earlier is None:
            await agents.entities.delete(key, writer)
        else:
            await agents.entities.write(key, earlier.value, writer)
    after = await agree()
    assert [row["value"] for row in after["tool"]] == [row["value"] for row in before["tool"]]
    assert after["state"] == []
    config = await ask("SELECT learned_notes, session_id FROM projections.agent_config")
    assert config == [("Sand is soft.", SESSION)]
    history = await ask("SELECT version, learned_notes FROM projections.agent_config_history ORDER BY 1")
    assert history == [(1, "Sand is soft."), (2, "Rock is soft."), (3, "Sand is soft.")]
    assert {row["session_id"] for row in (*after["tool"], *after["notes"])} == {SESSION}


async def test_the_texts_of_any_version_are_in_the_history(agents: Agents, agree: Agree, ask: Ask) -> None:
    await agents.write(PROMPT, "Dig.")
    await agents.write(NOTES, "Sand is soft.")
    await agents.delete(PROMPT)
    await agents.write(NOTES, "Rock is not.")
    await agree()
    text = (
        "SELECT {0} FROM projections.agent_config_history"
        " WHERE agent_id = %s AND version <= %s AND changed = '{0}' ORDER BY version DESC LIMIT 1"
    )
    told = [
        [await ask(text.format(column), AGENT, version) for column in ("system_prompt", "learned_notes")]
        for version in (1, 2, 3, 4)
    ]
    sand, rock = [("Sand is soft.",)], [("Rock is not.",)]
    assert told == [[[("Dig.",)], []], [[("Dig.",)], sand], [[(None,)], sand], [[(None,)], rock]]
    rows = await ask(
        "SELECT version, prompt_version, notes_version, system_prompt FROM projections.agent_config"
    )
    assert rows == [(4, 0, 2, None)]


async def test_what_doesnt_fit_its_kind_counts_as_never_written(
    agents: Agents, agree: Agree, ask: Ask, log: MemoryLog
) -> None:
    await agents.write(TOOL, code("1"))
    await agents.write(PROMPT, "Dig.")
    before = await agree()
    for key in (TOOL, PROMPT):
        good = await log.last(key.subject)
        assert good is not None
        data = good.data.replace(b'"value":', b'"value":5,"was":')
        assert good.envelope is not None
        envelope = msgspec.structs.replace(good.envelope, id=f"{good.envelope.id}-unfit")
        await log.append(carrying(envelope, data, key.subject))
    unfit = [await log.last_sequence() - 1, await log.last_sequence()]
    await agents.write(STATE, 1)
    await agents.delete(STATE)
    for sequence in unfit:
        log.lose(sequence)  # the log as it would be without them
    assert await agree() == before
    rows = await ask("SELECT sequence, problem FROM projections.events WHERE problem IS NOT NULL ORDER BY 1")
    assert [sequence for sequence, _ in rows] == unfit
    assert all(problem.startswith("bad_value: ") for _, problem in rows)


async def test_the_largest_values_are_kept_whole(agents: Agents, agree: Agree, ask: Ask) -> None:
    await agents.write(TOOL, code("ü" * LARGEST_CODE))
    await agents.write(PROMPT, "p" * 1024 * 1024)
    await agents.write(EntityKey(AGENT, K.STATE, "ü" * LONGEST_KEY), "v" * (LARGEST_VALUE - 2))
    await agents.write(NOTES, "short", "shorter")
    await agree()
    sizes = "SELECT max(octet_length({0}::text)) FROM projections.{1}"
    assert await ask(sizes.format("code", "agent_tools")) == [(2 * LARGEST_CODE,)]
    assert await ask(sizes.format("value", "agent_state")) == [(LARGEST_VALUE,)]
    history = "SELECT sum(coalesce(octet_length(system_prompt), 0)) FROM projections.agent_config_history"
    assert await ask(history) == [(1024 * 1024,)]  # once, not with every note


async def test_what_is_delivered_again_late_or_twice_changes_nothing(postgres_dsn: str) -> None:
    log = MemoryLog()
    agents = Agents(log)
    await agents.everything(AGENT)
    messages = [message async for message in log.read(">")]
    projection = LogProjection()
    async with writing(postgres_dsn) as connection:
        await create(connection, projection, projection.schema)
        writer = ProjectionWriter(connection, projection, projection.schema, 0, letters=None)
        for start in range(0, len(messages), 7):
            late, new = messages[max(0, start - 9) : start], messages[start : start + 7]
            await writer.write([*late, *new, *new[-2:], *reversed(late)])
            await writer.write(late)
    found = in_the_tables(await stored_rows(postgres_dsn, [AGENT]))
    assert found == await in_the_log(agents.entities, [AGENT])


async def test_a_batch_looks_its_rows_up_before_it_folds_them() -> None:
    agents = Agents(MemoryLog())
    await agents.everything(AGENT)
    projection = LogProjection()
    async for message in agents.log.read(">"):
        rows = BatchRows()
        for table, key in projection.hints(message):
            rows.loaded(table, [key], [])
        projection.project(message, rows)
