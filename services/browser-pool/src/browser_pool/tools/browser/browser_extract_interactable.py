"""`browser_extract_interactable`: what on the page can be acted on."""

from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import PURE, Result, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.interactable import MOST, interactable_in
from browser_pool.browsing.results import AtPage
from browser_pool.browsing.targets import MaybeOfElement, located


class ExtractInteractable(MaybeOfElement):
    """Within an element, else of the whole page."""


class Box(Result):
    """In pixels, from the upper left corner of what is seen."""

    x: int
    y: int
    width: int
    height: int


class Interactable(Result):
    """An element; `selector` matches it alone, and goes by what rarely changes: an id, a name, a label."""

    role: str
    name: str
    tag: str
    type: str | None
    value: str | None
    href: str | None
    disabled: bool
    in_view: bool
    box: Box
    selector: str


class Interactables(AtPage):
    """In the order of the page; `truncated` after 500."""

    elements: list[Interactable]
    truncated: bool


@tool("browser_extract_interactable", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_extract_interactable(args: ExtractInteractable, browser: SessionBrowser) -> Interactables:
    """List the visible elements that can be acted on (links, buttons, inputs …) with role, name, box and a
    stable selector. It doesn't look into frames: browser_snapshot does."""
    async with browser.visit() as visit:
        found = await interactable_in(await located(visit.page, args, "html"))
        elements = [Interactable.model_validate(one) for one in found[:MOST]]
        return Interactables(
            elements=elements,
            truncated=len(found) > MOST,
            **await visit.where(),
            **await visit.beside(store=False),
        )
