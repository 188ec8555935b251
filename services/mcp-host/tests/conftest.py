"""What the tests of the host share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from foldline_testing.mcp_host.world import McpWorld, mcp_world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[McpWorld]:
    """A host of a test's own."""
    async with mcp_world(data=tmp_path / "data") as world:
        yield world
