"""What the tests of the host share."""

from collections.abc import AsyncIterator

import pytest

from foldline_testing.workspace_host.world import ShellWorld, shell_world


@pytest.fixture
async def world() -> AsyncIterator[ShellWorld]:
    """A host whose commands are isolated as well as this machine can."""
    async with shell_world() as world:
        yield world
