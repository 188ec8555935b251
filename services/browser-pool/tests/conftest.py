"""What the tests of the pool share."""

from collections.abc import AsyncIterator

import pytest_asyncio

from agent_contracts.policies import Grant, Match
from foldline_testing.browser_pool.site import Site, site
from foldline_testing.browser_pool.world import BrowserWorld, browser_world


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pages() -> AsyncIterator[Site]:
    """The site of a module's tests."""
    async with site() as here:
        yield here


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world() -> AsyncIterator[BrowserWorld]:
    """A pool of a module's tests: each uses a session of its own."""
    async with browser_world() as world:
        yield world


@pytest_asyncio.fixture(loop_scope="module")
async def anything_may_be_sent(world: BrowserWorld) -> AsyncIterator[None]:
    """A person allowed whatever pages send."""
    world.grants = (Grant(Match(method="*")),)
    yield
    world.grants = ()
