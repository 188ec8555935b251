"""The built help of every command is in plain words: none of those that `docs/plain-words.json` replaces."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import typer

import foldline
from foldline.cli.lazy_commands import COMMANDS
from foldline.cli.main import app

_LIST = Path(foldline.__file__).resolve().parents[4] / "docs" / "plain-words.json"
_AVOIDED = [
    (re.compile(one["not"], 0 if one.get("case") else re.IGNORECASE), one["but"])
    for one in json.loads(_LIST.read_text())
]
_NOT_FIRST = re.compile(r"(Of|Whose|Which|Those|That|With|What|How|Who|Where|By|So)\b")
"""A help line begins with a verb or a noun."""

ROOT: Any = typer.main.get_command(app)


def _texts(name: str) -> Iterator[tuple[str, str]]:
    """Everything that the help of a command says, by where it says it."""
    command = ROOT.get_command(click.Context(ROOT), name)
    assert command is not None, name
    assert command.help, f"{name} has a help text"
    for paragraph in command.help.split("\n\n"):
        yield name, " ".join(paragraph.split())
    for parameter in command.params:
        said = getattr(parameter, "help", None)
        assert said, f"{name}: {parameter.name} has a help line"
        yield f"{name} {parameter.opts[0]}", said


def _firsts(name: str) -> Iterator[tuple[str, str]]:
    """The first paragraph, and the line of each argument and option."""
    seen: set[str] = set()
    for where, text in _texts(name):
        if where not in seen:
            seen.add(where)
            yield where, text


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command_is_in_plain_words(name: str) -> None:
    found = [
        f"{where}: {text!r} has {hit[0]!r}, say: {better}"
        for where, text in _texts(name)
        for avoided, better in _AVOIDED
        if (hit := avoided.search(text))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_line_of_help_begins_with_a_verb_or_a_noun(name: str) -> None:
    lines = {
        where: text.removeprefix("With ") if text.startswith("With --") else text
        for where, text in _firsts(name)
    }
    found = [(where, text) for where, text in lines.items() if _NOT_FIRST.match(text)]
    assert not found


def test_no_command_has_a_second_name_for_how_many_lines_it_shows() -> None:
    commands = [ROOT.get_command(click.Context(ROOT), name) for name in COMMANDS]
    options = {option for command in commands if command for one in command.params for option in one.opts}
    assert "--limit" in options
    assert options.isdisjoint({"--most", "--max", "--count", "--last"})


@pytest.mark.parametrize(
    "text",
    [
        "So many, the newest.",
        "Of which agent alone.",
        "It goes on by itself.",
        "This is no tool.",
        "It is told.",
    ],
)
def test_the_list_finds_what_it_is_for(text: str) -> None:
    assert any(avoided.search(text) for avoided, _ in _AVOIDED)
