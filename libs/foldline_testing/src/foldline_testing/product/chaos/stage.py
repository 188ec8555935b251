"""A Foldline to be killed: the whole product as processes, a scripted model, and a file that counts acts."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foldline_testing.product.chaos import story
from foldline_testing.product.chaos.acts import Acts
from foldline_testing.product.chaos.client import PersistentClient
from foldline_testing.product.chaos.conversation import SETTLE_S, tell_followed
from foldline_testing.product.chaos.log_view import LogView, log_view
from foldline_testing.product.chaos.rounds import Record, Rounds
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

_COLD_S = 120.0
"""A first model call loads its libraries, on a machine that may be busy."""


@dataclass(frozen=True)
class Stage:
    """A running one. `stop_dir` is where stop points are armed."""

    stack: Stack
    model: ModelServer
    stop_dir: Path
    acts: Acts

    @asynccontextmanager
    async def client(self) -> AsyncIterator[PersistentClient]:
        """A persistent client of its gateway."""
        async with PersistentClient(self.stack.url, self.stack.token) as client:
            yield client

    @asynccontextmanager
    async def view(self) -> AsyncIterator[LogView]:
        """Its log."""
        async with log_view(self.stack.data_dir) as view:
            yield view

    @asynccontextmanager
    async def rounds(self, record: Record | None = None, settle_s: float = SETTLE_S) -> AsyncIterator[Rounds]:
        """Rounds of faults on it, added to a record (a new one if None is given)."""
        async with self.client() as client, self.view() as view:
            yield Rounds(self.stack, client, view, self.acts, record or Record(), settle_s)

    async def warm_up(self) -> None:
        """Tell one turn, so that everything is loaded before the first fault."""
        async with self.client() as client:
            await tell_followed(client, "warm-up", 1, _COLD_S)


@contextmanager
def stage(
    folder: Path,
    replicas: Mapping[str, int] | None = None,
    script: dict[str, Any] | None = None,
    *,
    warm: bool = True,
    ack_wait_s: float = story.ACK_WAIT_S,
    more: Mapping[str, str] | None = None,
) -> Iterator[Stage]:
    """Start one under `folder`, with several processes of some services; stop it at the end.

    The model plays the story, or another `script`. `warm`: a first turn of the story was told. After
    `ack_wait_s` a dead worker's call goes to another one. `more` are settings besides.
    """
    stop_dir, acts = folder / "stop", Acts(folder / "acts")
    with ModelServer(script or story.script()) as model:
        env = model.environment() | story.environment(stop_dir, acts.file, ack_wait_s) | dict(more or {})
        with Stack(folder / "data", processes=True, replicas=replicas, env=env) as stack:
            started = Stage(stack, model, stop_dir, acts)
            if warm:
                asyncio.run(started.warm_up())
            yield started
