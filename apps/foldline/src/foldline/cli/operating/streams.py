"""`foldline streams`."""

import asyncio

from agent_platform.services.discovery import discover
from agent_platform.services.streams import prepare_streams
from foldline.cli.output import console, failures_shown
from foldline.settings import up_settings


def streams() -> None:
    """Create or update the streams and consumers of an external NATS. Needs its user `admin`."""
    with failures_shown():
        asyncio.run(prepare_streams(up_settings(), discover()))
        console.print("[green]✓[/] streams and consumers are as they should be")
