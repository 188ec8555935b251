"""Advisory locks, so that two don't do the same work. What keeps rows right is the lock on the checkpoint."""

import hashlib
from typing import Any

from psycopg import AsyncConnection

from projector.projecting.projection import Projection

ACTIVE = "active"
"""Held by the one projector that works."""

REBUILDING = "rebuilding"
"""Held by whoever fills a scratch schema."""

ERASING = "erasing"
"""Held by the one projector that takes out what people deleted."""


async def try_lock(
    connection: AsyncConnection[tuple[Any, ...]], projection: Projection, purpose: str
) -> bool:
    """Take the lock until it is given back or the connection ends, unless another connection has it."""
    taking = await connection.execute("SELECT pg_try_advisory_lock(%s)", [_key(projection, purpose)])
    found = await taking.fetchone()
    return found is not None and bool(found[0])


async def give_back(
    connection: AsyncConnection[tuple[Any, ...]], projection: Projection, purpose: str
) -> None:
    """Let go of the lock now. Postgres does so by itself only some time after a connection was closed."""
    await connection.execute("SELECT pg_advisory_unlock(%s)", [_key(projection, purpose)])


def _key(projection: Projection, purpose: str) -> int:
    digest = hashlib.sha256(f"{projection.schema}/{projection.name}/{purpose}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
