"""Navigations one right after the other: what is left of one doesn't end the next."""

import pytest

from agent_contracts.ids import SessionId
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.browser_pool.site import Site
from foldline_testing.browser_pool.world import BrowserWorld

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest.mark.parametrize("bad", ["https://secret.test/", "http://a.test:1/"])
async def test_after_a_navigation_that_failed_the_way_is_free(
    world: BrowserWorld, pages: Site, bad: str
) -> None:
    """Without waiting for the error page, Playwright says of most of these that they were interrupted."""
    async with world.contexts.lent(AGENT, SessionId("fails")) as (context, _):
        for _ in range(8):
            await world.refused("browser_navigate", "fails", url=bad)
            page = await context.page()
            assert page.url.startswith("chrome-error://"), "it is there when the call has ended"
            await page.goto(pages.url("/news"), wait_until="commit")


async def test_a_click_that_leads_nowhere_doesnt_end_what_comes_next(
    world: BrowserWorld, pages: Site
) -> None:
    for _ in range(4):
        await world.get("browser_navigate", "clicks", url=pages.url("/news"))
        code = "const a = document.createElement('a'); a.href = 'https://secret.test/'; a.click(); 1"
        await world.get("browser_evaluate", "clicks", code=code)
        opened = await world.get("browser_navigate", "clicks", url=pages.url())
        assert opened["title"] == "Home"
