"""Each page of docs/extend shows the example of its kind, which `foldline new` writes and other tests run."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from agent_contracts.extensions import POINTS
from foldline.kit.making import EXAMPLES, example
from foldline_testing.agent_tools import ports_page
from foldline_testing.product import interfaces_page

DOCS = Path(__file__).parents[2] / "docs" / "extend"
MOST_LINES = 32
"""Of code in one file of an example."""


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_page_shows_each_file_of_its_example_as_it_is(kind: str) -> None:
    text = (DOCS / f"{kind}.md").read_text()
    shown = dict(re.findall(r"^File `([^`]+)`:\n\n```\w+\n(.*?)^```", text, re.M | re.S))
    files = example(kind)
    entry = re.search(r"^\[project\.entry-points.*?(?=\n\n)", files.pop("pyproject.toml"), re.M | re.S)
    assert shown == {path: code for path, code in files.items() if not path.startswith("test_")}
    assert entry is not None
    assert f"```toml\n{entry.group()}\n```" in text
    assert f"foldline new {kind} {EXAMPLES[kind]}" in text


@pytest.mark.parametrize("kind", EXAMPLES)
def test_an_example_is_short(kind: str) -> None:
    for path, code in example(kind).items():
        lines = [
            line for line in code.splitlines() if line.strip() and not line.startswith(("from", "import"))
        ]
        assert path.startswith("test_") or len(lines) <= MOST_LINES, path


def test_each_kind_of_extension_has_an_example_and_the_index_names_it() -> None:
    index = (DOCS / "README.md").read_text()
    assert set(POINTS) <= set(EXAMPLES)
    assert all(f"]({kind}.md) | `" in index for kind in EXAMPLES)
    assert {point.group for point in POINTS.values()} == set(re.findall(r"`(foldline\.[a-z]+)`", index))


@pytest.mark.parametrize(("name", "page"), [("ports", ports_page), ("interfaces", interfaces_page)])
def test_a_generated_page_is_what_the_types_say(name: str, page: ModuleType) -> None:
    assert (DOCS / f"{name}.md").read_text() == page.page(), "make contracts"
