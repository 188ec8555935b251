"""An engine as a process of its own runs it, by the settings of its environment."""

import asyncio

from agent_platform.settings.settings import load_settings
from session_engine.app import serve


def engine() -> None:
    """An engine."""
    asyncio.run(serve(load_settings().settings))
