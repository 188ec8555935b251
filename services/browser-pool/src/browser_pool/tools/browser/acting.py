"""Tools that do something on a page."""

from typing import Annotated, Literal

from playwright.async_api import Error, Locator, Page
from pydantic import Field

from agent_contracts.errors import Rejected, Transient
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import RunsOn
from agent_tools.tool import EXTERNAL, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.diagnosing import require_clickable, require_editable
from browser_pool.browsing.dialog_arguments import AnswersDialogs
from browser_pool.browsing.evaluating import evaluated
from browser_pool.browsing.results import AtPage
from browser_pool.browsing.targets import MaybeOfElement, OfElement, located

_CLICK_MS = 8_000


class Click(OfElement, AnswersDialogs):
    """What to click."""


class ClickResult(AtPage):
    """It was clicked; where the page is now."""

    ok: bool = True


@tool("browser_click", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_click(args: Click, browser: SessionBrowser) -> ClickResult:
    """Click an element of the page. If it can't be clicked, the error says which check failed (hidden,
    covered by what, disabled …) and nothing was done."""
    async with browser.visit(args.dialogs) as visit:
        element = await located(visit.page, args)
        await require_clickable(element, args.where)
        try:
            await element.click(timeout=_CLICK_MS)
        except Error as error:
            if "Timeout" not in type(error).__name__:
                raise
            raise Transient("the page did not answer the click in time") from error
        await visit.settle()
        return ClickResult(**await visit.where(), **await visit.beside())


class Evaluate(AnswersDialogs):
    """The code."""

    code: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100_000,
            description="An expression, a function, or statements with `return`; may use `await`.",
        ),
    ]


class EvaluateResult(AtPage):
    """Its value as JSON, and where the page is now."""

    result: Json


@tool("browser_evaluate", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_evaluate(args: Evaluate, browser: SessionBrowser) -> EvaluateResult:
    """Run JavaScript in the page, and get its value as JSON (up to 1 MiB)."""
    async with browser.visit(args.dialogs) as visit:
        result = await evaluated(visit.page, args.code)
        await visit.settle()
        return EvaluateResult(result=result, **await visit.where(), **await visit.beside())


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


class ScrollResult(AtPage):
    """How far it is scrolled now, and how far it can be, in pixels."""

    x: int
    y: int
    max_x: int
    max_y: int


@tool("browser_scroll", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_scroll(args: Scroll, browser: SessionBrowser) -> ScrollResult:
    """Scroll the page, or one element of it."""
    across, down = _BY[args.direction]
    async with browser.visit() as visit:
        element = await located(visit.page, args, "html")
        x, y, max_x, max_y = await element.evaluate(_SCROLL, [across * args.amount, down * args.amount])
        await visit.settle()
        return ScrollResult(x=x, y=y, max_x=max_x, max_y=max_y, **await visit.where(), **await visit.beside())


_TYPE_MS = 8_000
_KEY_BY_KEY = 200
"""Up to so many characters come as key presses, as some pages want them; more are put in at once."""


class Type(OfElement, AnswersDialogs):
    """What to type, and where."""

    text: Annotated[str, Field(max_length=100_000, description="For a select: the option's label or value.")]
    clear_first: Annotated[bool, Field(description="Replace what is in it.")] = False
    submit: Annotated[bool, Field(description="Press Enter at the end.")] = False


class TypeResult(AtPage):
    """It was typed; where the page is now."""

    ok: bool = True


@tool("browser_type", family="browser", effect=EXTERNAL, runs_on=RunsOn.BROWSER, source="web")
async def browser_type(args: Type, browser: SessionBrowser) -> TypeResult:
    """Type text into an input of the page, after what is in it, or choose an option of a select."""
    async with browser.visit(args.dialogs) as visit:
        element = await located(visit.page, args)
        await require_editable(element, args.where)
        try:
            if await element.evaluate("e => e.localName") == "select":
                await _choose(element, args.text)
            else:
                await _type(visit.page, element, args)
            if args.submit:
                await element.press("Enter", timeout=_TYPE_MS)
        except Error as error:
            if "Timeout" not in type(error).__name__:
                raise
            raise Transient("the page did not take all of the text in time") from error
        await visit.settle()
        return TypeResult(**await visit.where(), **await visit.beside())


async def _type(page: Page, element: Locator, args: Type) -> None:
    if args.clear_first:
        await element.fill("", timeout=_TYPE_MS)
    await element.focus(timeout=_TYPE_MS)
    await element.evaluate(
        """e => {
          if (e.isContentEditable) { getSelection().selectAllChildren(e); getSelection().collapseToEnd(); }
          else try { e.setSelectionRange(e.value.length, e.value.length) } catch { }
        }"""
    )
    if len(args.text) <= _KEY_BY_KEY:
        await element.press_sequentially(args.text, timeout=_TYPE_MS)
    else:
        await page.keyboard.insert_text(args.text)


async def _choose(element: Locator, text: str) -> None:
    options = await element.evaluate(
        "e => [...e.options].slice(0, 200).map(o => [o.label.trim().slice(0, 200), o.value])"
    )
    for label, value in options:
        if text.strip() in (label, value):
            await element.select_option(value=value, timeout=_TYPE_MS)
            return
    labels = ", ".join(repr(label) for label, _ in options[:20])
    raise Rejected(f"the select has no option {text[:100]!r}; it has {labels}", path="/text")
