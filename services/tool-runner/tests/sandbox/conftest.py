"""A sandbox for each test module: one worker process, of a guest that is compiled once a checkout."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tool_runner.sandbox.sandbox import Sandbox


@pytest.fixture(scope="session")
def compiled_guests(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Where the compiled guest is kept; between test runs too, if pytest keeps anything."""
    cache = request.config.cache if hasattr(request.config, "cache") else None
    if cache is not None:
        yield cache.mkdir("sandbox") / "compiled"
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "compiled"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox(compiled_guests: Path) -> AsyncIterator[Sandbox]:
    """One worker, in a process of its own."""
    sandbox = Sandbox(compiled_guests, workers=1)
    yield sandbox
    await sandbox.close()
