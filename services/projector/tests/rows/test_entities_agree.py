"""Whatever agents make, change and delete: the tables say what the entities in the log say."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_contracts import event_sources
from agent_contracts.entities.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.address import at_place
from agent_contracts.log.record.codec import Envelope, encode, type_of
from agent_contracts.log.record.records import NewMessage, StoredMessage, carrying
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.projector.entity_rows import in_the_log, in_the_tables
from foldline_testing.projector.projecting import MemoryTables
from projections.agent_tables import AGENT_TABLES
from projections.log_tables import EVENTS
from projector.projecting.arrivals import following

AGENTS = [AgentId("default"), AgentId("other")]
K = EntityKind
SOURCE = event_sources.GATEWAY
"""Who may write every kind."""

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
schemas = st.dictionaries(texts, values, max_size=2)
described = {"description": texts, "code": texts}
tools = st.fixed_dictionaries({**described, "parameter_schema": schemas}, optional={"enabled": st.booleans()})
words = texts | st.builds(lambda text: {"text": text}, texts)
skills = st.fixed_dictionaries(
    {"description": texts, "content": texts},
    optional={"tags": st.lists(texts, max_size=2), "enabled": st.booleans()},
)
files = st.fixed_dictionaries(
    {
        "path": texts,
        "media_type": texts,
        "size": st.integers(0, 2**53),
        "blob": texts,
        "scope": st.sampled_from(["session", "agent"]),
        "source": st.sampled_from(["upload", "tool", "code", "web"]),
    },
    optional={"session_id": texts, "made_from": texts, "forked_from": texts},
)
times = st.sampled_from(["2026-01-31T12:34:56.789Z", "2026-10-25T00:30:00.000Z"])
reminders = st.fixed_dictionaries(
    {"session_id": texts, "at": times, "message": texts},
    optional={"done": st.sampled_from(["told", "missed"])},
)
schedules = st.fixed_dictionaries(
    {"name": texts, "task": texts},
    optional={"at": times, "cron": texts, "token_limit": st.integers(1, 2**53), "enabled": st.booleans()},
)
runs = st.fixed_dictionaries(
    {"due_at": times, "outcome": st.sampled_from(["asked", "started", "failed"])},
    optional={"session_id": texts, "by_hand": st.booleans(), "reason": texts, "failures": st.integers(0, 9)},
)
inbox = st.fixed_dictionaries(
    {"source": texts, "wake_id": texts, "message": texts, "at": times, "until": times},
    optional={"data": values, "session_id": texts, "wake_type": texts},
)
profiles = st.fixed_dictionaries({"name": texts, "created_at": st.just("2026-01-31T12:34:56.789Z")})
VALUES: dict[EntityKind, st.SearchStrategy[Json]] = {
    K.PROMPT: words,
    K.NOTES: words,
    K.TOOL: tools,
    K.FUNCTION: tools,
    K.LIBRARY: st.fixed_dictionaries(described),
    K.COMPONENT: st.fixed_dictionaries(described, optional={"props_schema": st.none() | schemas}),
    K.SKILL: skills,
    K.NOTEPAD: words,
    K.FILE: files,
    K.REMINDER: reminders,
    K.SCHEDULE: schedules,
    K.RUN: runs,
    K.INBOX: inbox,
    K.STATE: values,
    K.SETTING: values,
    K.AGENT: profiles,
}
NAMES = {
    K.PROMPT: [SYSTEM_PROMPT.name, "nobody's"],
    K.NOTES: [LEARNED_NOTES.name],
    K.STATE: ["a", "a.b", "~YQ", "ein Schlüssel"],
    K.COMPONENT: ["Card", "Own card"],
}
MISFITS: list[Json] = [5, None, [], {"description": 1}, {"text": 1}, {"name": "x", "created_at": "today"}]
FREE_FORM = (K.STATE, K.SETTING)


class Edit(msgspec.Struct, frozen=True):
    """A write, a deletion (no value), or a write of what is no value of the kind."""

    key: EntityKey
    value: Json
    deletes: bool
    fits: bool
    actor: Actor


KEYS = [
    EntityKey(agent_id, kind, name)
    for agent_id in AGENTS
    for kind in VALUES
    for name in ([agent_id] if kind is K.AGENT else NAMES.get(kind, ["one", "two"]))
]


@st.composite
def histories(draw: st.DrawFn) -> list[Edit]:
    """Edits of a few entities, and of one agent's texts."""
    own = [EntityKey(AGENTS[0], text.kind, text.name) for text in (SYSTEM_PROMPT, LEARNED_NOTES)]
    few = [*draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=3)), *own]
    return draw(st.lists(st.sampled_from(few).flatmap(edits), min_size=1, max_size=25))


@st.composite
def edits(draw: st.DrawFn, key: EntityKey) -> Edit:
    how = draw(st.sampled_from(["write", "write", "write", "delete", "misfit"]))
    fits = how != "misfit" or key.kind in FREE_FORM or key.name == "nobody's"
    value = draw(VALUES[key.kind] if fits else st.sampled_from(MISFITS))
    actors = [Actor.USER] if key.kind is K.RUN else list(Actor)
    return Edit(key, value, how == "delete", fits, draw(st.sampled_from(actors)))


class Delivery(msgspec.Struct, frozen=True):
    """A batch: so many new messages, and in front of them or behind them so many old ones again."""

    new: int
    before: int
    behind: int


deliveries = st.lists(
    st.builds(Delivery, st.integers(1, 8), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6
)


@given(histories(), deliveries)
@settings(max_examples=150)
def test_the_rows_of_any_history_are_what_the_entities_say(history: list[Edit], plan: list[Delivery]) -> None:
    async def run() -> None:
        log = MemoryLog()
        entities = Entities(log, SystemClock(), SOURCE)
        messages = await made(log, entities, history)
        tables = delivered(messages, plan)
        rows = {table.name: list(tables.rows(table).values()) for table in AGENT_TABLES}
        assert in_the_tables(rows) == await in_the_log(entities, AGENTS)
        kept: dict[Any, Any] = tables.rows(EVENTS)
        assert len(kept) == len(messages)
        problems = {at_place(row.place).sequence for row in kept.values() if row.problem is not None}
        in_log = {message.sequence async for message in log.read("agt.>")}
        assert problems == {message.sequence for message in messages} - in_log

    asyncio.run(run())


async def made(log: MemoryLog, entities: Entities, history: Sequence[Edit]) -> list[StoredMessage]:
    """The messages of all edits. What doesn't fit is taken out of the log: as if it had never been there."""
    messages: list[StoredMessage] = []
    for n, edit in enumerate(history):
        by_agent = edit.actor is Actor.AGENT
        owner = (SessionId(f"s_{n % 3}"), CallId(f"c_{n}")) if by_agent else (None, None)
        writer = EntityWriter(f"w{n}", edit.actor, *owner)
        if edit.deletes:
            await entities.delete(edit.key, writer)
        elif edit.fits:
            await entities.write(edit.key, edit.value, writer)
        else:
            await log.append(misfit(edit, n))
        last = await log.get(await log.last_sequence())
        if last is not None and (not messages or last.sequence > messages[-1].sequence):
            messages.append(last)
            if not edit.fits and not edit.deletes:
                log.lose(last.sequence)
    return messages


def misfit(edit: Edit, n: int) -> NewMessage:
    event = EntityWritten(edit.key.kind, edit.key.name, edit.value, 7)
    time = f"2026-01-31T12:{n:02}:00Z"
    envelope = Envelope(f"w{n}", type_of(event), SOURCE, time, edit.actor)
    return carrying(envelope, encode(event), edit.key.subject)


def delivered(messages: Sequence[StoredMessage], plan: Sequence[Delivery]) -> MemoryTables:
    """The tables after batches by the plan, over and over, until every message has come."""
    tables, position, taken = MemoryTables(), 0, 0
    while taken < len(messages):
        for batch in plan:
            new = messages[taken : taken + batch.new]
            old = list(messages[:taken])
            again = [*old[len(old) - min(batch.before, len(old)) :], *new, *new[:1], *old[: batch.behind]]
            fresh = following(again, position)
            tables.fold(fresh)
            taken += len(new)
            position = messages[taken - 1].sequence
    return tables
