"""What `find_tools` gives: what fits, best first, and never more than fits."""

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_contracts.errors import Rejected
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from model_caller.offering.find_tools import FAMILY_BYTES, MOST_BYTES, MOST_FOUND, Find, find

FAMILIES = {"schedules": "work at set times", "own": "made by you"}


def tool(name: str, description: str, family: str = "own", *arguments: str) -> ToolSpec:
    parameters: dict[str, Any] = {"type": "object", "properties": {one: {} for one in arguments}}
    return ToolSpec(name, description, parameters, family, Effect.EXTERNAL, RunsOn.TOOLS)


TOOLS = (
    tool("create_scheduled_task", "Run a prompt in a fresh session.", "schedules", "cron", "timezone"),
    tool("cancel_scheduled_task", "Run it no more.", "schedules", "id"),
    tool("set_reminder", "Be told something later in this session.", "reminders", "at", "message"),
    tool("file_delete", "Delete a file.", "files", "path"),
    tool("file_rename", "Give a file another name.", "files", "path"),
    tool("pdf_merge", "Put several PDF documents together.", "pdfs", "files"),
    tool("invoice_total", "Sum up an invoice in EUR. Größe und Preis."),
    tool("delete_state", "Remove a value.", "state", "key"),
)


def names(query: str | None = None, family: str | None = None, tools: Iterable[ToolSpec] = TOOLS) -> Any:
    return [one["name"] for one in find(Find(query, family), tuple(tools), FAMILIES)["tools"]]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("delete a file", "file_delete"),
        ("remind me tomorrow", "set_reminder"),
        ("cron", "create_scheduled_task"),
        ("merging PDFs", "pdf_merge"),
        ("rename files", "file_rename"),
        ("invoiceTotal", "invoice_total"),
        ("GRÖSSE", "invoice_total"),
        ("remove a stored value", "delete_state"),
        ("I want a tool which can cancel scheduled work", "cancel_scheduled_task"),
    ],
)
def test_the_best_comes_first(query: str, best: str) -> None:
    assert names(query)[0] == best


def test_tools_that_are_named_come_before_those_that_are_meant() -> None:
    assert names("pdf_merge, file_rename: I want to delete a file")[:2] == ["pdf_merge", "file_rename"]


def test_a_family_gives_its_tools_and_narrows_a_search() -> None:
    assert names(family="files") == ["file_delete", "file_rename"]
    assert names("delete", "state") == ["delete_state"]


@pytest.mark.parametrize("asked", [Find(), Find("", ""), Find("  ", None)])
def test_asked_for_nothing_it_lists_the_families(asked: Find) -> None:
    found = find(asked, TOOLS, FAMILIES)
    assert [one["family"] for one in found["families"]] == sorted({tool.family for tool in TOOLS})
    assert found["families"][-2] == {
        "family": "schedules",
        "purpose": "work at set times",
        "tools": ["cancel_scheduled_task", "create_scheduled_task"],
    }


def test_where_nothing_fits_it_says_what_there_is() -> None:
    found = find(Find("xylophone"), TOOLS, FAMILIES)
    assert found["tools"] == []
    assert "pdfs" in {one["family"] for one in found["families"]}


def test_a_family_that_is_not_there_names_the_nearest() -> None:
    with pytest.raises(Rejected, match=r"'file' \(did you mean files\?\)\. There are: files, own") as refused:
        find(Find(family="file"), TOOLS, FAMILIES)
    assert refused.value.path == "/family"


def test_a_definition_is_all_that_a_call_needs() -> None:
    (found,) = find(Find(family="pdfs"), TOOLS, FAMILIES)["tools"]
    assert found == {
        "name": "pdf_merge",
        "description": "Put several PDF documents together.",
        "parameters": {"type": "object", "properties": {"files": {}}},
        "note": "acts on the outside world",
    }


def test_a_family_of_small_tools_is_given_whole_and_a_large_one_in_part() -> None:
    small = [tool(f"browser_{n:02}", "Do it.", "browser", "selector") for n in range(30)]
    assert len(names(family="browser", tools=small)) == 30
    large = [tool(f"mcp_{n:03}", "Do it well. " * 50, "mcp", "selector") for n in range(300)]
    found = find(Find(None, "mcp"), large, FAMILIES)
    given_size = len(msgspec.json.encode(found["tools"]))
    assert FAMILY_BYTES - 1_000 < given_size <= FAMILY_BYTES + 100
    assert str(found["more"][0]) == f"mcp_{len(found['tools']):03}"
    assert len(names("do it", "browser", small)) == MOST_FOUND, "a search gives the best alone"


def test_ten_are_given_and_the_others_named() -> None:
    many = [tool(f"report_{number:03}", "A report.") for number in range(300)]
    found = find(Find("report"), many, {})
    assert len(found["tools"]) == MOST_FOUND
    assert found["more"][:2] == ["report_010", "report_011"]
    assert found["more"][-1] == "and 190 more"
    assert find(Find("report"), many[::-1], {}) == found, "whatever the order"


@settings(max_examples=30)
@given(st.lists(st.integers(0, 60_000), min_size=1, max_size=30), st.text(max_size=30))
def test_it_never_gives_more_bytes_than_fit_beside_the_first(sizes: list[int], query: str) -> None:
    many = [tool(f"t_{index:02}", "x" * size) for index, size in enumerate(sizes)]
    for asked in (Find(query), Find(family="own")):
        found = find(asked, many, {}).get("tools", [])
        size = len(msgspec.json.encode(found[1:]))
        assert size <= MOST_BYTES
        assert len(found) <= MOST_FOUND or (asked.family and size <= FAMILY_BYTES)
