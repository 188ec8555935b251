"""Which of several values of a setting counts, and which values there can be."""

import re
from typing import Any

import pytest
from pydantic import SecretStr

from agent_contracts import event_sources
from agent_contracts.api.settings import Level
from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_domain.personal.declarations import PersonSettings
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.personal.precedence import level_of
from agent_domain.personal.values import NAMES, check_name, checked, form, read
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from agent_platform.secrecy.known_secrets import KNOWN, MASK
from agent_platform.settings.settings import SourcedSettings
from foldline_testing.agent_platform.memory_log import MemoryLog

AGENT = AgentId("a1")


class Told(PersonSettings, SourcedSettings):
    """Everything that can be told."""


class Safe:
    """Secrets in memory."""

    def __init__(self) -> None:
        self.values: dict[tuple[AgentId, str], str] = {}
        self.asked = 0

    async def get(self, agent_id: AgentId, name: str) -> str:
        """See `Secrets`."""
        self.asked += 1
        if (agent_id, name) not in self.values:
            raise Rejected("gone", kind="not_found")
        return self.values[agent_id, name]


class World:
    """One log with settings, and who reads them."""

    def __init__(self, **told: Any) -> None:
        self.entities = Entities(MemoryLog(), SystemClock(), event_sources.GATEWAY)
        self.safe = Safe()
        self.effective = EffectiveSettings(self.entities, Told(timezone="UTC", **told), self.safe)
        self._writes = 0

    async def write(self, agent_id: AgentId, name: str, value: Json) -> int:
        """Somebody sets it."""
        self._writes += 1
        key = EntityKey(agent_id, EntityKind.SETTING, name)
        writer = EntityWriter.user(f"w{self._writes}")
        changed = await (
            self.entities.delete(key, writer) if value is None else self.entities.write(key, value, writer)
        )
        assert changed.sequence is not None
        return changed.sequence


@pytest.mark.parametrize(
    ("has", "level"),
    [
        ("environment agent installation file", Level.ENVIRONMENT),
        ("agent installation file", Level.AGENT),
        ("installation file", Level.INSTALLATION),
        ("file", Level.FILE),
        ("", Level.DEFAULT),
    ],
)
def test_the_first_level_that_has_a_value_counts(has: str, level: Level) -> None:
    def names(which: str) -> tuple[str, ...]:
        return ("token_limit",) if which in has.split() else ()

    found = level_of(
        "token_limit",
        locked=names("environment"),
        agent=names("agent"),
        installation=names("installation"),
        file=names("file"),
    )
    assert found is level


async def test_a_setting_holds_from_the_event_that_set_it_on() -> None:
    world = World(token_limit=100)
    first = await world.write(SYSTEM_AGENT, "token_limit", 200)
    second = await world.write(AGENT, "token_limit", 300)
    third = await world.write(AGENT, "token_limit", None)
    moments = [(await world.effective.of(AGENT, at)).token_limit for at in (first, second, third)]
    assert moments == [200, 300, 200]
    assert (await world.effective.of(AgentId("another"))).token_limit == 200
    assert (await world.effective.of(SYSTEM_AGENT)).token_limit == 200


async def test_what_the_environment_says_stays() -> None:
    world = World(token_limit=100, locked="token_limit,model")
    await world.write(SYSTEM_AGENT, "token_limit", 200)
    await world.write(AGENT, "token_limit", 300)
    await world.write(AGENT, "child_count", 2)
    found = await world.effective.of(AGENT)
    assert (found.token_limit, found.child_count) == (100, 2)


async def test_a_stored_value_that_is_none_is_passed_over() -> None:
    world = World(token_limit=100)
    await world.write(SYSTEM_AGENT, "token_limit", 200)
    nonsenses: tuple[Any, ...] = ("many", -1, {"a": 1}, [], True)
    for nonsense in nonsenses:
        await world.write(AGENT, "token_limit", nonsense)
        assert (await world.effective.of(AGENT)).token_limit == 200
    await world.write(AGENT, "another_setting", 5)
    await world.write(AGENT, "data_dir", "/somewhere")
    assert (await world.effective.of(AGENT)).data_dir == world.effective.told.data_dir


async def test_the_server_of_the_model_at_the_start_is_not_that_of_another_model() -> None:
    world = World(model="openai/demo", model_base_url="http://127.0.0.1:1/v1", model_api_key=SecretStr("k"))
    await world.write(SYSTEM_AGENT, "model", "openai/gpt-5-mini")
    found = await world.effective.of(AGENT)
    assert (found.model, found.model_base_url, found.model_api_key) == ("openai/gpt-5-mini", None, None)
    await world.write(SYSTEM_AGENT, "model_base_url", "http://127.0.0.1:2/v1")
    await world.write(AGENT, "model", "openai/small")
    found = await world.effective.of(AGENT)
    assert (found.model, found.model_base_url) == ("openai/small", "http://127.0.0.1:2/v1")


async def test_a_key_is_read_once_for_each_revision() -> None:
    world = World()
    world.safe.values[SYSTEM_AGENT, "openai_api_key"] = "first"
    await world.write(SYSTEM_AGENT, "openai_api_key", {"revision": 1})
    for _ in range(3):
        assert (await world.effective.of(AGENT)).key_of("openai") == "first"
    assert world.safe.asked == 1
    world.safe.values[SYSTEM_AGENT, "openai_api_key"] = "second"
    await world.write(SYSTEM_AGENT, "openai_api_key", {"revision": 2})
    assert (await world.effective.of(AGENT)).key_of("openai") == "second"
    await world.write(SYSTEM_AGENT, "anthropic_api_key", {"revision": 1})
    assert (await world.effective.of(AGENT)).key_of("anthropic") is None, "its value is gone"


def test_every_setting_of_a_person_takes_its_own_default_again() -> None:
    defaults = PersonSettings(timezone="UTC").model_dump(mode="json")
    for name in NAMES:
        if form(name) == "secret":
            assert checked(name, " sk-123 ") == "sk-123"
        else:
            stored = checked(name, "" if defaults[name] is None else defaults[name])
            assert read(name, stored) == getattr(PersonSettings(timezone="UTC"), name)


@pytest.mark.parametrize("name", ["model", "timezone", "prices", "vision_models", "openai_api_key"])
def test_a_huge_value_is_refused_in_few_words(name: str) -> None:
    huge: Json = (
        {f"openai/{n}": {"input": 1, "output": 1} for n in range(501)} if name == "prices" else "x" * 10**6
    )
    with pytest.raises(Rejected) as error:
        checked(name, huge)
    assert len(error.value.message) < 500
    assert error.value.path == f"/values/{name}"


def test_prices_hold_for_all_agents_alone() -> None:
    check_name("prices", of_agent=False)
    with pytest.raises(Rejected, match="for all agents"):
        check_name("prices", of_agent=True)


def test_a_key_is_cleaned_of_what_is_certainly_not_meant() -> None:
    assert checked("openai_api_key", "\ufeff sk-\u200babc\u2060 \r\n") == "sk-abc"
    for bad, named in (
        ("‘sk-abc’", "U+2018"),
        ("sk-a\nbc", "U+000A"),
        ("sk-é", "U+00E9"),
        ("sk a", "U+0020"),
    ):
        with pytest.raises(Rejected, match=re.escape(named)):
            checked("openai_api_key", bad)
    with pytest.raises(Rejected, match="must be a key"):
        checked("openai_api_key", " \u200b\n")


@pytest.mark.parametrize("name", ["model", "model_low", "model_medium", "model_high"])
def test_a_model_may_be_a_chain_and_a_wrong_one_is_refused_in_words(name: str) -> None:
    assert checked(name, " openai/a ,\u200b anthropic/b") == "openai/a,anthropic/b"
    for bad, said in (
        ("openai/a,,b", "a model's name is missing before, between or after its commas"),
        ("openai/a, openai/a", "it names openai/a twice"),
        ("a,b,c,d,e,f", "it names 6 models, and a chain has at most 5"),
        ("openai/a b", "U+0020"),
    ):
        with pytest.raises(Rejected, match=re.escape(said)) as error:
            checked(name, bad)
        assert error.value.path == f"/values/{name}"
    with pytest.raises(Rejected):
        checked("embedding_model", f"{'x' * 150},{'y' * 150}")


def test_several_keys_are_cleaned_one_by_one_and_none_of_them_is_kept_in_texts() -> None:
    one, two = "sk-first-of-two-0123456789", "sk-second-of-two-0123456789"
    kept = checked("openai_api_key", f" {one} ,\ufeff{two}\n")
    assert kept == f"{one},{two}"
    with pytest.raises(Rejected, match=re.escape("U+0020")):
        checked("openai_api_key", f"{one}, sk second")
    with KNOWN.no_longer():
        KNOWN.learn(str(kept))
        assert KNOWN.text(f"{one} and {two}") == f"{MASK} and {MASK}"
