"""Rewind without HTTP: what a session changed of its agent goes back, what others did stays."""

from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Failure, Rejected, Transient
from agent_contracts.event_sources import Actor
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.address import Address
from agent_contracts.outside import Source
from agent_contracts.questions.queries import REPLAY
from agent_contracts.selection import Selection
from agent_contracts.session_events.decisions import Completed
from agent_domain.schedules.times_passed import PAUSED_BY_REWIND
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.in_memory import InMemory, at_rest
from gateway.operations.idempotency import asked
from gateway.operations.rewind.forks import NewFork
from gateway.operations.rewind.session_rewinds import WantedParts
from gateway.operations.sessions.creation import NewSession


class World:
    """A session that changes its agent's state, as others do too."""

    def __init__(self, memory: InMemory, session: SessionId) -> None:
        self.memory = memory
        self.session = session
        self._entities = Entities(memory.log, SystemClock(), event_sources.RUNNER)
        self._writes = 0

    async def writes(self, name: str, value: Any, by: SessionId | None = None) -> int:
        self._writes += 1
        writer = EntityWriter(f"w{self._writes}", Actor.AGENT, by or self.session, CallId("c"))
        changed = await self._entities.write(_key(name), value, writer)
        assert changed.sequence is not None
        return changed.sequence

    async def state(self) -> dict[str, Any]:
        found = await self._entities.list(DEFAULT_AGENT, EntityKind.STATE)
        return {one.key.name: one.value for one in found}

    def rests(self, at: int) -> None:
        """Every event up to this one is a point of rest, as the engine tells it."""
        at_rest(self.memory, self.session, at)


def _key(name: str) -> EntityKey:
    return EntityKey(DEFAULT_AGENT, EntityKind.STATE, name)


@pytest.fixture
async def world(memory: InMemory) -> World:
    session = await memory.operations.creation.create(NewSession(), asked())
    return World(memory, SessionId(session.id))


async def test_what_the_session_changed_goes_back_and_what_others_touched_stays(world: World) -> None:
    point = await world.writes("mine", "old")
    await world.writes("ours", "old")
    world.rests(point)
    await world.writes("mine", "new")
    await world.writes("ours", "theirs", by=SessionId("s_other"))
    preview = await world.memory.operations.session_previews.preview(world.session, Address(point))
    assert [(one.name, one.touched_by_others) for one in preview.agent] == [("mine", False), ("ours", True)]
    wanted = WantedParts(to=Address(point), parts=("agent",))
    async with world.memory.deciding():
        done = await world.memory.operations.session_rewinds.rewind(world.session, wanted, asked())
    assert done.rewound == {"state": 1}
    assert [(one.name, one.why) for one in done.stays] == [("ours", "changed_by_others")]
    assert await world.state() == {"mine": "old", "ours": "theirs"}


async def test_what_goes_back_is_from_where_it_was_before(world: World) -> None:
    page = (Source("web", "evil.example", "7", world.session),)
    entities = Entities(world.memory.log, SystemClock(), event_sources.RUNNER)
    marked = EntityWriter("m1", Actor.AGENT, world.session, CallId("c")).having(page)
    point = (await entities.write(_key("mine"), "old", marked)).sequence
    assert point is not None
    world.rests(point)
    await world.writes("mine", "new")
    async with world.memory.deciding():
        await world.memory.operations.session_rewinds.rewind(
            world.session, WantedParts(to=Address(point), parts=("agent",)), asked()
        )
    back = await entities.current(_key("mine"))
    assert back is not None
    assert (back.value, back.actor, back.outside) == ("old", Actor.USER, page)


async def test_a_repeat_of_the_same_key_does_nothing_more(world: World) -> None:
    point = await world.writes("mine", "old")
    world.rests(point)
    await world.writes("mine", "new")
    wanted, request = WantedParts(to=Address(point), parts=("agent",)), asked("k", "back", world.session)
    async with world.memory.deciding():
        first = await world.memory.operations.session_rewinds.rewind(world.session, wanted, request)
    last = await world.memory.log.last_sequence()
    again = await world.memory.operations.session_rewinds.rewind(world.session, wanted, request)
    assert again == first
    assert await world.memory.log.last_sequence() == last


async def test_what_others_touched_goes_back_where_it_is_named(world: World) -> None:
    point = await world.writes("ours", "old")
    world.rests(point)
    await world.writes("ours", "new")
    await world.writes("ours", "theirs", by=SessionId("s_other"))
    named = WantedParts(to=Address(point), parts=("agent",), including=(Selection("state", ("ours",)),))
    async with world.memory.deciding():
        await world.memory.operations.session_rewinds.rewind(world.session, named, asked())
    assert await world.state() == {"ours": "old"}


async def test_without_an_engine_nothing_of_the_agent_goes_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.operations.rewind.session_rewinds._DECISION_S", 0.1)
    point = await world.writes("mine", "old")
    world.rests(point)
    await world.writes("mine", "new")
    with pytest.raises(Transient):
        await world.memory.operations.session_rewinds.rewind(
            world.session, WantedParts(Address(point), ("agent",)), asked()
        )
    assert await world.state() == {"mine": "new"}


@pytest.mark.parametrize(
    ("back", "kind"),
    [
        (WantedParts(Address(99), ("agent",)), "invalid_request"),
        (WantedParts(Address(1), ("conversation",)), "session_closed"),
    ],
)
async def test_what_can_not_go_back_is_refused(world: World, back: WantedParts, kind: str) -> None:
    world.rests(1)
    await world.memory.decided(world.session, Completed(reason="reported"))
    last = await world.memory.log.last_sequence()
    with pytest.raises(Rejected) as caught:
        await world.memory.operations.session_rewinds.rewind(world.session, back, asked())
    assert caught.value.kind == kind
    assert await world.memory.log.last_sequence() == last


class Waiting:
    """What the session has waiting for a time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._entities = Entities(world.memory.log, SystemClock(), event_sources.RUNNER)

    async def writes(self, kind: EntityKind, name: str, value: Any) -> int:
        writer = EntityWriter(f"w-{name}-{value}", Actor.AGENT, self._world.session, CallId("c"))
        key = EntityKey(DEFAULT_AGENT, kind, name)
        change = (
            self._entities.delete(key, writer) if value is None else self._entities.write(key, value, writer)
        )
        sequence = (await change).sequence
        assert sequence is not None
        return sequence

    async def values(self, kind: EntityKind) -> dict[str, Any]:
        return {one.key.name: one.value for one in await self._entities.list(DEFAULT_AGENT, kind)}


async def test_a_reminder_whose_time_has_passed_comes_back_as_missed_and_says_so_before(world: World) -> None:
    waiting = Waiting(world)
    past = {"session_id": world.session, "at": "2020-01-01T00:00:00Z", "message": "then"}
    coming = {"session_id": world.session, "at": "2999-01-01T00:00:00Z", "message": "some day"}
    told = {**past, "done": "told"}
    for name, value in (("r_gone", past), ("r_told", past), ("r_coming", coming)):
        point = await waiting.writes(EntityKind.REMINDER, name, value)
    world.rests(point)
    await waiting.writes(EntityKind.REMINDER, "r_gone", None)
    await waiting.writes(EntityKind.REMINDER, "r_told", told)
    await waiting.writes(EntityKind.REMINDER, "r_coming", None)
    await waiting.writes(EntityKind.REMINDER, "r_later", coming)
    preview = await world.memory.operations.session_previews.preview(world.session, Address(point))
    assert [(one.name, one.time_passed) for one in preview.agent] == [
        ("r_coming", False),
        ("r_gone", True),
        ("r_later", False),
    ]
    async with world.memory.deciding():
        await world.memory.operations.session_rewinds.rewind(
            world.session, WantedParts(to=Address(point), parts=("agent",)), asked()
        )
    missed = {**past, "done": "missed"}
    expected = {"r_coming": coming, "r_gone": missed, "r_told": told}
    assert await waiting.values(EntityKind.REMINDER) == expected
    again = await world.memory.operations.session_previews.preview(world.session, Address(point))
    assert again.agent == []


async def test_a_task_that_was_to_run_once_in_the_past_comes_back_paused(world: World) -> None:
    waiting = Waiting(world)
    once = {"name": "Once", "task": "do it", "at": "2020-01-01T00:00:00Z"}
    often = {"name": "Often", "task": "do it", "cron": "* * * * *"}
    await waiting.writes(EntityKind.SCHEDULE, "t_once", once)
    point = await waiting.writes(EntityKind.SCHEDULE, "t_often", often)
    world.rests(point)
    for name in ("t_once", "t_often"):
        await waiting.writes(EntityKind.SCHEDULE, name, None)
    async with world.memory.deciding():
        done = await world.memory.operations.session_rewinds.rewind(
            world.session, WantedParts(to=Address(point), parts=("agent",)), asked()
        )
    assert done.rewound == {"schedule": 2}
    back = await waiting.values(EntityKind.SCHEDULE)
    assert back["t_often"] == often
    assert back["t_once"] == {**once, "enabled": False, "paused_because": PAUSED_BY_REWIND}


async def test_a_live_replay_needs_a_turn_to_go_on_with(world: World) -> None:
    world.rests(1)
    with pytest.raises(Rejected) as caught:
        await world.memory.operations.replays.live(world.session, NewFork(at=Address(1)), asked())
    assert caught.value.kind == "invalid_request"


async def test_a_strict_replay_tells_what_the_engine_found(world: World) -> None:
    world.memory.engine.answers[REPLAY] = {"session_id": world.session, "events": 3, "decisions": 2}
    report = await world.memory.operations.replays.strict(world.session)
    assert (report.events, report.decisions, report.difference) == (3, 2, None)


@pytest.mark.parametrize(
    "new", [NewFork(at=Address(1), message=" "), NewFork(at=Address(1), title=""), NewFork(at=Address(99))]
)
async def test_what_no_fork_can_begin_with_is_refused_before_the_engine_is_asked_for_it(
    world: World, new: NewFork
) -> None:
    world.rests(1)
    with pytest.raises(Failure) as caught:
        await world.memory.operations.forks.fork(world.session, new, asked())
    assert caught.value.kind == "invalid_request"
    assert all("Fork" not in type(one).__name__ for one in world.memory.engine.asked)
