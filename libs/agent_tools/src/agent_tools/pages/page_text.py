"""What a page says, without its markup. Pure."""

import re
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

from lxml import etree

from agent_tools.pages.visibility import Visibility

_SILENT = {
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "iframe",
    "object",
    "title",
    "nav",
    "aside",
    "footer",
}
_MAIN = {"main", "article"}
_INLINE = """
    a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup
    time u var
""".split()  # noqa: SIM905
_SPACES = re.compile(r"[ \t\r\f\v\u00a0]+")
_LINES = re.compile(r" ?\n[ \n]*")


_LONGEST_LINK = 2_000


def page_text(html: str, links_of: str | None = None) -> str:
    """The text of the page's main part or articles, of the whole page if it names none. A line a block. What
    the page hides from its readers is left out (see `visibility`).

    With `links_of`, the page's own URL, links are written as `[text](URL)`; without, only their text is.
    Read as a stream, so that its cost grows with the page's length however deep it is nested.
    """
    collector = _TextCollector(links_of, Visibility(html))
    parser = etree.HTMLParser(target=collector, huge_tree=True, encoding="utf-8")
    if html.strip():
        parser.feed(html.encode(errors="replace"))
        parser.close()
    return _plain(collector.main if collector.main else collector.whole)


def _plain(pieces: list[str]) -> str:
    text = "".join(pieces)
    return _LINES.sub("\n", _SPACES.sub(" ", text)).strip()


def base_of(url: str, base: str) -> str:
    """What the links of a page are relative to: its URL, with what its `<base>` says."""
    try:
        whole = urljoin(url, base.strip())
        return whole if urlsplit(whole).scheme in ("http", "https") else url
    except ValueError:
        return url


class _TextCollector:
    """Gets the parser's events; counts how many elements it is in that say nothing, or are the main part."""

    def __init__(self, links_of: str | None, visibility: Visibility) -> None:
        self.whole: list[str] = []
        self.main: list[str] = []
        self._links_of = links_of
        self._based = False
        self._visibility = visibility
        self._links: list[str | None] = []
        self._silent = 0
        self._in_main = 0
        self._in_pre = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "base" and self._links_of is not None and not self._based and "href" in attributes:
            self._links_of, self._based = base_of(self._links_of, attributes["href"]), True
        self._visibility.begin(tag, attributes)
        self._silent += tag in _SILENT
        self._in_main += tag in _MAIN
        self._in_pre += tag == "pre"
        if tag not in _INLINE:
            self._take("\n")
        if tag == "a":
            self._links.append(self._link(attributes.get("href")))
            if self._links[-1]:
                self._take("[")

    def end(self, tag: str) -> None:
        if tag == "a" and self._links and (link := self._links.pop()):
            self._take(f"]({link})")
        if tag not in _INLINE:
            self._take("\n")
        self._silent -= tag in _SILENT
        self._in_main -= tag in _MAIN
        self._in_pre -= tag == "pre"
        self._visibility.end()

    def data(self, text: str) -> None:
        if not self._visibility.hides_text:
            self._take(text if self._in_pre else text.replace("\n", " "))

    def close(self) -> None:
        """Asked for by lxml."""

    def _link(self, href: str | None) -> str | None:
        """Where a link leads, if to another page."""
        if self._links_of is None or not href or href.strip().startswith("#"):
            return None
        try:
            whole = urljoin(self._links_of, href.strip())
            leads = urlsplit(whole).scheme in ("http", "https")
        except ValueError:
            return None
        fits = len(whole) <= _LONGEST_LINK and not any(char.isspace() for char in whole)
        return whole if leads and fits else None

    def _take(self, text: str) -> None:
        if not self._silent:
            self.whole.append(text)
            if self._in_main:
                self.main.append(text)
