"""Entities, over the log in memory and on JetStream."""

import asyncio

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Conflict, Permanent, Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.log.record.session_subjects import SessionKey
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import (
    Change,
    ChangeSet,
    Delete,
    Entity,
    EntityKey,
    EntityWriter,
    InitialEntity,
    OtherChange,
    Write,
)
from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock
from foldline_testing.session_domain.misfits import OF_AGENTS

AGENT = AgentId("a1")
KEY = EntityKey(AGENT, EntityKind.STATE, "colour")


@pytest.fixture
def entities(log: Log) -> Entities:
    return Entities(log, SystemClock(), event_sources.RUNNER)


def call(n: int, *, call_id: str = "c1", since: int = 0) -> EntityWriter:
    return EntityWriter.call(SessionId("s1"), CallId(call_id), n, since=since)


async def values(entities: Entities, key: EntityKey) -> list[object]:
    return [getattr(one.event, "value", "deleted") for one in await entities.history(key)]


async def test_what_was_written_is_read_back_with_who_wrote_it(entities: Entities) -> None:
    changed = await entities.write(KEY, {"red": 1}, call(0))
    entity = await entities.current(KEY)
    assert entity is not None
    assert entity == changed.after
    assert (entity.value, entity.version, entity.sequence) == ({"red": 1}, 1, 1)
    assert (entity.session_id, entity.call_id, entity.actor) == ("s1", "c1", Actor.AGENT)
    assert entity.replaced is None


async def test_each_change_is_a_version_that_names_what_it_replaced(entities: Entities) -> None:
    await entities.write(KEY, "red", call(0))
    await entities.write(KEY, "blue", call(1))
    changed = await entities.write(KEY, "green", EntityWriter.user("u1"))
    assert changed.after is not None
    assert (changed.after.version, changed.after.replaced, changed.after.actor) == (3, 2, Actor.USER)
    assert changed.before is not None
    assert changed.before.value == "blue"
    assert await values(entities, KEY) == ["red", "blue", "green"]


async def test_a_deleted_entity_is_gone_and_starts_again_at_version_one(entities: Entities) -> None:
    await entities.write(KEY, "red", call(0))
    await entities.write(KEY, "blue", call(1))
    assert (await entities.delete(KEY, call(2))).sequence == 3
    assert await entities.current(KEY) is None
    assert await entities.list(AGENT, EntityKind.STATE) == []
    changed = await entities.write(KEY, "new", call(3))
    assert changed.after is not None
    assert (changed.after.version, changed.after.replaced) == (1, 3)
    assert await values(entities, KEY) == ["red", "blue", "deleted", "new"]


async def test_deleting_what_is_not_there_changes_nothing(entities: Entities, log: Log) -> None:
    assert (await entities.delete(KEY, call(0))).sequence is None
    assert await log.last_sequence() == 0


async def test_several_entities_are_read_as_of_one_event_in_the_order_asked_for(entities: Entities) -> None:
    other, none = (EntityKey(AGENT, EntityKind.STATE, name) for name in ("other", "none"))
    await entities.write(KEY, "red", call(0))
    await entities.write(other, 1, call(1))
    await entities.write(KEY, "blue", call(2))
    await entities.delete(other, call(3))

    async def at(sequence: int) -> list[object]:
        found = await entities.all_as_of([none, other, KEY], sequence)
        return [entity and entity.value for entity in found]

    assert await at(1) == [None, None, "red"]
    assert await at(3) == [None, 1, "blue"]
    assert await at(4) == [None, None, "blue"]


async def test_an_entity_is_read_as_of_any_event(entities: Entities) -> None:
    await entities.write(KEY, "red", call(0))
    await entities.write(EntityKey(AGENT, EntityKind.STATE, "other"), 1, call(1))
    await entities.write(KEY, "blue", call(2))
    await entities.delete(KEY, call(3))

    async def at(sequence: int) -> object:
        entity = await entities.as_of(KEY, sequence)
        return entity and entity.value

    assert [await at(n) for n in range(6)] == [None, "red", "red", "blue", None, None]
    names = [one.key.name for one in await entities.list(AGENT, EntityKind.STATE, up_to=3)]
    assert names == ["colour", "other"]


async def test_names_may_be_any_text(entities: Entities) -> None:
    names = ["plain", "with space", "a.b.>", "*", "ключ", "~x", "x" * 256, "汉" * 256]
    for n, name in enumerate(names):
        await entities.write(EntityKey(AGENT, EntityKind.STATE, name), n, call(n))
    listed = await entities.list(AGENT, EntityKind.STATE)
    assert {one.key.name: one.value for one in listed} == {name: n for n, name in enumerate(names)}
    with pytest.raises(Rejected):
        await entities.current(EntityKey(AGENT, EntityKind.STATE, "\ud800"))


async def test_kinds_and_agents_are_apart(entities: Entities) -> None:
    await entities.write(KEY, "mine", call(0))
    assert await entities.list(AgentId("a2"), EntityKind.STATE) == []
    assert await entities.list(AGENT, EntityKind.TOOL) == []


async def test_a_repeated_write_happens_once_and_answers_as_it_did_then(entities: Entities) -> None:
    first = await entities.write(KEY, "red", call(0))
    again = await entities.write(KEY, "something else", call(0))
    assert again.repeated
    assert again.after == first.after
    assert await values(entities, KEY) == ["red"]


async def test_a_repeated_edit_is_not_decided_again(entities: Entities) -> None:
    await entities.write(KEY, "a", call(0))

    def append_b(before: Entity | None) -> Change:
        assert before is not None
        return Write(before.value + "b")

    await entities.change(KEY, call(1), append_b)
    again = await entities.change(KEY, call(1), append_b)
    assert again.repeated
    assert again.before is not None
    assert (again.before.value, again.after and again.after.value) == ("a", "ab")
    assert await values(entities, KEY) == ["a", "ab"]


async def test_a_repeat_is_recognised_behind_later_writes_of_others(entities: Entities) -> None:
    await entities.write(KEY, "mine", call(0))
    await entities.write(KEY, "theirs", call(0, call_id="c2"))
    again = await entities.write(KEY, "mine", call(0))
    assert again.repeated
    assert again.after is not None
    assert again.after.sequence == 1
    current = await entities.current(KEY)
    assert current is not None
    assert current.value == "theirs"


async def test_a_repeated_deletion_still_says_that_it_deleted(entities: Entities) -> None:
    await entities.write(KEY, "x", call(0))
    await entities.delete(KEY, call(1))
    again = await entities.delete(KEY, call(1))
    assert (again.sequence, again.repeated, again.after) == (2, True, None)
    assert again.before is not None


async def test_the_same_call_id_in_another_session_is_another_write(entities: Entities) -> None:
    await entities.write(KEY, 1, EntityWriter.call(SessionId("s1"), CallId("c1"), 0, since=0))
    changed = await entities.write(KEY, 2, EntityWriter.call(SessionId("s2"), CallId("c1"), 0, since=0))
    assert not changed.repeated
    assert await values(entities, KEY) == [1, 2]


async def test_a_repeat_that_writes_elsewhere_is_an_error_of_the_tool(entities: Entities) -> None:
    await entities.write(KEY, 1, call(0))
    other = EntityKey(AGENT, EntityKind.STATE, "other")
    await entities.write(other, 1, call(1))
    with pytest.raises(Permanent) as caught:
        await entities.write(other, 2, call(0, since=2))
    assert caught.value.kind == "write_id_reused"


async def test_an_equal_value_is_a_version_unless_the_caller_says_otherwise(entities: Entities) -> None:
    await entities.write(KEY, "same", call(0))
    skipped = await entities.write(KEY, "same", call(1), skip_equal=True)
    assert (skipped.sequence, skipped.after and skipped.after.version) == (None, 1)
    written = await entities.write(KEY, "same", call(2))
    assert written.after is not None
    assert written.after.version == 2


async def test_a_write_that_expects_what_is_no_longer_there_conflicts(entities: Entities) -> None:
    await entities.write(KEY, "a", call(0), expect=0)
    with pytest.raises(Conflict):
        await entities.write(KEY, "b", call(1), expect=0)
    await entities.write(KEY, "b", call(2), expect=1)
    with pytest.raises(Conflict):
        await entities.delete(KEY, call(3), expect=1)
    await entities.delete(KEY, call(4), expect=2)
    await entities.write(KEY, "c", call(5), expect=0)
    assert await values(entities, KEY) == ["a", "b", "deleted", "c"]


async def test_a_change_overtaken_by_another_is_decided_anew(entities: Entities, log: Log) -> None:
    await entities.write(KEY, 1, call(0))
    rival = Entities(log, SystemClock(), event_sources.RUNNER)
    seen: list[object] = []
    stale = await log.last(KEY.subject)
    real_last = log.last

    async def last_before_the_rival_wrote(subject: str) -> object:
        if not seen:
            await rival.write(KEY, 10, call(0, call_id="rival"))
            return stale
        return await real_last(subject)

    def increment(before: Entity | None) -> Change:
        assert before is not None
        seen.append(before.value)
        return Write(before.value + 1)

    slow = Entities(_WithLast(log, last_before_the_rival_wrote), SystemClock(), event_sources.RUNNER)  # type: ignore[arg-type]
    changed = await slow.change(KEY, call(1), increment)
    assert seen == [1, 10]
    assert changed.after is not None
    assert (changed.after.value, changed.after.version) == (11, 3)


async def test_what_decide_rejects_is_not_written(entities: Entities, log: Log) -> None:
    def refuse(before: Entity | None) -> Change:
        raise Rejected("no such tool", kind="not_found")

    with pytest.raises(Rejected, match="no such tool"):
        await entities.change(KEY, call(0), refuse)
    assert await log.last_sequence() == 0


class _WithLast:
    """A log whose `last` answers late."""

    def __init__(self, log: Log, last: object) -> None:
        self._log = log
        self.last = last

    def __getattr__(self, name: str) -> object:
        return getattr(self._log, name)


async def test_the_entities_of_all_agents_are_listed_by_agent_and_name(entities: Entities) -> None:
    for number, (agent, name) in enumerate((("b", "x"), ("a", "y 1"), ("a", "x"), ("c", "gone"))):
        await entities.write(EntityKey(AgentId(agent), EntityKind.STATE, name), number, call(number))
    await entities.write(EntityKey(AGENT, EntityKind.SETTING, "other kind"), 1, call(8))
    await entities.delete(EntityKey(AgentId("c"), EntityKind.STATE, "gone"), call(9))
    found = await entities.list_of_everyone(EntityKind.STATE)
    assert [(one.key.agent_id, one.key.name) for one in found] == [("a", "x"), ("a", "y 1"), ("b", "x")]


async def test_versions_are_read_from_the_newest_back_from_any(entities: Entities) -> None:
    for number, value in enumerate(("red", "blue")):
        await entities.write(KEY, value, call(number))
    await entities.write(EntityKey(AGENT, EntityKind.STATE, "other"), 1, call(2))
    await entities.delete(KEY, call(3))
    await entities.write(KEY, "new", call(4))
    assert [one.sequence async for one in entities.versions(KEY)] == [5, 4, 2, 1]
    assert [one.sequence async for one in entities.versions(KEY, before=4)] == [2, 1]
    assert [one.sequence async for one in entities.versions(KEY, before=1)] == []
    nothing = EntityKey(AGENT, EntityKind.STATE, "nothing")
    assert [one async for one in entities.versions(nothing)] == []
    for before in (3, 99):
        with pytest.raises(Rejected) as refused:
            await anext(entities.versions(KEY, before=before))
        assert refused.value.kind == "not_found"


async def test_an_edit_with_a_request_is_recognised_however_late_and_keeps_its_digest(
    entities: Entities, log: Log
) -> None:
    edit = EntityWriter("edit-1", Actor.USER, since=0, request="digest")
    first = await entities.write(KEY, "mine", edit)
    await entities.write(KEY, "theirs", call(1))
    again = await entities.write(KEY, "mine", edit)
    assert (again.repeated, again.sequence) == (True, first.sequence)
    stored = await log.get(first.sequence or 0)
    assert stored is not None
    assert stored.envelope is not None
    assert stored.envelope.request == "digest"
    assert stored.envelope.causation is None
    assert await values(entities, KEY) == ["mine", "theirs"]


async def test_what_belongs_together_is_made_once_and_replaces_nothing(entities: Entities, log: Log) -> None:
    def first(name: str, value: object, id: str) -> InitialEntity:
        return InitialEntity(EntityKey(AGENT, EntityKind.STATE, name), value, EntityWriter(id, Actor.SERVICE))

    async def all_values() -> dict[str, object]:
        return {one.key.name: one.value for one in await entities.list(AGENT, EntityKind.STATE)}

    await entities.write(EntityKey(AGENT, EntityKind.STATE, "mine"), 1, call(0))
    await entities.write(EntityKey(AGENT, EntityKind.STATE, "gone"), 1, call(1))
    await entities.delete(EntityKey(AGENT, EntityKind.STATE, "gone"), call(2))
    more = [first("new", "n", "w1:n"), first("mine", "other", "w1:m"), first("gone", "back", "w1:g")]
    made = await entities.make(first("whole", "w", "w1"), more)
    assert await all_values() == {"mine": 1, "new": "n", "whole": "w"}
    assert (made.sequence, made.repeated, await log.last_sequence()) == (5, False, 5)

    again = await entities.make(first("whole", "w", "w1"), more)
    assert (again.sequence, again.repeated) == (5, True)
    theirs = await entities.make(first("whole", "theirs", "w2"), [first("newer", 1, "w2:n")])
    assert (theirs.sequence, theirs.after) == (None, made.after)
    assert await log.last_sequence() == 5


async def test_of_many_who_make_the_same_at_once_one_does(log: Log, entities: Entities) -> None:
    def all_of(writer: str) -> tuple[InitialEntity, list[InitialEntity]]:
        keys = [EntityKey(AGENT, EntityKind.STATE, name) for name in ("whole", "a", "b")]
        made, *more = [
            InitialEntity(key, writer, EntityWriter(f"{writer}:{key.name}", Actor.USER)) for key in keys
        ]
        return made, more

    done = await asyncio.gather(*(entities.make(*all_of(f"w{n}")) for n in range(5)))
    assert sorted(one.sequence or 0 for one in done) == [0, 0, 0, 0, 3]
    found = await entities.list(AGENT, EntityKind.STATE)
    assert len({one.value for one in found}) == 1
    assert await log.last_sequence() == 3


@pytest.mark.parametrize("name", ["a tool that is no JSON", "a tool without code", "state by another party"])
async def test_an_entity_whose_last_message_is_none_has_the_value_of_its_last_event(
    entities: Entities, log: Log, name: str
) -> None:
    misfit = OF_AGENTS[name](SessionKey(AGENT, SessionId("s1")))
    kind = EntityKind(misfit.subject.split(".")[2])
    key = EntityKey(AGENT, kind, "misfit")
    value = {"description": "d", "parameter_schema": {}, "code": "1"} if kind is EntityKind.TOOL else 1
    await log.append(misfit)
    assert await entities.current(key) is None
    assert await entities.list(AGENT, kind) == []
    written = await entities.write(key, value, call(0), expect=0)
    await log.append(misfit)
    found = await entities.current(key)
    assert found == written.after
    assert list(await entities.list(AGENT, kind)) == [found]
    assert await entities.as_of(key, await log.last_sequence()) == found
    again = await entities.write(key, value, EntityWriter.user("u1"))
    assert again.after is not None
    assert (again.after.version, again.after.replaced) == (2, written.sequence)
    await log.append(misfit)
    assert [one.sequence async for one in entities.versions(key)] == [again.sequence, written.sequence]
    assert [one.sequence for one in await entities.history(key)] == [written.sequence, again.sequence]
    assert (await entities.delete(key, EntityWriter.user("u2"))).before == again.after
    assert await entities.current(key) is None


def stated(name: str) -> EntityKey:
    return EntityKey(AGENT, EntityKind.STATE, name)


async def test_entities_change_together_or_not_at_all(entities: Entities, log: Log) -> None:
    taken = (await entities.write(stated("place"), "a", call(0))).after
    writer = call(1)

    async def move(before: Entity | None) -> ChangeSet:
        return ChangeSet(
            Write("moved"),
            (
                OtherChange(stated("place"), taken, Delete(), writer.beside("from")),
                OtherChange(stated("other place"), None, Write("a"), writer.beside("to")),
            ),
        )

    moved = await entities.change_together(KEY, writer, move)
    now = [await entities.current(stated(name)) for name in ("colour", "place", "other place")]
    assert [one and one.value for one in now] == ["moved", None, "a"]
    again = await entities.change_together(KEY, writer, move)
    assert (again.sequence, again.repeated, await log.last_sequence()) == (moved.sequence, True, 4)
    assert await entities.written_by(AGENT, EntityKind.STATE, writer) == again
    assert await entities.written_by(AGENT, EntityKind.STATE, call(2)) is None


async def test_another_that_changed_meanwhile_makes_it_decide_anew(entities: Entities) -> None:
    stale = await entities.current(stated("place"))
    asked = []

    async def decide(before: Entity | None) -> ChangeSet:
        asked.append(before)
        seen = stale if len(asked) == 1 else await entities.current(stated("place"))
        if len(asked) == 1:
            await entities.write(stated("place"), "theirs", EntityWriter.user("u1"))
        return ChangeSet(
            Write("mine"), (OtherChange(stated("place"), seen, Write("mine"), call(1).beside("p")),)
        )

    await entities.change_together(KEY, call(1), decide)
    assert (len(asked), await values(entities, stated("place"))) == (2, ["theirs", "mine"])


async def test_of_many_who_take_one_thing_at_once_one_gets_it(entities: Entities) -> None:
    async def take(n: int) -> bool:
        writer = EntityWriter.user(f"u{n}")

        async def decide(before: Entity | None) -> ChangeSet:
            if await entities.current(stated("place")) is not None:
                return ChangeSet(None)
            return ChangeSet(Write(n), (OtherChange(stated("place"), None, Write(n), writer.beside("p")),))

        return (await entities.change_together(stated(f"mine-{n}"), writer, decide)).sequence is not None

    assert sorted(await asyncio.gather(*map(take, range(6)))) == [False] * 5 + [True]
    assert len(await entities.list(AGENT, EntityKind.STATE)) == 2
