"""A projector as a process of its own runs it, by the settings of its environment."""

import asyncio

from agent_platform.settings.loading import load_settings
from projector.app import serve
from projector.settings import ProjectorSettings


def projector() -> None:
    """A projector."""
    asyncio.run(serve(load_settings(ProjectorSettings).settings))
