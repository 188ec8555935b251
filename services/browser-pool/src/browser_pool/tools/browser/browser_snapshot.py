"""`browser_snapshot`: what is on the page, with refs to act on."""

from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.results import AtPage
from browser_pool.browsing.targets import MaybeOfElement, located
from browser_pool.browsing.texts import cut_text
from browser_pool.limits import ELEMENTS

_SNAPSHOT_MS = 15_000
_COUNT = "e => e.getElementsByTagName('*').length"


class Snapshot(MaybeOfElement):
    """Of an element, else of the whole page."""

    depth: Annotated[int | None, Field(ge=1, le=100, description="How deep; all by default.")] = None


class Snapshotted(AtPage):
    """The accessibility tree as YAML, frames included. `truncated` after 1 MiB."""

    snapshot: str
    truncated: bool = False


@tool("browser_snapshot", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_snapshot(args: Snapshot, browser: SessionBrowser) -> Snapshotted:
    """See the structure of the page: roles, names, values, and a ref for each element, which the other
    browser tools take in place of a selector. Refs hold until the next snapshot, and reach into frames."""
    async with browser.visit() as visit:
        root = await located(visit.page, args, "html")
        count = int(await root.evaluate(_COUNT))
        if count > ELEMENTS:
            raise Rejected(
                f"there are {count} elements: {ELEMENTS} are the most. Name a part of the page by selector, "
                "or read it with browser_extract_text",
                kind=ErrorKind.TOO_LARGE,
            )
        whole = visit.page if not args.names_one else root
        text = await whole.aria_snapshot(mode="ai", depth=args.depth, timeout=_SNAPSHOT_MS)
        text, cut = cut_text(text)
        return Snapshotted(
            snapshot=text, truncated=cut, **await visit.where(), **await visit.beside(store=False)
        )
