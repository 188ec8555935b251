"""People see of recorded sessions what they saw: the gateway's own queries over a real Postgres."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from foldline_testing.product.recorded.recording import Recording, read, stories_in
from foldline_testing.product.recorded.tables import Tables
from foldline_testing.product.recorded.views import views

FOLDER = Path(__file__).parent
STORIES = stories_in(FOLDER)


@pytest.fixture
async def tables(postgres_dsn: str) -> AsyncIterator[Tables]:
    async with Tables(postgres_dsn) as opened:
        yield opened


def without_changes(timeline: dict[str, Any]) -> dict[str, Any]:
    """Without what each row changed of the agent: the agent's own events are not in a recording."""
    return timeline | {"items": [{**row, "changed": []} for row in timeline["items"]]}


def differing(recording: Recording, now: dict[str, Any]) -> list[str]:
    """The sessions and views that are not as they were seen."""
    return [
        f"{label}: {view}"
        for label, seen in recording.seen.items()
        for view, told, wanted in (
            ("pages", now[label]["pages"], seen["pages"]),
            ("timeline", now[label]["timeline"], without_changes(seen["timeline"])),
        )
        if told != wanted
    ]


async def test_people_see_of_each_story_what_they_saw(tables: Tables) -> None:
    for name in STORIES:
        recording = read(FOLDER / name)
        assert differing(recording, await views(recording, tables, recording.messages())) == [], name


async def test_a_row_that_is_missing_is_noticed(tables: Tables) -> None:
    recording = read(FOLDER / "tool-calls")
    story = recording.messages()
    lost = next(message for message in story if message.event_type.endswith("tool_call_completed.v1"))
    without = [message for message in story if message.sequence != lost.sequence]
    assert differing(recording, await views(recording, tables, without)) == [
        "session: pages",
        "session: timeline",
    ]
