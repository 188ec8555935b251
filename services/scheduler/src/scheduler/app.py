"""The scheduler as a service."""

import asyncio

from agent_platform.services.service import running_service
from scheduler.service import DECLARATION
from scheduler.settings import SchedulerSettings


async def serve(settings: SchedulerSettings) -> None:
    """Work until cancelled."""
    async with running_service(DECLARATION, settings):
        await asyncio.Event().wait()
