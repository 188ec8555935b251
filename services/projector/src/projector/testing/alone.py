"""A projector as a process of its own runs it, by the settings of its environment."""

import asyncio

from agent_platform.settings.settings import load_settings
from projector.app import serve


def projector() -> None:
    """A projector."""
    asyncio.run(serve(load_settings().settings))
