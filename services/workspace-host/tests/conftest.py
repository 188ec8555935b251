"""What the tests of the host share."""

from collections.abc import AsyncIterator

import pytest

from workspace_host.testing.world import HostWorld, host_world


@pytest.fixture
async def world() -> AsyncIterator[HostWorld]:
    """A host whose commands are isolated as well as this machine can."""
    async with host_world() as world:
        yield world
