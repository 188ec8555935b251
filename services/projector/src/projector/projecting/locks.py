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
    """Take the lock for as long as the connection lives, unless another connection has it."""
    digest = hashlib.sha256(f"{projection.schema}/{projection.name}/{purpose}".encode()).digest()
    key = int.from_bytes(digest[:8], "big", signed=True)
    found = await (await connection.execute("SELECT pg_try_advisory_lock(%s)", [key])).fetchone()
    return found is not None and bool(found[0])
