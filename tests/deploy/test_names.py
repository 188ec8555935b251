"""A class name says what the thing is, without its module: no two classes of the product share one."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from agent_contracts import event_sources

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
NOUNS = {"Accounting", "Embed", "Feed", "Finding", "Need", "Reasoning"} | {
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


ACTIVITIES = re.compile(
    "asked|asking|aside|at|keeping|leave|leaving|listed|named|noticing|noting|offered|opened|opens|past|"
    "projected|speaking|telling|typed|wanted|worked|" + _VAGUE.pattern.lower()
)
"""What a module or a folder isn't called: it is named for what is in it."""
SEEN_BY_PEOPLE = {"foldline_protoagent.asking", "foldline.cli.operating.up"}
"""A family of tools, and a command."""


def test_a_module_is_named_for_what_is_in_it() -> None:
    found = {
        str(one.relative_to(one.parents[len(one.parts) - one.parts.index("src") - 2]).with_suffix(""))
        for base in ("libs", "services", "apps", "packs")
        for one in sorted((ROOT / base).glob("*/src/**/*.py"))
        if "foldline_testing" not in one.parts
    }
    wrong = {name for name in found if any(ACTIVITIES.fullmatch(part) for part in Path(name).parts)}
    assert len(found) > 1_000
    assert {name.replace("/", ".") for name in wrong} == SEEN_BY_PEOPLE


SOURCES = {
    value
    for name, value in vars(event_sources).items()
    if name.isupper()
    and isinstance(value, str)
    and value != event_sources.OPERATOR  # a path is called so, too
}
"""What services call themselves in events."""


def sources_in(text: str) -> list[str]:
    if not any(one in text for one in SOURCES):  # most files: parsing takes longer
        return []
    return [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in SOURCES
    ]


def test_what_services_call_themselves_stands_in_one_place() -> None:
    """Beside the contracts' own tests, which say what the wire has."""
    assert len(SOURCES) == 9
    assert sources_in("Origin('/runner')") == ["/runner"]
    files = [
        one
        for base in ("libs", "services", "apps", "packs", "tests", "bench")
        for one in sorted((ROOT / base).rglob("*.py"))
        if "node_modules" not in one.parts and "agent_contracts" not in one.parts and one != Path(__file__)
    ]
    found = {str(one): sources_in(one.read_text(encoding="utf-8")) for one in files}
    assert {name: said for name, said in found.items() if said} == {}
