"""The main content of a page, as an article's reader wants it. It takes some seconds, and memory, for a page
that means harm: call it where that is bounded."""

import msgspec
import trafilatura

from agent_tools.pages.page_form import PageForm
from agent_tools.pages.page_text import page_text

_FORMATS = {"markdown": "markdown", "text": "txt", "html": "html"}


class MainContent(msgspec.Struct, frozen=True):
    """What a page says, and by whom."""

    content: str
    title: str | None = None
    byline: str | None = None


def main_content(html: str, form: PageForm, url: str | None) -> MainContent:
    """A page in which no main content is found gives all of its text. `url` is what links are relative to."""
    tree = trafilatura.load_html(html) if html.strip() else None
    if tree is None:  # too short, or too deep for a tree
        return MainContent(page_text(html, _links_of(form, url)))
    about = trafilatura.extract_metadata(tree, default_url=url, extensive=False)
    content = trafilatura.extract(
        tree,
        url=url,
        output_format=_FORMATS[form],
        include_links=form != "text",
        include_images=False,
        include_comments=False,
        include_tables=True,
    )
    title, byline = (about.title, about.author) if about else (None, None)
    return MainContent(content or page_text(html, _links_of(form, url)), title, byline)


def _links_of(form: PageForm, url: str | None) -> str | None:
    return url if form == "markdown" else None
