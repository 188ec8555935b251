"""`browser_scroll`: scroll the page."""

from typing import Annotated, Literal

from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import EXTERNAL, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.results import AtPage
from browser_pool.browsing.targets import MaybeOfElement, located

_BY = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_SCROLL = """(e, [x, y]) => {
  const root = e === document.documentElement ? document.scrollingElement ?? e : e;
  root.scrollBy({left: x, top: y, behavior: 'instant'});
  return [root.scrollLeft, root.scrollTop, root.scrollWidth - root.clientWidth,
          root.scrollHeight - root.clientHeight].map(Math.round);
}"""


class Scroll(MaybeOfElement):
    """An element that scrolls by itself, else the page."""

    direction: Literal["up", "down", "left", "right"]
    amount: Annotated[int, Field(ge=1, le=100_000, description="Pixels.")] = 500


class Scrolled(AtPage):
    """How far it is scrolled now, and how far it can be, in pixels."""

    x: int
    y: int
    max_x: int
    max_y: int


@tool("browser_scroll", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_scroll(args: Scroll, browser: SessionBrowser) -> Scrolled:
    """Scroll the page, or one element of it."""
    across, down = _BY[args.direction]
    async with browser.visit() as visit:
        element = await located(visit.page, args, "html")
        x, y, max_x, max_y = await element.evaluate(_SCROLL, [across * args.amount, down * args.amount])
        await visit.settle()
        return Scrolled(x=x, y=y, max_x=max_x, max_y=max_y, **await visit.where(), **await visit.beside())
