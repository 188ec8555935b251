"""The model caller knows the runners' tools and notices when they change."""

import asyncio
from collections.abc import AsyncGenerator, Mapping

from agent_contracts.errors import Transient
from agent_contracts.tool_spec import Catalogue, Effect, RunsOn, ToolSpec
from foldline_testing.agent_platform.eventually import all_had_their_turn
from model_caller.offering.offered_tools import WatchedTools, all_tools


def tool(name: str, family: str = "f", description: str = "d") -> ToolSpec:
    """A tool of this name."""
    return ToolSpec(name, description, {"type": "object"}, family, Effect.PURE, RunsOn.TOOLS)


def packs(**tools: list[ToolSpec]) -> dict[str, Catalogue]:
    """Catalogues by pack."""
    return {pack: Catalogue(pack, "1", listed) for pack, listed in tools.items()}


class PublishedCatalogues:
    """What a test publishes; `break_off` ends the watch with an error."""

    def __init__(self, first: Mapping[str, Catalogue]) -> None:
        self._changes: asyncio.Queue[Mapping[str, Catalogue] | None] = asyncio.Queue()
        self.now = first

    def publish(self, catalogues: Mapping[str, Catalogue]) -> None:
        """Change them."""
        self.now = catalogues
        self._changes.put_nowait(catalogues)

    def break_off(self) -> None:
        """The watch fails."""
        self._changes.put_nowait(None)

    async def watch(self) -> AsyncGenerator[Mapping[str, Catalogue], None]:
        """All now, then each change."""
        yield self.now
        while True:
            change = await self._changes.get()
            if change is None:
                raise Transient("broken")
            yield change


def test_the_order_depends_on_names_alone() -> None:
    one, two, three = tool("b", "x"), tool("a", "y"), tool("c", "x")
    assert [found.name for found in all_tools(packs(p=[two, one], q=[three]))] == ["b", "c", "a"]
    assert all_tools(packs(q=[three], p=[one, two])) == all_tools(packs(p=[two, one], q=[three]))


def test_of_two_tools_of_one_name_the_first_packs_counts() -> None:
    ours, theirs = tool("a", description="ours"), tool("a", description="theirs")
    assert all_tools(packs(zz=[theirs], core=[ours])) == (ours,)


async def test_changes_are_noticed_across_failures() -> None:
    published = PublishedCatalogues(packs(core=[tool("a")]))
    tools = WatchedTools(published)
    watching = asyncio.create_task(tools.run())
    assert [found.name for found in await tools.tools()] == ["a"]
    published.break_off()
    published.publish(packs(core=[tool("a"), tool("b")]))
    async with asyncio.timeout(20):
        while len(await tools.tools()) < 2:  # noqa: ASYNC110 - it comes some time after the failure
            await asyncio.sleep(0.01)
    watching.cancel()
    await asyncio.wait({watching})


async def test_the_first_call_waits_for_the_built_in_tools() -> None:
    published = PublishedCatalogues({})
    tools = WatchedTools(published)
    watching = asyncio.create_task(tools.run())
    asking = asyncio.create_task(tools.tools())
    published.publish(packs(browser=[tool("b")]))
    await all_had_their_turn()
    assert not asking.done(), "another pack's came first"
    published.publish(packs(browser=[tool("b")], core=[tool("a")]))
    assert [found.name for found in await asking] == ["a", "b"]
    watching.cancel()
    await asyncio.wait({watching})


async def test_without_runners_the_wait_ends() -> None:
    tools = WatchedTools(PublishedCatalogues({}), patience_s=0.01)
    assert await tools.tools() == ()
