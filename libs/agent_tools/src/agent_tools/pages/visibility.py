"""What of a page its readers don't see, by its markup and its own style sheets. Pure.

Style sheets of other addresses are not read, and nothing is laid out: what only scripts hide counts as seen.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import tinycss2.color4
from lxml import etree

from agent_tools.pages.stylesheet import Declaration, Element, StyleSheet

_NEVER_SEEN = frozenset(("template", "noscript", "audio", "video", "canvas", "datalist"))
_LENGTH = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|ex|ch|vw|vh|%|in|cm|mm)?")
_PIXELS = {
    "px": 1.0,
    "": 1.0,
    "pt": 4 / 3,
    "rem": 16.0,
    "in": 96.0,
    "cm": 38.0,
    "mm": 3.8,
    "ex": 8.0,
    "ch": 8.0,
}
_BODY = 16.0
_TINY = 1.5
"""Pixels of a letter, or of a box, that nobody reads."""
_OUTSIDE = -400.0
"""Pixels to the left of, or above, what is seen."""
_FAINT = 0.05
"""Opacity, and the difference of two colours (of 1)."""
_NO_AREA = re.compile(r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:50|100)%.*\)|circle\(\s*0.*\)")
_NO_SCALE = re.compile(r"scale[xy]?\(\s*0(?:\.0+)?\s*[,)]|translate[xy]?\(\s*-\d{3,}")
_WHITE = (1.0, 1.0, 1.0)
_TRANSPARENT = (-1.0, -1.0, -1.0)
Color = tuple[float, float, float]


class _Look(msgspec.Struct, frozen=True):
    """What children inherit; `background` is None where nobody knows it."""

    gone: bool = False
    visible: bool = True
    size: float = _BODY
    color: Color | None = None
    background: Color | None = _WHITE

    @property
    def hides_text(self) -> bool:
        faint = self.color == _TRANSPARENT or (
            self.color is not None
            and self.background is not None
            and all(abs(a - b) <= _FAINT for a, b in zip(self.color, self.background, strict=True))
        )
        return self.gone or not self.visible or self.size < _TINY or faint


class Visibility:
    """Follows the elements of a page as they begin and end, and knows whether text there is seen."""

    def __init__(self, html: str) -> None:
        self._sheet = StyleSheet(html)
        self._elements: list[Element] = []
        foreign = re.search(r"<link\b[^>]*\bstylesheet", html, re.IGNORECASE) is not None
        self._looks = [_Look(background=None if foreign else _WHITE)]

    @property
    def hides_text(self) -> bool:
        """Whether text at this place is not seen."""
        return self._looks[-1].hides_text

    @property
    def is_gone(self) -> bool:
        """Whether nothing in the element at this place can be seen."""
        return self._looks[-1].gone

    def begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        element = Element(tag, attributes, frozenset(attributes.get("class", "").split()))
        look = self._look(element)
        self._looks.append(look)
        self._elements.append(element)

    def end(self) -> None:
        """The element that began last and hasn't ended ends."""
        if self._elements:
            self._elements.pop()
            self._looks.pop()

    def _look(self, element: Element) -> _Look:
        before = self._looks[-1]
        given: dict[str, str] = {}
        if "hidden" in element.attributes or (element.tag == "dialog" and "open" not in element.attributes):
            given["display"] = "none"
        if "bgcolor" in element.attributes:
            given["background-color"] = element.attributes["bgcolor"]
        if element.tag == "font" and "color" in element.attributes:
            given["color"] = element.attributes["color"]
        if before.gone:
            return before
        given |= _last(self._sheet.declarations(element, self._elements))
        if not given and element.tag not in _NEVER_SEEN:
            return before
        return _Look(
            element.tag in _NEVER_SEEN or _is_gone(given),
            _visible(given.get("visibility"), before.visible),
            _size(given.get("font-size") or _size_in(given.get("font")), before.size),
            _color(given.get("color"), before.color, _TRANSPARENT),
            _background(given, before.background),
        )


def without_hidden(tree: Any, html: str) -> int:
    """Take out of a tree what readers don't see; how many passages that were."""
    seen = Visibility(html)
    gone: list[Any] = []
    passages = 0
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            was_gone = seen.is_gone
            seen.begin(element.tag, element.attrib)
            if seen.is_gone:
                if not was_gone:
                    gone.append(element)
            elif seen.hides_text and element.text:
                passages += bool(element.text.strip())
                element.text = None
        else:
            seen.end()
            if seen.hides_text and not seen.is_gone and element.tail:
                passages += bool(element.tail.strip())
                element.tail = None
    for element in gone:
        passages += bool("".join(element.itertext()).strip())
        _drop(element)
    return passages


def _drop(element: Any) -> None:
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _last(declarations: Iterable[Declaration]) -> dict[str, str]:
    return {name: value for name, value, _ in declarations}


def _is_gone(given: Mapping[str, str]) -> bool:
    """Whether the element, with all in it, is nowhere to be seen."""
    if given.get("display") == "none" or given.get("content-visibility") == "hidden":
        return True
    opacity = _number(given.get("opacity"))
    if opacity is not None and opacity <= _FAINT:
        return True
    if _NO_AREA.search(given.get("clip", "")) or _NO_AREA.search(given.get("clip-path", "")):
        return True
    if _NO_SCALE.search(given.get("transform", "")):
        return True
    placed = ("left", "top", "right", "bottom") if given.get("position") in ("absolute", "fixed") else ()
    for name in (*placed, "text-indent", "margin-left", "margin-top"):
        length = _pixels(given.get(name), _BODY)
        if length is not None and length <= _OUTSIDE:
            return True
    sides = (_pixels(given.get(name), _BODY) for name in ("width", "height", "max-width", "max-height"))
    cut = given.get("overflow", "").startswith(("hidden", "clip"))
    return cut and any(side is not None and side < _TINY for side in sides)


def _visible(given: str | None, before: bool) -> bool:
    return before if given in (None, "inherit") else given not in ("hidden", "collapse")


def _size(given: str | None, before: float) -> float:
    length = _pixels(given, before)
    return before if length is None else length


def _size_in(font: str | None) -> str | None:
    """The size in the shorthand `font`."""
    found = re.search(r"(?:^|\s)(-?[\d.]+(?:px|pt|em|rem|%)?)(?:/\S+)?\s", f"{font} ") if font else None
    return found.group(1) if found else None


def _pixels(given: str | None, of: float) -> float | None:
    found = _LENGTH.fullmatch(given) if given else None
    if found is None:
        return None
    number, unit = float(found.group(1)), found.group(2) or ""
    if unit in ("em", "%"):
        return number * of / (100 if unit == "%" else 1)
    return number * _PIXELS.get(unit, 10.0)


def _number(given: str | None) -> float | None:
    try:
        return None if given is None else float(given.removesuffix("%")) / (100 if given.endswith("%") else 1)
    except ValueError:
        return None


def _color(given: str | None, before: Color | None, if_transparent: Color | None) -> Color | None:
    try:
        found = tinycss2.color4.parse_color(given) if given else None
    except ValueError:
        return before
    if found is None or isinstance(found, str):
        return before
    if found.alpha is not None and found.alpha <= _FAINT:
        return if_transparent
    red, green, blue = (float(one or 0) for one in found.to("srgb").coordinates)
    return red, green, blue


def _background(given: Mapping[str, str], before: Color | None) -> Color | None:
    """What is behind the text; None for a picture."""
    if "url(" in given.get("background", "") or "gradient(" in given.get("background", ""):
        return None
    if given.get("background-image", "none") != "none":
        return None
    for name in ("background-color", "background"):
        if name in given:
            words = given[name] if name == "background-color" else given[name].partition(" ")[0]
            return _color(words, before, before)
    return before
