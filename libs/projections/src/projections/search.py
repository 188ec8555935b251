"""What people look for: words that are all needed, and phrases in quotes. One spelling for every search.

A word is found wherever it stands in a text, in any case, with or without accents: `quok` finds *quokka*,
`_bar` finds *foo_bar*. One of one or two letters is looked for where words begin, a phrase in whole words. A
single Chinese, Japanese or Korean character is a word. See sql/search.sql for how texts are compared, and
message_search.py for how messages are looked up.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal

import msgspec

from agent_contracts.api.snippets import SnippetPart
from agent_contracts.errors import Rejected

MOST_WORDS = 20
LONGEST_SEARCHED = 100_000
"""Characters: a text is searched up to here, as sql/search.sql says."""
_SNIPPET, _BEFORE = 160, 40
"""Characters of a snippet, and how many of them stand before what was found."""

_TERM = re.compile(r'"([^"]*)"|(\S+)')
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]")
_SHORT = re.compile(r"[^\W_]{1,2}")
_PLAIN = re.compile(r"[^\W_]+")
_INDEXED = re.compile(r"[^\W_]{3}|[^\W_]{2}[\W_]|[\W_][^\W_]")
"""The index holds three letters or digits that stand together, where the edge of a word counts as one."""
_GAPS = re.compile(r"\s+")
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "ς": "σ"}
    | dict.fromkeys("‘’", "'")
    | dict.fromkeys("“”", '"')
    | dict.fromkeys("–—", "-")
)


class Term(msgspec.Struct, frozen=True):
    """What a text must have: a part of a word, a beginning of one (`start`), or a phrase."""

    text: str
    kind: Literal["part", "start", "phrase"]

    @property
    def is_plain(self) -> bool:
        """Whether it is of letters and digits alone, and one word."""
        return bool(_PLAIN.fullmatch(self.text)) and not _WIDE.search(self.text)

    @property
    def is_indexed(self) -> bool:
        """Whether an index of trigrams helps to find it."""
        return self.kind == "part" and bool(_WIDE.search(self.text) or _INDEXED.search(self.text))


def terms_of(query: str) -> tuple[Term, ...]:
    """The terms of a query, each once; none: it is empty. `Rejected` if there are too many of them."""
    found = dict.fromkeys(
        _GAPS.sub(" ", quoted or word).strip() for quoted, word in _TERM.findall(_NOT_TEXT.sub(" ", query))
    )
    terms = tuple(_term(text) for text in found if text)
    if len(terms) > MOST_WORDS:
        raise Rejected(
            f"A search has at most {MOST_WORDS} words, this one has {len(terms)}. Quotes make a phrase of "
            "several words, which counts as one",
            kind="invalid_request",
        )
    return terms


def condition(terms: Sequence[Term], text: str) -> str:
    """The SQL that is true where the SQL expression `text`, a call of `searchable`, has all terms: see
    `parameters`."""
    # An expression is not to be looked up: the index makes thousands of trigrams of one.
    return " AND ".join(
        f"{text} LIKE containing(%(term{number})s)"
        if term.kind == "part"
        else f"({text} || '') ~ ('{_EDGES[term.kind]}' || phrased(%(term{number})s))"
        for number, term in enumerate(terms)
    )


def parameters(terms: Sequence[Term]) -> dict[str, str]:
    """The parameters of `condition`."""
    return {f"term{number}": term.text for number, term in enumerate(terms)}


def is_wide(piece: str) -> bool:
    """Whether it is a character that is a word."""
    return bool(_WIDE.fullmatch(piece))


def snippet(text: str, terms: Sequence[Term]) -> list[SnippetPart]:
    """The words around the first that was found, on one line, and which of them were looked for."""
    told = text[:LONGEST_SEARCHED]
    first = next(_found(told, terms), (0, 0))[0]
    begin = max(0, first - _BEFORE)
    cut = told[begin : begin + _SNIPPET]
    parts = [SnippetPart(text="…")] if begin else []
    at = 0
    for start, end in _found(cut, terms):
        if start > at:
            parts.append(SnippetPart(text=_GAPS.sub(" ", cut[at:start])))
        parts.append(SnippetPart(text=_GAPS.sub(" ", cut[start:end]), match=True))
        at = end
    if at < len(cut):
        parts.append(SnippetPart(text=_GAPS.sub(" ", cut[at:])))
    return [*parts, SnippetPart(text="…")] if begin + _SNIPPET < len(text) else parts


_EDGES = {"start": r"\m", "phrase": ""}


def _term(text: str) -> Term:
    if " " in text:
        return Term(text, "phrase")
    short = _SHORT.fullmatch(text) and not _WIDE.search(text)
    return Term(text, "start" if short else "part")


def _found(text: str, terms: Sequence[Term]) -> Iterator[tuple[int, int]]:
    """Where the terms stand in a text, in order."""
    folded, origins = _folded(text)
    for match in _pattern(tuple(terms)).finditer(folded):
        if match.end() > match.start():
            yield origins[match.start()], origins[match.end() - 1] + 1


@cache
def _fold(character: str) -> str:
    plain = unicodedata.normalize("NFKD", character)
    kept = "".join(one for one in plain if not "\u0300" <= one <= "\u036f")
    return unicodedata.normalize("NFC", kept).lower().translate(_LETTERS)


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The text as it is compared, and for each of its characters where it comes from."""
    if text.isascii():
        return text.lower(), range(len(text))
    folded = [_fold(character) for character in text]
    return "".join(folded), [at for at, one in enumerate(folded) for _ in one]


def _pattern(terms: tuple[Term, ...]) -> re.Pattern[str]:
    return re.compile("|".join(_expression(term) for term in terms) or "(?!)")


def _expression(term: Term) -> str:
    words = r"\s+".join(re.escape(word) for word in _folded(term.text)[0].split())
    return rf"\b{words}" if term.kind == "start" else words
