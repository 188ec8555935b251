"""The HTML of documents, as markdown. Pure."""

import re

import msgspec
from lxml import etree

from agent_tools.pages.visibility import Visibility

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_SPACES = re.compile(r"[ \t]*\n[ \t]*")
_GAPS = re.compile(r"\n{3,}")


_SILENT = frozenset(("head", "script", "style", "template", "noscript", "svg"))


class HtmlText(msgspec.Struct, frozen=True):
    """The text, how many pictures stand in it, and how many passages of it readers would not see."""

    text: str
    pictures: int = 0
    hidden: int = 0


def markdown_of(html: str) -> HtmlText:
    """Blocks with a blank line between them. What is hidden from readers is left out."""
    if not html.strip():
        return HtmlText("")
    collector = _MarkdownCollector(Visibility(html))
    parser = etree.HTMLParser(target=collector, huge_tree=True, encoding="utf-8")
    parser.feed(html.encode(errors="replace"))
    parser.close()
    text = _GAPS.sub("\n\n", "".join(collector.said)).strip()
    return HtmlText(text, collector.pictures, collector.hidden)


class _MarkdownCollector:
    """Gets the parser's events, so that depth costs nothing."""

    def __init__(self, visibility: Visibility) -> None:
        self.pictures = self.hidden = 0
        self._visibility = visibility
        self._silent = 0
        self.said: list[str] = []
        self._lists: list[list[int | None]] = []
        self._links: list[str | None] = []
        self._cells: list[int] = []
        self._rows: list[int] = []
        self._begun: list[int] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._visibility.begin(tag, attributes)
        self._silent += tag in _SILENT
        if self._silent or self._visibility.is_gone:
            return
        match tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                self.said.append(f"\n\n{_HEADINGS[tag]}")
            case "p" | "div" | "section" | "blockquote" | "pre" if not self._cells and not self._lists:
                self.said.append("\n\n")
            case "dt":
                self.said.append("\n\n")
            case "br":
                self.said.append(" " if self._cells else "\n")
            case "ul" | "ol":
                self._lists.append([0 if tag == "ol" else None])
            case "li" if self._lists:
                self._begin_item()
            case "table":
                self._rows.append(0)
                self.said.append("\n\n")
            case "tr" if self._rows:
                self._rows[-1] += 1
                self._cells.append(0)
            case "td" | "th" if self._cells:
                self.said.append("| ")
                self._begun.append(len(self.said))
                self._cells[-1] += 1
            case "a":
                link = attributes.get("href")
                self._links.append(link if link and not link.startswith("#") else None)
                self.said.append("[" if self._links[-1] else "")
            case "strong" | "b":
                self.said.append("**")
            case "img":
                self.pictures += 1
                self.said.append(f"[picture: {attributes['alt']}]" if attributes.get("alt") else "[picture]")

    def end(self, tag: str) -> None:
        passed = self._silent or self._visibility.is_gone
        self._silent -= tag in _SILENT
        self._visibility.end()
        if passed:
            return
        match tag:
            case "p" if self._cells:
                self.said.append(" ")
            case "ul" | "ol" if self._lists:
                self._lists.pop()
                self.said.append("" if self._lists else "\n\n")
            case "td" | "th" if self._begun:
                begun = self._begun.pop()
                self.said[begun:] = ["".join(self.said[begun:]).strip(), " "]
            case "tr" if self._cells:
                count = self._cells.pop()
                self.said.append("|\n")
                if self._rows[-1] == 1:
                    self.said.append("|" + " --- |" * count + "\n")
            case "table" if self._rows:
                self._rows.pop()
                self.said.append("\n")
            case "a" if self._links:
                link = self._links.pop()
                self.said.append(f"]({link})" if link else "")
            case "strong" | "b":
                self.said.append("**")

    def data(self, text: str) -> None:
        if self._silent:
            return
        if self._visibility.hides_text:
            self.hidden += bool(text.strip())
            return
        self.said.append(_SPACES.sub(" ", text).replace("|", "\\|") if self._cells else text)

    def close(self) -> None:
        """Asked for by lxml."""

    def _begin_item(self) -> None:
        self.said.append("\n" + "  " * (len(self._lists) - 1))
        number = self._lists[-1][0]
        if number is None:
            self.said.append("- ")
        else:
            self._lists[-1][0] = number + 1
            self.said.append(f"{number + 1}. ")
