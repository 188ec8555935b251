"""The projections of recorded stories in a real Postgres, and the gateway's way to read them."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from agent_contracts.log.record.records import StoredMessage
from gateway.queries import messages, timeline
from gateway.queries.database import Postgres
from projections.project.log_projection import LogProjection
from projector.projecting.schemas import create
from projector.projecting.store import writing
from projector.projecting.writer import ProjectionWriter

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
        self.database = Postgres(self._dsn)
        await self.database.open()
        self._open.push_async_callback(self.database.close)
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._open.aclose()

    async def empty(self) -> ProjectionWriter:
        """Tables that hold nothing any more, as if they were new."""
        for table in PROJECTION.tables:
            await self._connection.execute(f"DELETE FROM {PROJECTION.schema}.{table.name}".encode())
        await self._connection.execute(f"UPDATE {PROJECTION.schema}.checkpoint SET sequence = 0".encode())
        return ProjectionWriter(self._connection, PROJECTION, PROJECTION.schema, 0, letters=None)

    async def page(self, session: str) -> Any:
        """The newest page of messages, with the session."""
        async with self.database.snapshot() as snapshot:
            return _as_json(await messages.page(snapshot, session, None, PAGE))

    async def timeline(self, session: str) -> Any:
        """The events in short."""
        async with self.database.snapshot() as snapshot:
            wanted = timeline.TimelineQuery(limit=TIMELINE)
            return _as_json(await timeline.page(snapshot, session, wanted))


async def fold_up_to(writer: ProjectionWriter, story: Sequence[StoredMessage], sequence: int) -> None:
    """Fold the story up to a record, and count all records up to there as seen."""
    assert await writer.write([message for message in story if message.sequence <= sequence]) == 0
    await writer.pass_over(sequence)


def _as_json(view: msgspec.Struct) -> Any:
    return msgspec.json.decode(msgspec.json.encode(view))
