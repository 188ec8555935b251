"""The browser-pool as a service."""

import asyncio

from agent_platform.services.service import running_service
from browser_pool.service import DECLARATION
from browser_pool.settings import BrowserPoolSettings


async def serve(settings: BrowserPoolSettings) -> None:
    """Work until cancelled."""
    async with running_service(DECLARATION, settings):
        await asyncio.Event().wait()
