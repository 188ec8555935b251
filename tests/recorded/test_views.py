"""People see of recorded sessions what they saw: the gateway's own queries over a real Postgres."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from agent_platform.log.port import StoredMessage
from foldline.testing.recorded.recording import Recording, read
from gateway.queries import messages, timeline
from gateway.queries.database import Postgres
from projections.project.log_projection import LogProjection
from projector.projecting.schemas import create
from projector.projecting.store import writing
from projector.projecting.writer import Writer

FOLDER = Path(__file__).parent
STORIES = sorted(path.parent.name for path in FOLDER.glob("*/expected.json"))
PAGE, TIMELINE = 200, 500
PROJECTION = LogProjection()


class Tables:
    """The projections in Postgres, filled by hand, and the gateway's way to read them."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._open = AsyncExitStack()

    async def __aenter__(self) -> "Tables":
        self._connection = await self._open.enter_async_context(writing(self._dsn, "test"))
        await create(self._connection, PROJECTION, PROJECTION.schema)
        self._database = Postgres(self._dsn)
        await self._database.open()
        self._open.push_async_callback(self._database.close)
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._open.aclose()

    async def empty(self) -> Writer:
        """Tables that hold nothing any more, as if they were new."""
        for table in PROJECTION.tables:
            await self._connection.execute(f"DELETE FROM {PROJECTION.schema}.{table.name}".encode())
        await self._connection.execute(f"UPDATE {PROJECTION.schema}.checkpoint SET sequence = 0".encode())
        return Writer(self._connection, PROJECTION, PROJECTION.schema, 0, letters=None)

    async def page(self, session: str) -> Any:
        """The newest page of messages, with the session."""
        async with self._database.snapshot() as snapshot:
            return (await messages.page(snapshot, session, None, PAGE)).model_dump(mode="json")

    async def timeline(self, session: str) -> Any:
        """The events in short."""
        async with self._database.snapshot() as snapshot:
            return (await timeline.page(snapshot, session, timeline.Wanted(limit=TIMELINE))).model_dump(
                mode="json"
            )


@pytest.fixture
async def tables(postgres_dsn: str) -> AsyncIterator[Tables]:
    async with Tables(postgres_dsn) as opened:
        yield opened


async def fold_up_to(writer: Writer, story: list[StoredMessage], sequence: int) -> None:
    assert await writer.write([message for message in story if message.sequence <= sequence]) == 0
    await writer.pass_over(sequence)


async def views(recording: Recording, tables: Tables, story: list[StoredMessage]) -> dict[str, Any]:
    """What the API answers at each moment at which it was asked when the story was recorded."""
    writer = await tables.empty()
    looked = sorted(
        (page["sequence"], label) for label, seen in recording.seen.items() for page in seen["pages"]
    )
    found: dict[str, Any] = {label: {"pages": []} for label in recording.sessions}
    for sequence, label in looked:
        await fold_up_to(writer, story, sequence)
        found[label]["pages"].append(await tables.page(recording.session_id(label)))
    for label in found:
        found[label]["timeline"] = await tables.timeline(recording.session_id(label))
    return found


def without_changes(timeline: dict[str, Any]) -> dict[str, Any]:
    """Without what each row changed of the agent: the agent's own events are not in a recording."""
    return timeline | {"rows": [{**row, "changed": []} for row in timeline["rows"]]}


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
