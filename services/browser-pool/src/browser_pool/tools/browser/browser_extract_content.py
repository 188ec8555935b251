"""`browser_extract_content`: what the page is about, without what is around it."""

from typing import Annotated

from pydantic import Field

from agent_contracts.tool_spec import RunsOn
from agent_domain.files.file import Content
from agent_tools.free_paths import create_at_free_path
from agent_tools.pages.page_form import PageForm
from agent_tools.ports.files import AgentFiles
from agent_tools.tool import RECORDED, tool
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.content import MOST_HTML, content_of
from browser_pool.browsing.results import AtPage
from browser_pool.browsing.targets import MaybeOfElement, located
from browser_pool.browsing.texts import cut_text, text_of


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
        raw = Content(html.encode(), media_type="text/html", made_from=where["url"][:500])
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
