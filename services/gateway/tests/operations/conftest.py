"""Operations over a log in memory: no server, no HTTP."""

import pytest

from foldline_testing.gateway.in_memory import InMemory


@pytest.fixture
def memory() -> InMemory:
    """A gateway's operations, and the other services' part."""
    return InMemory()
