"""Bytes that come in pieces of any size."""

from collections.abc import AsyncGenerator, AsyncIterable


async def evenly(data: AsyncIterable[bytes], size: int) -> AsyncGenerator[bytes, None]:
    """The same bytes in pieces of `size` each; the last one may be shorter."""
    waiting = bytearray()
    async for piece in data:
        waiting += piece
        while len(waiting) >= size:
            yield bytes(waiting[:size])
            del waiting[:size]
    if waiting:
        yield bytes(waiting)


async def sliced(data: bytes, size: int) -> AsyncGenerator[bytes, None]:
    """Bytes that exist already, in pieces of `size` each."""
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def begun(first: bytes, rest: AsyncIterable[bytes]) -> AsyncGenerator[bytes, None]:
    """What was read of `rest` before, then the rest."""
    yield first
    async for piece in rest:
        yield piece
