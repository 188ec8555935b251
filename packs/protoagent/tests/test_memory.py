"""What is remembered: the seed's texts, and what words find."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind
from foldline_testing.agent_tools.called import Called


async def test_the_seed_s_first_examples_work_word_for_word(called: Called) -> None:
    for number in range(16):
        await called.text("memory_ingest", content=f"filler {number}")
    coffee = "Operator's preferred coffee is a Gibraltar with oat milk."
    stored = await called.text("memory_ingest", content=coffee, domain="preferences", heading="coffee")
    assert stored == "Stored chunk 17 in 'preferences'."
    lab = "Primary lab is Snickerdoodle in Spokane."
    await called.text("memory_ingest", content=lab, domain="context", heading="lab")
    assert (await called.text("memory_recall", query="preferred coffee, or the lab")).split("\n") == [
        f"[preferences] coffee: {coffee}",
        f"[context] lab: {lab}",
    ]


async def test_a_heading_is_there_once_in_its_domain(called: Called) -> None:
    first = await called.text("memory_ingest", content="Black", domain="preferences", heading="coffee")
    await called.text("memory_ingest", content="Other", domain="context", heading="coffee")
    second = await called.text("memory_ingest", content="With milk", domain="preferences", heading="coffee")
    assert first == second == "Stored chunk 1 in 'preferences'."
    assert await called.text("memory_recall", query="black") == "No matches."
    assert await called.text("memory_stats") == "Total: 2\n  context: 1\n  preferences: 1"


async def test_without_a_heading_nothing_is_replaced(called: Called) -> None:
    await called.text("memory_ingest", content="Same")
    assert await called.text("memory_ingest", content="Same", heading="") == "Stored chunk 2 in 'general'."


async def test_the_entries_of_a_day_are_together_under_its_date(called: Called) -> None:
    assert await called.text("daily_log", content="Shipped the fix") == "Stored chunk 1 in 'daily-log'."
    assert await called.text("daily_log", content="Had lunch") == "Stored chunk 2 in 'daily-log'."
    today = f"{called.world.clock.now():%Y-%m-%d}"
    lines = (await called.text("memory_list", domain="daily-log")).split("\n")
    assert [line.partition(" [")[2] for line in lines] == [
        f"daily-log] {today}: Had lunch",
        f"daily-log] {today}: Shipped the fix",
    ]
    assert lines[0].startswith(f"#2 {today}T")


async def test_before_anything_is_remembered_everything_says_so(called: Called) -> None:
    assert await called.text("memory_recall", query="anything") == "No matches."
    assert await called.text("memory_list") == "No chunks in any domain."
    assert await called.text("memory_list", domain="context") == "No chunks in context."
    assert await called.text("memory_stats") == "Knowledge store is empty."


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("gibraltars", True),
        ("MILK", True),
        ("cafe", True),
        ('"oat" AND NOT milk*', True),
        ("tea", False),
        ("altar", True),
        ("100%", True),
        ("1%0", False),
        ("", False),
        ("!!!", False),
        ("NEAR(", False),
        ("x " * 900, False),
    ],
)
async def test_what_words_find(called: Called, query: str, finds: bool) -> None:
    await called.text("memory_ingest", content="A Gibraltar with oat milk, in a café, 100% of days")
    assert (await called.text("memory_recall", query=query) != "No matches.") is finds


async def test_k_and_limit_are_brought_within_bounds(called: Called) -> None:
    for number in range(7):
        await called.text("memory_ingest", content=f"word {number}")
    for tool, asked, count in (("memory_recall", {"query": "word"}, 5), ("memory_list", {}, 7)):
        assert len((await called.text(tool, **asked)).split("\n")) == count
    assert len((await called.text("memory_recall", query="word", k=-3)).split("\n")) == 1
    assert len((await called.text("memory_list", limit=10**9)).split("\n")) == 7


async def test_a_chunk_is_one_line_however_it_was_written(called: Called) -> None:
    await called.text("memory_ingest", content="one\ntwo\r\n\nthree " + "x" * 5_000)
    line = await called.text("memory_recall", query="three")
    assert line.startswith("[general] one two three xxx")
    assert line.endswith("x…")
    assert len(line) < 1_100


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("memory_ingest", {}, "/content"),
        ("memory_ingest", {"content": " "}, "/content"),
        ("memory_ingest", {"content": 1}, "/content"),
        ("memory_ingest", {"content": "x" * 20_001}, "/content"),
        ("memory_ingest", {"content": "x", "domain": ""}, "/domain"),
        ("memory_ingest", {"content": "x", "domain": "a\nb"}, "/domain"),
        ("memory_ingest", {"content": "x", "heading": "a\nb"}, "/heading"),
        ("memory_ingest", {"content": "x", "tags": []}, "/tags"),
        ("memory_recall", {}, "/query"),
        ("memory_recall", {"query": "x", "k": "5"}, "/k"),
        ("memory_recall", {"query": "x", "n": 5}, "/n"),
        ("memory_list", {"limit": 1.5}, "/limit"),
        ("memory_list", {"order": "new"}, "/order"),
        ("memory_stats", {"domain": "x"}, "/domain"),
        ("daily_log", {}, "/content"),
        ("daily_log", {"content": ["x"]}, "/content"),
        ("daily_log", {"content": "x", "heading": "y"}, "/heading"),
    ],
)
async def test_what_is_missing_too_much_or_wrong_is_named(
    called: Called, tool: str, arguments: dict[str, Any], path: str
) -> None:
    kind, _, where = await called.error(tool, **arguments)
    assert (kind, where) == (ErrorKind.INVALID_ARGUMENTS, path)
