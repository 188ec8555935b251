"""`foldline streams`."""

import asyncio

from agent_platform.nats.log_consumers import all_consumers
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_consumers, ensure_streams
from agent_platform.process.service import connect_as
from agent_platform.settings.settings import Settings, load_settings
from foldline.cli.output import console, failures_shown


def streams() -> None:
    """Make an external NATS's streams and consumers, or bring them up to date. Needs its user `admin`."""
    with failures_shown():
        asyncio.run(_ensure(load_settings().settings))
        console.print("[green]✓[/] streams and consumers are as they should be")


async def _ensure(settings: Settings) -> None:
    admin = await connect_as(settings, "streams")
    try:
        await ensure_streams(admin, StreamSettings())
        await ensure_consumers(admin, all_consumers(settings.ack_wait))
    finally:
        await admin.close()
