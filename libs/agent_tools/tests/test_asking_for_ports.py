"""A tool asks for its ports by type: what it asks for is built, once a call, and nothing else."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

import pytest

from agent_contracts.ids import CallId
from agent_tools.broken_tools import BrokenTools
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentState
from agent_tools.ports.running import OtherTools
from agent_tools.providers import Provider, Providers
from agent_tools.registry import Pack, Registry
from agent_tools.running.contexts import context_of_page
from agent_tools.tool import PURE, Arguments, Result, Tool, tool
from agent_tools.toolbox import Toolbox
from foldline_testing.agent_tools.fakes import MemoryState
from foldline_testing.agent_tools.world import AGENT, CallWorld


class Nothing(Arguments):
    """No arguments."""


class Said(Result):
    """Words."""

    words: list[str]


class Radio(Protocol):
    """A port of a runner's own."""

    async def hear(self) -> str:
        """What is on."""
        ...


class Aerial(Protocol):
    """What a radio is built from."""


class Fake:
    """Is anything: a radio, and its aerial."""

    def __init__(self, words: str = "news") -> None:
        self._words = words

    async def hear(self) -> str:
        """See `Radio`."""
        return self._words


@tool("listen", family="test", effect=PURE)
async def listen(args: Nothing, radio: Radio, call: CallContext) -> Said:
    """Listen."""
    return Said(words=[await radio.hear(), call.call_id])


@tool("twice", family="test", effect=PURE)
async def twice(args: Nothing, tools: OtherTools, radio: Radio) -> Said:
    """Listen oneself, and let another tool listen within the same call."""
    other = tools.find("listen")
    assert other is not None
    heard = await tools.run(other, Nothing())
    assert isinstance(heard, Said)
    return Said(words=[await radio.hear(), *heard.words])


@tool("idle", family="test", effect=PURE)
async def idle(args: Nothing) -> Said:
    """Ask for nothing."""
    return Said(words=[])


class Built:
    """Providers that note what they build."""

    def __init__(self) -> None:
        self.ports: list[str] = []

    def aerial(self) -> Aerial:
        """The aerial."""
        self.ports.append("aerial")
        return Fake()

    def radio(self, aerial: Aerial, call: CallContext) -> Radio:
        """A radio on the aerial."""
        assert isinstance(aerial, Fake)
        self.ports.append(f"radio of {call.call_id}")
        return Fake()

    def state(self) -> AgentState:
        """Asked for by nobody here."""
        self.ports.append("state")
        return MemoryState()

    @property
    def all(self) -> tuple[Provider, ...]:
        """All three."""
        return self.aerial, self.radio, self.state


def registry_of(*tools: Tool) -> Registry:
    return Registry([Pack("test", "1", tools)])


def context(call_id: str = "q1") -> CallContext:
    return context_of_page(AGENT, CallId(call_id), 7, "listen")


async def test_only_what_a_tool_asks_for_is_built_with_what_that_is_built_from() -> None:
    built = Built()
    toolbox = Toolbox.of(registry_of(listen, idle), *built.all)
    await toolbox.opened(context()).run(idle, Nothing())
    assert built.ports == []
    assert await toolbox.opened(context()).run(listen, Nothing()) == Said(words=["news", "q1"])
    assert built.ports == ["aerial", "radio of q1"]


async def test_a_port_is_built_once_a_call_however_many_tools_of_the_call_ask_for_it() -> None:
    built = Built()
    toolbox = Toolbox.of(registry_of(listen, twice), *built.all)
    assert await toolbox.opened(context()).run(twice, Nothing()) == Said(words=["news", "news", "q1"])
    assert built.ports == ["aerial", "radio of q1"]
    await toolbox.opened(context("q2")).run(twice, Nothing())
    assert built.ports[2:] == ["aerial", "radio of q2"]


async def test_a_port_can_be_replaced_for_some_calls() -> None:
    toolbox = Toolbox.of(registry_of(listen), *Built().all)

    def other() -> Radio:
        return Fake("music")

    assert await toolbox.but(other).opened(context()).run(listen, Nothing()) == Said(words=["music", "q1"])
    assert await toolbox.opened(context()).run(listen, Nothing()) == Said(words=["news", "q1"])


def test_a_runner_that_lacks_a_port_says_which_tool_wants_it() -> None:
    with pytest.raises(BrokenTools, match=r"'listen' \(.*\) asks by 'radio' for the port Radio"):
        Toolbox.of(registry_of(listen))


async def test_a_tool_that_came_later_and_wants_what_nobody_provides_ends_as_a_bug() -> None:
    world = CallWorld(registry_of(idle))

    class Later:
        async def find(self, call: Any) -> Tool:
            return listen

    world.own_tools = Later  # type: ignore[method-assign]
    event = await world.run("listen")
    assert (event.error.kind, "LookupError" in event.error.message) == ("internal", True)


def test_providers_that_cant_be_used_together_are_refused() -> None:
    built = Built()

    def alone(state: AgentState) -> Radio:
        return Fake()

    def chicken(egg: Radio) -> Aerial:
        return Fake()

    def egg(chicken: Aerial) -> Radio:
        return Fake()

    def silent():  # type: ignore[no-untyped-def]
        return Fake()

    def several() -> list[Radio]:
        return []

    def careless(state=None) -> Radio:  # type: ignore[no-untyped-def]
        return Fake()

    for providers, why in (
        ((built.radio, built.radio, built.aerial), "two providers"),
        ((alone,), "Radio is built from AgentState, which this runner doesn't provide"),
        ((chicken, egg), "from itself: Aerial → Radio → Aerial"),
        ((silent,), "not a provider"),
        ((several,), "can't be a port"),
        ((careless,), "without a default"),
    ):
        with pytest.raises(BrokenTools, match=why):
            Providers((CallContext,), providers)


async def _untyped(args: Nothing, radio) -> Said:  # type: ignore[no-untyped-def]
    """Say."""
    return Said(words=[])


async def _many(args: Nothing, *radios: Radio) -> Said:
    """Say."""
    return Said(words=[])


async def _defaulted(args: Nothing, radio: Radio = Fake()) -> Said:  # noqa: B008
    """Say."""
    return Said(words=[])


async def _words(args: Nothing, words: str) -> Said:
    """Say."""
    return Said(words=[])


async def _either(args: Nothing, radio: Radio | None) -> Said:
    """Say."""
    return Said(words=[])


async def _unknown(args: Nothing, radio: "NoSuchPort") -> Said:  # type: ignore[name-defined]  # noqa: F821
    """Say."""
    return Said(words=[])


@pytest.mark.parametrize("function", [_untyped, _many, _defaulted, _words, _either, _unknown])
def test_a_parameter_that_can_be_no_port_is_refused_where_the_tool_is_declared(
    function: Callable[..., Any],
) -> None:
    with pytest.raises(TypeError, match=r"radio|words|NoSuchPort"):
        tool("say", family="test", effect=PURE)(function)


async def test_a_call_pays_nothing_for_reading_signatures(monkeypatch: pytest.MonkeyPatch) -> None:
    toolbox = Toolbox.of(registry_of(listen), *Built().all)

    def never(*_: Any) -> Any:
        raise AssertionError("a signature was read during a call")

    monkeypatch.setattr("inspect.signature", never)
    monkeypatch.setattr("typing.get_type_hints", never)
    monkeypatch.setattr("agent_tools.signatures.get_type_hints", never)
    calls = [toolbox.opened(context(f"q{n}")).run(listen, Nothing()) for n in range(3)]
    assert len(await asyncio.gather(*calls)) == 3
