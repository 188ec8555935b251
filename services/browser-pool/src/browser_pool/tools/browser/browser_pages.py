"""`browser_pages`: the open pages, as tabs."""

import asyncio
import contextlib
from typing import Annotated, Literal, Self

from playwright.async_api import Error, Page
from pydantic import Field, model_validator

from agent_contracts.tool_spec import RunsOn
from agent_platform.log.storable_text import storable_text
from agent_tools.tool import EXTERNAL, Arguments, Result, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.results import Answered

_TITLE_S = 1.0


class Pages(Arguments):
    """What to do."""

    action: Literal["list", "switch", "close", "new"] = "list"
    page: Annotated[str | None, Field(max_length=20, description="For switch and close, such as p2.")] = None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.page is not None) != (self.action in ("switch", "close")):
            raise ValueError("`page` goes with switch and close, and only with them")
        return self


class OpenPage(Result):
    """One of them; the other tools work on the current one."""

    page: str
    url: str
    title: str
    current: bool


class OpenPages(Answered):
    """All that are open now."""

    pages: list[OpenPage]


@tool("browser_pages", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_pages(args: Pages, browser: SessionBrowser) -> OpenPages:
    """List the open pages (8 at most), make another one the current one, close one, or open a new one."""
    async with browser.visit() as visit:
        context = visit.context
        if args.action == "new":
            await context.new_page()
        elif args.page is not None and args.action == "switch":
            context.switch(args.page)
        elif args.page is not None:
            await context.close_page(args.page)
        await context.page()
        pages = context.pages
        titles = await asyncio.gather(*map(_title, pages.values()))
        shown = [
            OpenPage(
                page=name, url=storable_text(page.url[:2_000]), title=title, current=name == context.name
            )
            for (name, page), title in zip(pages.items(), titles, strict=True)
        ]
        return OpenPages(pages=shown, **await visit.beside())


async def _title(page: Page) -> str:
    with contextlib.suppress(Error, TimeoutError):
        async with asyncio.timeout(_TITLE_S):
            return storable_text((await page.title())[:500])
    return ""
