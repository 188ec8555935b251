"""Waiting for a server to answer, and giving up without leaving anything behind."""

import asyncio
from urllib.parse import urlsplit

from agent_contracts.errors import Rejected, Transient

_CANCELLED_WITHIN_S = 0.05


async def until_open(
    opening: "asyncio.Task[None]", refused: "asyncio.Future[None]", timeout: float, *, server: str, user: str
) -> None:
    """Wait up to `timeout` seconds until `opening` is done.

    Raises `Rejected(kind="unauthorized")` if `refused` is done first: the server turned `user` away. Raises
    `Transient` if no server answers at the URL `server`.
    """
    await asyncio.wait([opening, refused], timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    if not opening.done():
        url = urlsplit(server)
        if refused.done():
            raise Rejected(
                f"NATS at {url.hostname}:{url.port} refused user {user!r}: check the password",
                kind="unauthorized",
            )
        raise Transient(f"No NATS server answers at {url.hostname}:{url.port}", kind="disconnected")
    await opening


async def abandon(opening: "asyncio.Task[None]") -> None:
    """End an attempt to connect. nats-py may take a cancellation for its own: repeat it."""
    while not opening.done():
        opening.cancel()
        await asyncio.wait([opening], timeout=_CANCELLED_WITHIN_S)
    if not opening.cancelled():
        opening.exception()  # looked at, or asyncio reports it
