"""The rules of a page's own style sheets that can hide text, and which of them apply to an element. Pure.

Simple selectors, and those of descendants and children, are understood; rules with others count as none.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import tinycss2

PROPERTIES = frozenset(
    """
    display visibility opacity font font-size color background background-color background-image position left
    top right bottom margin-left margin-top text-indent clip clip-path width height max-width max-height
    overflow transform content-visibility
    """.split()  # noqa: SIM905
)
_STYLES = re.compile(r"<style\b[^>]*>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_MOST_CSS = 500_000
"""Characters of style sheets that are read."""
_MOST_RULES = 2_000
_MOST_MATCHES = 2_000_000
"""Comparisons for one page; after that no rule applies."""
_COMPOUND = re.compile(r"(\*|[a-zA-Z][\w-]*)?((?:[.#][\w-]+|\[[\w-]+(?:=\"?[^\"\]]*\"?)?\])*)")
_PART = re.compile(r"([.#])([\w-]+)|\[([\w-]+)(?:=\"?([^\"\]]*)\"?)?\]")
_SEEN_MEDIA = re.compile(r"\s*(?:all|screen|only screen)?\s*")

Declaration = tuple[str, str, bool]
"""Name, value, and whether it is important."""


class Element(msgspec.Struct, frozen=True):
    """What selectors look at."""

    tag: str
    attributes: Mapping[str, str]
    classes: frozenset[str]


class _Compound(msgspec.Struct, frozen=True):
    """One element's part of a selector; `child`: the one before it must be its parent."""

    tag: str
    id: str | None
    classes: frozenset[str]
    attributes: tuple[tuple[str, str | None], ...]
    child: bool

    def fits(self, element: Element) -> bool:
        return (
            self.tag in ("*", element.tag)
            and (self.id is None or element.attributes.get("id") == self.id)
            and self.classes <= element.classes
            and all(
                name in element.attributes and value in (None, element.attributes[name])
                for name, value in self.attributes
            )
        )


class _Rule(msgspec.Struct, frozen=True):
    compounds: tuple[_Compound, ...]
    specificity: tuple[int, int, int]
    order: int
    declarations: tuple[Declaration, ...]


class StyleSheet:
    """The rules of a page."""

    def __init__(self, html: str) -> None:
        self._by_key: defaultdict[str, list[_Rule]] = defaultdict(list)
        self._count = self._matches = 0
        css = "\n".join(found.group(1) for found in _STYLES.finditer(html))[:_MOST_CSS]
        if css:
            self._read(tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True))

    def declarations(self, element: Element, ancestors: Sequence[Element]) -> Iterator[Declaration]:
        """Those that apply to an element, the weakest first; its own `style` is the last."""
        keys = ["*", element.tag, *(f".{name}" for name in element.classes)]
        if "id" in element.attributes:
            keys.append(f"#{element.attributes['id']}")
        rules = [
            one for key in keys for one in self._by_key.get(key, ()) if self._fits(one, element, ancestors)
        ]
        found = [
            (important, one.specificity, one.order, (name, value, important))
            for one in rules
            for name, value, important in one.declarations
        ]
        own = declarations_of(element.attributes.get("style", ""))
        found += [(one[2], (9, 9, 9), place, one) for place, one in enumerate(own)]
        for *_, declaration in sorted(found, key=lambda one: one[:3]):
            yield declaration

    def _read(self, rules: Sequence[object]) -> None:
        for rule in rules:
            if self._count >= _MOST_RULES:
                return
            if isinstance(rule, tinycss2.ast.QualifiedRule):
                self._take(rule)
            elif isinstance(rule, tinycss2.ast.AtRule) and _is_seen_media(rule):
                self._read(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))

    def _take(self, rule: tinycss2.ast.QualifiedRule) -> None:
        declarations = tuple(_declarations(rule.content))
        if not declarations:
            return
        for selector in tinycss2.serialize(rule.prelude).split(","):
            compounds = _compounds(selector)
            if compounds:
                self._count += 1
                self._by_key[_key(compounds[-1])].append(
                    _Rule(compounds, _specificity(compounds), self._count, declarations)
                )

    def _fits(self, rule: _Rule, element: Element, ancestors: Sequence[Element]) -> bool:
        self._matches += 1
        if self._matches > _MOST_MATCHES or not rule.compounds[-1].fits(element):
            return False
        place = len(ancestors)
        for later, compound in zip(rule.compounds[:0:-1], rule.compounds[-2::-1], strict=True):
            place -= 1
            while place >= 0 and not compound.fits(ancestors[place]):
                self._matches += 1
                if later.child:
                    return False
                place -= 1
            if place < 0:
                return False
        return True


def _is_seen_media(rule: tinycss2.ast.AtRule) -> bool:
    """Whether it is `@media` with rules for every screen."""
    of_media = rule.lower_at_keyword == "media" and rule.content is not None
    return of_media and _SEEN_MEDIA.fullmatch(tinycss2.serialize(rule.prelude)) is not None


def declarations_of(style: str) -> list[Declaration]:
    """Those of a `style` attribute that can hide text."""
    return list(_declarations(tinycss2.parse_component_value_list(style))) if style else []


def _declarations(content: Sequence[object]) -> Iterator[Declaration]:
    for one in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if isinstance(one, tinycss2.ast.Declaration) and one.lower_name in PROPERTIES:
            yield one.lower_name, tinycss2.serialize(one.value).strip().lower(), one.important


def _compounds(selector: str) -> tuple[_Compound, ...]:
    """The parts of a selector; none for one that isn't understood."""
    found = []
    child = False
    for word in selector.replace(">", " > ").split():
        if word == ">":
            child = True
            continue
        match = _COMPOUND.fullmatch(word)
        if match is None:
            return ()
        parts = list(_PART.finditer(match.group(2)))
        found.append(
            _Compound(
                (match.group(1) or "*").lower(),
                next((one.group(2) for one in parts if one.group(1) == "#"), None),
                frozenset(one.group(2) for one in parts if one.group(1) == "."),
                tuple((one.group(3).lower(), one.group(4)) for one in parts if one.group(3)),
                child,
            )
        )
        child = False
    return tuple(found)


def _key(compound: _Compound) -> str:
    if compound.id is not None:
        return f"#{compound.id}"
    return f".{min(compound.classes)}" if compound.classes else compound.tag


def _specificity(compounds: Sequence[_Compound]) -> tuple[int, int, int]:
    return (
        sum(one.id is not None for one in compounds),
        sum(len(one.classes) + len(one.attributes) for one in compounds),
        sum(one.tag != "*" for one in compounds),
    )
