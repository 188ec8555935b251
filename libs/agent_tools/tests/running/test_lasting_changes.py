"""Changes that last: a session may change what it made after outside; a person allows all else."""

import asyncio
from contextlib import suppress

import pytest
import structlog

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.ids import CallId, SessionId
from agent_contracts.outside import Source, Sources
from agent_contracts.tool_spec import Effect, LastingEffect, RunsOn, ToolSpec
from agent_domain.policies.judgement import CompiledPolicies
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_tools.context import CallContext, CallSources
from agent_tools.running.call_writers import writers_of_page
from agent_tools.running.gate import RequestGate
from agent_tools.running.lasting_changes import MOST_LOOKED_AT, JudgedChanges
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.clock import MovableClock
from foldline_testing.agent_tools.world import AGENT, SESSION, SOURCE

PAGE: Sources = (Source("web", "evil.example", "9.0"),)
THING = EntityKey(AGENT, EntityKind.STATE, "mine")
UPDATE = ToolSpec(
    "update_tool",
    "Changes.",
    {"type": "object"},
    "definitions",
    Effect.RECORDED,
    RunsOn.TOOLS,
    lasting=LastingEffect.CALL,
)


class Changing:
    """One session that changes a thing of the agent's."""

    def __init__(self, session: SessionId | None = SESSION, outside: Sources = PAGE) -> None:
        self.entities = Entities(MemoryLog(), MovableClock(), SOURCE)
        brought = CallSources(outside)
        self._call = CallContext(
            AGENT,
            session,
            CallId("c9"),
            10**6,
            1,
            writers_of_page(CallId("c9"), 0, brought),
            asyncio.Event(),
            structlog.get_logger(),
            outside=brought,
            tool="update_tool",
            family="definitions",
        )

    async def made_by(
        self, actor: Actor, session: SessionId | None, outside: Sources, versions: int = 1
    ) -> None:
        """The thing, made so, and then changed."""
        for number in range(versions):
            writer = EntityWriter(f"w{number}", actor, session, outside=outside)
            await self.entities.write(THING, number, writer)

    async def is_asked(self) -> bool:
        """Whether a person has to allow the change."""
        gate = RequestGate(self.entities, self._call, CompiledPolicies())
        judged = JudgedChanges(gate, self.entities, self._call)
        with suppress(Rejected):
            await judged.require(UPDATE, {"name": "mine"}, THING)
        return self._call.wanted.show is not None


@pytest.mark.parametrize(
    ("actor", "session", "outside", "asked"),
    [
        (Actor.AGENT, SESSION, PAGE, False),
        (Actor.AGENT, SESSION, (), True),
        (Actor.AGENT, SessionId("s2"), PAGE, True),
        (Actor.USER, None, (), True),
    ],
    ids=["made here after outside", "made here before", "made by another session", "a person's"],
)
async def test_only_what_this_session_made_from_outside_is_changed_unasked(
    actor: Actor, session: SessionId | None, outside: Sources, asked: bool
) -> None:
    changing = Changing()
    await changing.made_by(actor, session, outside)
    assert await changing.is_asked() is asked


async def test_what_is_new_is_made_unasked_and_without_material_from_outside_everything_is() -> None:
    assert not await Changing().is_asked()
    inside = Changing(outside=())
    await inside.made_by(Actor.USER, None, ())
    assert not await inside.is_asked()


async def test_how_it_was_made_is_looked_for_in_some_versions_and_then_a_person_is_asked() -> None:
    for versions, asked in ((MOST_LOOKED_AT, False), (MOST_LOOKED_AT + 1, True)):
        changing = Changing()
        await changing.made_by(Actor.AGENT, SESSION, PAGE, versions)
        assert await changing.is_asked() is asked


async def test_a_page_asks_nobody() -> None:
    changing = Changing(session=None)
    await changing.made_by(Actor.USER, None, ())
    assert not await changing.is_asked()
