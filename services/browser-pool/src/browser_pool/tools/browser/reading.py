"""Tools that read a page."""

import base64
from typing import Annotated

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import RunsOn
from agent_domain.files.file import FileContent
from agent_tools.context import CallContext
from agent_tools.free_paths import create_at_free_path
from agent_tools.pages.page_form import PageForm
from agent_tools.pictures import PictureFile
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import PURE, RECORDED, Result, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.content import MOST_HTML, content_of
from browser_pool.browsing.interactable import MOST, interactable_in
from browser_pool.browsing.pictures import png_size, taken
from browser_pool.browsing.results import AtPage, BrowserResult
from browser_pool.browsing.targets import MaybeOfElement, located
from browser_pool.browsing.texts import cut_text, text_of
from browser_pool.limits import ELEMENTS


class ExtractContent(MaybeOfElement):
    """Of an element, else of the whole page."""

    format: PageForm = "markdown"
    save_raw_html: Annotated[bool, Field(description="Keep the HTML as a file.")] = False


class ExtractedContent(AtPage):
    """`left_out` says what the page has beside its main content; browser_extract_text and browser_screenshot
    show it. `raw_html` is the path of the file with the page as it was."""

    left_out: list[str]
    content: str
    byline: str | None
    word_count: int
    truncated: bool = False
    raw_html: str | None = None


@tool("browser_extract_content", family="browser", effect=RECORDED, runs_on=RunsOn.BROWSER, source="web")
async def browser_extract_content(
    args: ExtractContent, browser: SessionBrowser, files: AgentFiles
) -> ExtractedContent:
    """Read the main content of the page as it is now, without menus and margins, as markdown."""
    async with browser.visit() as visit:
        html, cut = await text_of(await located(visit.page, args, "html"), "outerHTML", MOST_HTML)
        where = await visit.where()
        beside = await visit.beside(store=False)
    found = await content_of(html, args.format, where["url"])
    content, content_cut = cut_text(found.content)
    path = None
    if args.save_raw_html:
        raw = FileContent(html.encode(), media_type="text/html", made_from=where["url"][:500])
        path = (await create_at_free_path(files, "pages/page.html", raw)).path
    return ExtractedContent(
        left_out=found.left_out,
        content=content,
        byline=found.byline,
        word_count=len(content.split()),
        truncated=cut or content_cut,
        raw_html=path,
        **where,
        **beside,
    )


class ExtractHtml(MaybeOfElement):
    """Of an element, else of the body."""

    outer: Annotated[bool, Field(description="With the element's own tag.")] = False


class ExtractedHtml(BrowserResult):
    """The HTML as it is now; `truncated` after 1 MiB."""

    html: str
    truncated: bool = False


@tool("browser_extract_html", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_extract_html(args: ExtractHtml, browser: SessionBrowser) -> ExtractedHtml:
    """Read the HTML of the page's body or of one element, for structured scraping."""
    async with browser.visit() as visit:
        element = await located(visit.page, args)
        html, cut = await text_of(element, "outerHTML" if args.outer else "innerHTML")
        return ExtractedHtml(html=html, truncated=cut, **await visit.beside(store=False))


class ExtractInteractable(MaybeOfElement):
    """Within an element, else of the whole page."""


class ElementBox(Result):
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
    box: ElementBox
    selector: str


class InteractableList(AtPage):
    """In the order of the page; `truncated` after 500."""

    elements: list[Interactable]
    truncated: bool


@tool("browser_extract_interactable", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_extract_interactable(
    args: ExtractInteractable, browser: SessionBrowser
) -> InteractableList:
    """List the visible elements that can be acted on (links, buttons, inputs …) with role, name, box and a
    stable selector. It doesn't look into frames: browser_snapshot does."""
    async with browser.visit() as visit:
        found = await interactable_in(await located(visit.page, args, "html"))
        elements = [Interactable.model_validate(one) for one in found[:MOST]]
        return InteractableList(
            elements=elements,
            truncated=len(found) > MOST,
            **await visit.where(),
            **await visit.beside(store=False),
        )


class ExtractText(MaybeOfElement):
    """Of an element, else of the whole page."""


class ExtractedText(BrowserResult):
    """The text as it is seen; `truncated` after 1 MiB."""

    text: str
    truncated: bool = False


@tool("browser_extract_text", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_extract_text(args: ExtractText, browser: SessionBrowser) -> ExtractedText:
    """Read the visible text of the page or of one element."""
    async with browser.visit() as visit:
        text, cut = await text_of(await located(visit.page, args), "innerText")
        return ExtractedText(text=text, truncated=cut, **await visit.beside(store=False))


_PNG = "image/png"
_LARGEST_TEXT = 2_000_000
"""Bytes of a picture that code is given as text; a message between services holds it."""


class Screenshot(MaybeOfElement):
    """Of an element, else of what is seen of the page."""

    full_page: Annotated[bool, Field(description="All of the page, as far as it can be scrolled.")] = False


class ScreenshotResult(PictureFile, BrowserResult):
    """The picture is a file of the session. `image` is its PNG as base64 for code (over 2 MB it is empty:
    read the file); for a model, which is shown the picture itself, it is the file path."""

    url: str
    image: str


@tool("browser_screenshot", family="browser", effect=RECORDED, runs_on=RunsOn.BROWSER, source="web")
async def browser_screenshot(
    args: Screenshot, browser: SessionBrowser, files: AgentFiles, call: CallContext
) -> ScreenshotResult:
    """Take a screenshot of the page or of one element, as a PNG file of this session."""
    async with browser.visit() as visit:
        element = await located(visit.page, args) if args.names_one else None
        data, cut = await taken(visit.page, element, full_page=args.full_page)
        where = await visit.where()
        beside = await visit.beside(store=False)
    width, height = png_size(data)
    file = await create_at_free_path(files, "screenshots/page.png", FileContent(data, media_type=_PNG))
    if cut:
        beside["notes"] = [*beside["notes"], "the page is larger: the picture ends where browsers do"]
    return ScreenshotResult(
        file_id=file.file_id,
        path=file.path,
        version=file.version,
        media_type=file.media_type,
        size=file.size,
        width=width,
        height=height,
        sha256=file.blob,
        caption=f"{file.path}: {where['title'] or where['url']}, {width} × {height} pixels",
        url=where["url"],
        image=file.path if call.may_pause else _as_text(data),
        **beside,
    )


def _as_text(data: bytes) -> str:
    """Base64; of a larger picture none, since code can read its file piece by piece."""
    return base64.b64encode(data).decode() if len(data) <= _LARGEST_TEXT else ""


_SNAPSHOT_MS = 15_000
_COUNT = "e => e.getElementsByTagName('*').length"


class SnapshotPage(MaybeOfElement):
    """Of an element, else of the whole page."""

    depth: Annotated[int | None, Field(ge=1, le=100, description="How deep; all by default.")] = None


class SnapshotResult(AtPage):
    """The accessibility tree as YAML, frames included. `truncated` after 1 MiB."""

    snapshot: str
    truncated: bool = False


@tool("browser_snapshot", family="browser", effect=PURE, runs_on=RunsOn.BROWSER, source="web")
async def browser_snapshot(args: SnapshotPage, browser: SessionBrowser) -> SnapshotResult:
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
        return SnapshotResult(
            snapshot=text, truncated=cut, **await visit.where(), **await visit.beside(store=False)
        )
