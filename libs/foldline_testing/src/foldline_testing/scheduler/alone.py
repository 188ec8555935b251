"""A scheduler as a process of its own runs it, by the settings of its environment."""

import asyncio

from agent_platform.settings.loading import load_settings
from scheduler.app import serve
from scheduler.settings import SchedulerSettings


def scheduler() -> None:
    """A scheduler."""
    asyncio.run(serve(load_settings(SchedulerSettings).settings))
