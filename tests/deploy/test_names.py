"""A class name says what the thing is, without its module: no two classes of the product share one."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED: dict[str, str] = {}
"""Names that two classes may have, each with the reason; at most ten."""

_PARTICIPLE = re.compile(r"[A-Z][a-z]+(?:ed|en|ing)")
_VAGUE = re.compile(
    "Again|Back|Begun|Below|Beside|Between|Big|Did|Done|Down|Found|Given|Gone|Held|Idle|Instead|Kept|Known|"
    "Left|Long|Lost|Made|Near|New|Nobody|Nothing|Now|Online|Other|Put|Ran|Said|Seen|Sent|Short|Since|Spent|"
    "Such|Told|Up|What|When|Where|Which|Work"
)
"""Participles and others that mean nothing outside of their module."""
NOUNS = {"Embed", "Feed", "Finding", "Need", "Reasoning"} | {
    "Screen",
    "Setting",
    "Spending",
    "Thinking",
    "Tracing",
}
"""What looks like a participle and isn't one, or is the field's noun."""
OUTCOMES = {"Rejected"}
"""Of the three kinds of failure."""


@cache
def classes() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Each class of the product: its name, where it is, and its bases."""
    files = [
        one
        for base in ("libs", "services", "apps", "packs")
        for one in sorted((ROOT / base).glob("*/src/**/*.py"))
        if "foldline_testing" not in one.parts
    ]
    return tuple(found for one in files for found in of_source(one.read_text(encoding="utf-8"), str(one)))


def of_source(text: str, where: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (node.name, where, tuple(ast.unparse(base) for base in node.bases))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
    ]


def shared(found: tuple[tuple[str, str, tuple[str, ...]], ...]) -> dict[str, list[str]]:
    places = defaultdict(list)
    for name, where, _ in found:
        places[name].append(where)
    return {name: where for name, where in places.items() if len(where) > 1}


def vague(found: tuple[tuple[str, str, tuple[str, ...]], ...]) -> list[str]:
    """Public classes that are called by a participle alone. Events are: they are in the past tense."""
    return [
        f"{where}: {name}"
        for name, where, bases in found
        if "Event" not in bases
        and name not in NOUNS | OUTCOMES
        and (_VAGUE.fullmatch(name) or _PARTICIPLE.fullmatch(name))
    ]


def test_no_class_name_stands_twice() -> None:
    assert len(classes()) > 2_000  # it looks at something
    assert shared(classes()).keys() == SHARED.keys()
    assert len(SHARED) <= 10


def test_no_class_is_called_by_a_participle_alone() -> None:
    assert vague(classes()) == []
    names = {name for name, _, _ in classes()}
    assert names >= NOUNS | OUTCOMES  # none is excused that isn't there any more


@pytest.mark.parametrize(
    ("source", "twice", "wrong"),
    [
        ("class Lease: ...\ndef f():\n    class Lease: ...", ["Lease"], []),
        ("class _Page: ...\nclass Book:\n    class _Page: ...", ["_Page"], []),
        ("class Told: ...\nclass Sending: ...\nclass Page: ...", [], ["Told", "Sending"]),
        ("class Archived(Event, frozen=True): ...\nclass _Kept: ...", [], []),
    ],
)
def test_such_a_name_would_be_found(source: str, twice: list[str], wrong: list[str]) -> None:
    found = tuple(of_source(source, "some.py"))
    assert list(shared(found)) == twice
    assert [one.removeprefix("some.py: ") for one in vague(found)] == wrong
