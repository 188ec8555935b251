"""An engine as a process of its own runs it, by the settings of its environment."""

import asyncio

from agent_platform.settings.loading import load_settings
from session_engine.app import serve
from session_engine.settings import EngineSettings


def engine() -> None:
    """An engine."""
    asyncio.run(serve(load_settings(EngineSettings).settings))
