"""Tools that act on a page, and read it."""

from typing import Annotated, Any, Literal

from pydantic import Field

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_domain.files.file import FileRef
from agent_platform.process.clock import Clock, rfc3339
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.running import OtherTools
from agent_tools.tool import EXTERNAL, PURE, RECORDED, tool
from foldline_libragent.browser.shapes import BrowserSessionResult, CamelCased, OfSession, on_page, shown


class ClickElement(OfSession):
    """In which session, and what."""

    selector: Annotated[
        str, Field(min_length=1, max_length=2_000, description="CSS; the first match counts.")
    ]


class LibragentClickResult(BrowserSessionResult):
    """It was clicked; where the page is now."""

    success: bool = True


@tool(
    "clickElement",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_click", "browser"),
)
async def click_element(args: ClickElement, pages: BrowserPages, tools: OtherTools) -> LibragentClickResult:
    """Click an element of a browser session. If it can't be clicked, nothing is done, and the error says
    which check failed (not_found, hidden, zero_size, disabled, outside, covered) with what was measured."""
    done = await on_page(pages, tools, args.session_id, "browser_click", {"selector": args.selector})
    return LibragentClickResult(**shown(args.session_id, done))


class LibragentExtractInteractable(OfSession):
    """In which session."""


class LibragentInteractables(BrowserSessionResult):
    """Role, name, tag, type, value, href, whether it is disabled and in view, box in pixels, and a selector
    that matches it alone, of each element in the order of the page. `truncated` after 500."""

    elements: list[dict[str, Any]]
    truncated: bool


@tool(
    "extractInteractable",
    family="browser",
    effect=PURE,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_extract_interactable", "browser"),
)
async def extract_interactable(
    args: LibragentExtractInteractable, pages: BrowserPages, tools: OtherTools
) -> LibragentInteractables:
    """List what can be clicked or filled in on the page of a browser session, with selectors and boxes."""
    done = await on_page(pages, tools, args.session_id, "browser_extract_interactable", {})
    found = {"elements": done["elements"], "truncated": done["truncated"]}
    return LibragentInteractables(**shown(args.session_id, done), **found)


_MOST = {"markdown": 60_000, "text": 20_000, "html": 20_000, "domMap": 20_000}
"""Characters of each form; of a longer page, the file with its HTML has all."""


class ExtractPageContent(OfSession):
    """Of which session, and whether to keep the HTML."""

    save_raw_html: bool = False


class Metadata(CamelCased):
    """About the page; `timestamp` is when it was read (UTC), `truncated` are the forms that are cut."""

    title: str
    url: str
    timestamp: str
    byline: str | None
    word_count: int
    truncated: list[str]


class PageContent(BrowserSessionResult):
    """`markdown` is the main content; `text`, `html` and `domMap` (roles and names as a tree) are of all of
    the page. `rawHtmlFile` is the path of the file with its HTML, `rawHtmlFileId` its id."""

    markdown: str
    text: str
    html: str
    dom_map: str
    metadata: Metadata
    raw_html_file: str | None = None
    raw_html_file_id: str | None = None


@tool(
    "extractPageContent",
    family="browser",
    effect=RECORDED,
    runs_on=RunsOn.BROWSER,
    timeout_s=90,
    source="web",
    alias_of=CoreTool("browser_extract_content", "browser"),
)
async def extract_page_content(
    args: ExtractPageContent, pages: BrowserPages, tools: OtherTools, files: AgentFiles, clock: Clock
) -> PageContent:
    """Read the page of a browser session: its main content as markdown, and all of it as text, HTML and as a
    tree. With saveRawHtml, its HTML is kept as a file, which addContent takes by its id."""
    session_id = args.session_id
    asked = {"format": "markdown", "save_raw_html": args.save_raw_html}
    main = await on_page(pages, tools, session_id, "browser_extract_content", asked)
    text = await on_page(pages, tools, session_id, "browser_extract_text", {})
    html = await on_page(pages, tools, session_id, "browser_extract_html", {})
    tree = await _tree(pages, tools, session_id)
    forms = {
        "markdown": main["content"],
        "text": text["text"],
        "html": html["html"],
        "domMap": tree or "",
    }
    cut = [form for form, said in forms.items() if len(said) > _MOST[form] or (form == "domMap" and not tree)]
    kept: str | None = main["raw_html"]
    file = await files.find(FileRef(path=kept)) if kept is not None else None
    told: dict[str, Any] = {form: said[: _MOST[form]] for form, said in forms.items()}
    return PageContent(
        **shown(session_id, main),
        markdown=told["markdown"],
        text=told["text"],
        html=told["html"],
        dom_map=told["domMap"],
        metadata=Metadata(
            title=main["title"],
            url=main["url"],
            timestamp=rfc3339(clock.now()),
            byline=main["byline"],
            word_count=main["word_count"],
            truncated=cut,
        ),
        raw_html_file=kept,
        raw_html_file_id=file.file_id if file is not None else None,
    )


async def _tree(pages: BrowserPages, tools: OtherTools, session_id: str) -> str | None:
    """None of a page that has too many elements for one."""
    try:
        tree = await on_page(pages, tools, session_id, "browser_snapshot", {})
    except Rejected as refused:
        if refused.kind != ErrorKind.TOO_LARGE:
            raise
        return None
    snapshot: str = tree["snapshot"]
    return snapshot


class InputText(OfSession):
    """In which session, where, and what."""

    selector: Annotated[
        str, Field(min_length=1, max_length=2_000, description="CSS; the first match counts.")
    ]
    text: Annotated[str, Field(max_length=100_000, description="Replaces what is in it.")]


class FillResult(BrowserSessionResult):
    """It is in the field."""

    success: bool = True


@tool(
    "inputText",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_type", "browser"),
)
async def input_text(args: InputText, pages: BrowserPages, tools: OtherTools) -> FillResult:
    """Put text into a field of a browser session, or choose an option of a select. If it can't be done, the
    error says which check failed."""
    asked = {"selector": args.selector, "text": args.text, "clear_first": True}
    done = await on_page(pages, tools, args.session_id, "browser_type", asked)
    return FillResult(**shown(args.session_id, done))


class ScrollPage(OfSession):
    """Which one, and where to."""

    direction: Literal["up", "down", "left", "right"]
    amount: Annotated[int, Field(ge=1, le=100_000, description="Pixels.")] = 500


class LibragentScrollResult(BrowserSessionResult):
    """How far it is scrolled now, and how far it can be, in pixels."""

    x: int
    y: int
    max_x: int
    max_y: int


@tool(
    "scrollPage",
    family="browser",
    effect=EXTERNAL,
    runs_on=RunsOn.BROWSER,
    timeout_s=45,
    source="web",
    alias_of=CoreTool("browser_scroll", "browser"),
)
async def scroll_page(args: ScrollPage, pages: BrowserPages, tools: OtherTools) -> LibragentScrollResult:
    """Scroll the page of a browser session."""
    asked = {"direction": args.direction, "amount": args.amount}
    done = await on_page(pages, tools, args.session_id, "browser_scroll", asked)
    far = {name: done[name] for name in ("x", "y", "max_x", "max_y")}
    return LibragentScrollResult(**shown(args.session_id, done), **far)
