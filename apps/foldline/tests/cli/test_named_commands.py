"""Commands that the operators' pages, `foldline top` and `foldline why` name are there, with their flags."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from foldline.cli.lazy_commands import COMMANDS, LazyCommands

ROOT = Path(__file__).parents[4]
PAGES = [page for page in (ROOT / "docs/operate").glob("*.md") if page.name != "log-events.md"]
WATCHING = list((ROOT / "apps/foldline/src/foldline/cli/watching").glob("*.py"))


def named(file: Path) -> Iterator[tuple[str, str]]:
    """Each command that is named, and what is said after it."""
    text = file.read_text()
    if file.suffix == ".md":
        inline = re.findall(r"`(foldline [^`]*)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        said = inline + re.findall(r"^(foldline [a-z].*)", text, re.MULTILINE)
    else:
        said = re.findall(r"[\"; ](foldline [^\";]*)", text)
    for one in said:
        yield from re.findall(r"\bfoldline ([a-z-]+)([^#;]*)", one)


@pytest.mark.parametrize("file", [*PAGES, *WATCHING], ids=lambda file: file.name)
def test_it_is_there_with_its_flags(file: Path) -> None:
    group = LazyCommands()
    for command, more in named(file):
        assert command in COMMANDS, f"{file.name}: foldline {command}"
        found = group.get_command(click.Context(click.Command("foldline")), command)
        flags = {flag for parameter in found.params for flag in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", more)) <= flags, f"{file.name}: foldline {command}{more}"


def test_targets_that_the_pages_name_are_there() -> None:
    said = [(page.name, one) for page in PAGES for one in re.findall(r"`make ([a-z-]+)", page.read_text())]
    assert ("proxy.md", "proxies") in said, "the page says how its configurations are tested"
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {one for _, one in said} <= {*targets}, said


def test_it_looks_at_something() -> None:
    assert sum(len(list(named(page))) for page in PAGES) > 20
    assert sum(len(list(named(page))) for page in WATCHING) > 10
