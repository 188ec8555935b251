"""The main content of a page, as an article's reader wants it. It takes some seconds, and memory, for a page
that means harm: call it where that is bounded."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import msgspec
import trafilatura

from agent_tools.pages.page_form import PageForm
from agent_tools.pages.page_text import base_of, page_text
from agent_tools.pages.visibility import without_hidden

_FORMATS = {"markdown": "markdown", "text": "txt", "html": "html"}
_LINKS = {"a": "href", "img": "src", "iframe": "src"}
_UNSAID = frozenset(("script", "style", "noscript", "template", "title", "head"))
_MOST_OF_IT = 0.8
"""The part of a page's words with which its main content counts as the whole page."""
_SHOWN_FRAMES = 5


class MainContent(msgspec.Struct, frozen=True):
    """What a page says, and by whom. `left_out`: sentences on what it has beside that."""

    content: str
    title: str | None = None
    byline: str | None = None
    left_out: list[str] = []


def main_content(html: str, form: PageForm, url: str | None) -> MainContent:
    """A page in which no main content is found gives all of its text. What the page hides from its readers is
    left out. `url` is the page's; links are relative to that, or to what its `<base>` says."""
    tree = trafilatura.load_html(html) if html.strip() else None
    if tree is None:  # too short, or too deep for a tree
        return MainContent(page_text(html, _links_of(form, url)))
    about = trafilatura.extract_metadata(tree, default_url=url, extensive=False)
    hidden = without_hidden(tree, html)
    base = _base(tree, url)
    if base is not None:
        _resolve_links(tree, base)
    left_out = (
        [f"{hidden} passage{'s' if hidden > 1 else ''} that the page hides from its readers"]
        if hidden
        else []
    )
    left_out += _pictures_and_frames(tree)
    words = sum(len(text.split()) for text in _texts(tree))
    content = trafilatura.extract(
        tree,
        url=base,
        output_format=_FORMATS[form],
        include_links=form != "text",
        include_images=False,
        include_comments=False,
        include_tables=True,
    )
    title, byline = (about.title, about.author) if about else (None, None)
    found = content or page_text(html, _links_of(form, url))
    count = len(found.split())
    if count < words * _MOST_OF_IT:
        left_out.append(f"all outside of the main part: about {words - count:,} of {words:,} words")
    return MainContent(found, title, byline, left_out)


def _base(tree: Any, url: str | None) -> str | None:
    said = next((one.get("href") for one in tree.iter("base") if one.get("href")), None)
    return base_of(url, said) if url and said else url


def _resolve_links(tree: Any, base: str) -> None:
    """trafilatura takes links as relative to the site, and those without a scheme as http."""
    for element in tree.iter(*_LINKS):
        name = _LINKS[element.tag]
        link = (element.get(name) or "").strip()
        if link and not link.startswith("#"):
            try:
                element.set(name, urljoin(base, link))
            except ValueError:  # no address
                del element.attrib[name]


def _pictures_and_frames(tree: Any) -> list[str]:
    said = []
    main = next(tree.iter("main", "article"), tree)
    pictures = sum(one.get("alt") != "" for one in main.iter("img"))
    if pictures:
        said.append(f"{pictures} picture{'s' if pictures > 1 else ''}")
    frames = [one.get("src") or "" for one in tree.iter("iframe", "frame")]
    shown = [one for one in frames if one.startswith(("http://", "https://"))][:_SHOWN_FRAMES]
    if shown:
        more = f" and {len(frames) - len(shown)} more" if len(frames) > len(shown) else ""
        said.append(f"pages in frames: {', '.join(shown)}{more}")
    return said


def _texts(tree: Any) -> Iterator[str]:
    for element in tree.iter():
        if element.tag not in _UNSAID and isinstance(element.tag, str) and element.text:
            yield element.text
        if element.tail:
            yield element.tail


def _links_of(form: PageForm, url: str | None) -> str | None:
    return url if form == "markdown" else None
