"""A Foldline to be killed: the whole product as processes, a scripted model, and a file that counts acts."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from foldline.testing.chaos.acts import Acts
from foldline.testing.chaos.client import PersistentClient
from foldline.testing.chaos.log_view import LogView, log_view
from foldline.testing.chaos.rounds import Rounds
from foldline.testing.chaos.story import environment, script
from foldline.testing.model_server import ModelServer
from foldline.testing.stack import Stack


@dataclass(frozen=True)
class Stage:
    """A running one. `stop_dir` is where stop points are armed."""

    stack: Stack
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
    async def rounds(self) -> AsyncIterator[Rounds]:
        """Rounds of faults on it."""
        async with self.client() as client, self.view() as view:
            yield Rounds(self.stack, client, view, self.acts)


@contextmanager
def stage(folder: Path, replicas: Mapping[str, int] | None = None) -> Iterator[Stage]:
    """Start one under `folder`, with several processes of some services; stop it at the end."""
    stop_dir, acts = folder / "stop", Acts(folder / "acts")
    with ModelServer(script()) as model:
        env = model.environment() | environment(stop_dir, acts.file)
        with Stack(folder / "data", processes=True, replicas=replicas, env=env) as stack:
            yield Stage(stack, stop_dir, acts)
