"""`extractPageContent`: what its page says, in several forms."""

from typing import Any

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.tool_spec import CoreTool, RunsOn
from agent_domain.files.file import FileRef
from agent_platform.process.clock import Clock, rfc3339
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.running import OtherTools
from agent_tools.tool import RECORDED, tool
from foldline_libragent.browser.shapes import CamelCased, OfSession, Shown, on_page, shown

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


class PageContent(Shown):
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
