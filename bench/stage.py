"""A running Foldline with the scripted model, and the ways by which a measurement gets at it."""

import asyncio
import contextlib
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import nats
from nats.aio.client import Client
from nats.js import JetStreamContext

from agent_platform.nats.users import ADMIN
from agent_platform.services.embedded.passwords import ensure_passwords
from bench.gateway_http import Address, Poster, arrivals
from bench.scripted_model import step_model
from foldline.supervisor.announcement import Announcement, read_announcement
from foldline_testing.product.stack import Stack

TOKENS = 10**10
"""No session of a benchmark runs into its limit."""

_SETTLED_S = 120.0
_ENDS = (b'"type":"foldline.session.became_idle.v1"', b'"type":"foldline.session.failed.v1"')


class _Ending(msgspec.Struct, frozen=True):
    session_id: str
    type: str


class Turns:
    """Follows all sessions and knows when a turn is over."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._waiting: dict[str, list[asyncio.Future[None]]] = defaultdict(list)

    async def run(self) -> None:
        """Follow until cancelled."""
        async for arrival in arrivals(self._address, "/events"):
            if arrival.name == "event" and any(end in arrival.data for end in _ENDS):
                ending = msgspec.json.decode(arrival.data, type=_Ending)
                for waiting in self._waiting.pop(ending.session_id, []):
                    if waiting.done():
                        continue
                    if "failed" in ending.type:
                        waiting.set_exception(RuntimeError(f"a session failed: {arrival.data.decode()}"))
                    else:
                        waiting.set_result(None)

    def end_of_turn(self, session_id: str) -> asyncio.Future[None]:
        """Done when the session next becomes idle; RuntimeError if it fails. Ask before you say something."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[session_id].append(future)
        return future


class Stage:
    """One running Foldline. `model_url` is its model server's address."""

    model_url: str

    def __init__(self, stack: Stack, admin: Client, turns: Turns, poster: Poster, told: Announcement) -> None:
        self.stack = stack
        self.admin = admin
        self.turns = turns
        self.poster = poster
        self.address = Address.of(stack.url, stack.token)
        self.postgres_dsn = told.postgres_dsn

    @property
    def log(self) -> JetStreamContext:
        """JetStream, as a user who may do everything."""
        return self.admin.jetstream()

    async def new_session(self) -> str:
        """A session that nothing was said to yet."""
        made = await self.poster.post("/sessions", {"token_limit": TOKENS, "title": "bench"})
        return str(made["id"])

    async def turn(self, session_id: str, text: str) -> None:
        """Say something, and wait until the session is idle again."""
        async with asyncio.timeout(_SETTLED_S):
            ended = self.turns.end_of_turn(session_id)
            await self.poster.post(f"/sessions/{session_id}/messages", {"text": text})
            await ended


@asynccontextmanager
async def stage(folder: Path, *, processes: bool = False) -> AsyncIterator[Stage]:
    """Start everything in `folder`; stop everything at the end."""
    await asyncio.to_thread(folder.mkdir, parents=True)
    with step_model() as model:
        env = {**model, "FOLDLINE_SELFTEST_TOOLS": "true"}
        stack = Stack(folder / "data", processes=processes, env=env, python=sys.executable)
        await asyncio.to_thread(stack.start)
        try:
            async with _connected(stack) as connected:
                connected.model_url = model["FOLDLINE_MODEL_BASE_URL"]
                yield connected
        finally:
            await asyncio.to_thread(stack.stop)


@asynccontextmanager
async def _connected(stack: Stack) -> AsyncIterator[Stage]:
    told = read_announcement(stack.data_dir)
    assert told is not None
    passwords = ensure_passwords(stack.data_dir / "passwords.json", ()).nats
    admin = await nats.connect(told.nats_url, user=ADMIN, password=passwords[ADMIN])
    address = Address.of(stack.url, stack.token)
    turns, poster = Turns(address), Poster(address)
    following = asyncio.create_task(turns.run())
    try:
        one = Stage(stack, admin, turns, poster, told)
        await one.turn(await one.new_session(), "warm up")
        yield one
    finally:
        following.cancel()
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await following
        poster.close()
        await admin.close()
