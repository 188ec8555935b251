"""What an agent brings is read again only where something of it was written."""

from collections.abc import Awaitable, Callable, Mapping

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.enabled_packs import PACKS_KIND, PACKS_NAME
from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.packs import PackAbout, PromptText
from agent_contracts.tool_spec import Catalogue
from agent_domain.files.workspaces import Workspaces
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.model_caller.calling import FixedTools, choice_of, settings_of
from model_caller.offering.made_things import READ_ANEW_S, MadeByAgents
from model_caller.offering.profile import Profiles
from model_caller.offering.workspace_shown import WorkspacesShown

AGENT, SESSION = AgentId("default"), SessionId("s_1")
KEY = SessionKey(AGENT, SESSION)


class Asked(MemoryLog):
    """Counts requests for the last message of each of many subjects."""

    def __init__(self) -> None:
        super().__init__()
        self.requests = 0

    async def last_of_each(
        self, *subjects: str, after: int = 0, up_to: int | None = None
    ) -> list[StoredMessage]:
        self.requests += 1
        return await super().last_of_each(*subjects, after=after, up_to=up_to)


class PackTools(FixedTools):
    """No tools, but one pack that shows the workspace."""

    text = PromptText("ws", "Workspace", works_on_files=("f",))
    pack = Catalogue("shows", "1", [], about=PackAbout("Shows", "", texts=(text,)))

    def packs(self) -> Mapping[str, Catalogue]:
        return {"shows": self.pack}


class World:
    """An agent, and the time."""

    def __init__(self) -> None:
        self.log, self.at = Asked(), 0.0
        self.entities = Entities(self.log, SystemClock(), event_sources.GATEWAY)
        settings = EffectiveSettings(self.entities, settings_of(choice_of("m")))
        made = MadeByAgents(self.entities)
        self.tools = PackTools()
        shown = WorkspacesShown(self.entities, Workspaces(self.log))
        self.profiles = Profiles(self.entities, made, self.tools, settings, shown, lambda: self.at)

    async def write(self, kind: EntityKind, name: str, value: Json, agent_id: AgentId = AGENT) -> int:
        changed = await self.entities.write(
            EntityKey(agent_id, kind, name), value, EntityWriter(SystemClock().new_id("w"), Actor.USER)
        )
        assert changed.sequence is not None
        return changed.sequence


async def test_where_nothing_was_written_one_request_says_so() -> None:
    world = World()
    first = await world.profiles.as_of(KEY, await world.write(EntityKind.PROMPT, "system", {"text": "Be."}))
    later = await world.write(EntityKind.STATE, "k", 1)
    world.log.requests = 0
    assert await world.profiles.as_of(KEY, later) is first
    assert world.log.requests == 1


@pytest.mark.parametrize(
    "write",
    [
        lambda world: world.write(EntityKind.NOTEPAD, SESSION, {"text": "New."}),
        lambda world: world.write(EntityKind.SETTING, "timezone", "Europe/Oslo"),
        lambda world: world.write(EntityKind.SETTING, "timezone", "Europe/Oslo", SYSTEM_AGENT),
        lambda world: world.write(EntityKind.SECRET, "KEY", {"hosts": ["a.org"], "revision": 1}),
    ],
    ids=["a text", "a setting", "one of the installation", "a secret"],
)
async def test_what_was_written_is_seen(write: Callable[[World], Awaitable[int]]) -> None:
    world = World()
    first = await world.profiles.as_of(KEY, await world.write(EntityKind.STATE, "k", 1))
    later = await write(world)
    assert await world.profiles.as_of(KEY, later) != first


async def test_the_workspace_is_shown_as_of_each_call_where_a_pack_shows_it() -> None:
    world = World()
    value = {"media_type": "text/plain", "size": 1, "blob": "0" * 64, "scope": "agent", "source": "tool"}
    before = await world.write(EntityKind.FILE, "f_1", {**value, "path": "a/one.txt"})
    assert (await world.profiles.as_of(KEY, before)).profile.texts == ()
    enabled = await world.write(PACKS_KIND, PACKS_NAME, {"packs": ["shows"]})
    first = (await world.profiles.as_of(KEY, enabled)).profile.texts
    assert [one.heading for one in first] == ["Workspace"]
    assert first[0].text.endswith("a/\n  one.txt")
    later = await world.write(EntityKind.FILE, "f_2", {**value, "path": "b.txt"})
    (text,) = (await world.profiles.as_of(KEY, later)).profile.texts
    assert text.text.endswith("a/\n  one.txt\nb.txt")
    assert (await world.profiles.as_of(KEY, enabled)).profile.texts == first


async def test_an_earlier_moment_is_read_as_it_was() -> None:
    world = World()
    early = await world.write(EntityKind.STATE, "k", 1)
    first = await world.profiles.as_of(KEY, early)
    later = await world.write(EntityKind.NOTEPAD, SESSION, {"text": "New."})
    assert await world.profiles.as_of(KEY, later) != first
    assert await world.profiles.as_of(KEY, early) == first


async def test_after_some_minutes_it_is_read_anew() -> None:
    world = World()
    first = await world.profiles.as_of(KEY, await world.write(EntityKind.STATE, "k", 1))
    world.at += READ_ANEW_S + 1
    assert await world.profiles.as_of(KEY, 1) is not first
