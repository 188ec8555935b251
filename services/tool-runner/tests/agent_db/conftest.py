"""An agent's database on a log in memory."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from foldline_testing.tool_runner.agent_db import Home
from tool_runner.agent_db.agent_db import AgentDb


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    home = Home(tmp_path / "copies")
    yield home
    await home.close()


@pytest.fixture
async def database(home: Home) -> AgentDb:
    return await home.runner()
