"""Answers that are sent piece by piece."""

from collections.abc import AsyncGenerator
from contextlib import aclosing


async def all_pieces(first: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """The first piece, which was read already, and the others. What gives them is closed at the end."""
    async with aclosing(rest):
        yield first
        async for piece in rest:
            yield piece
