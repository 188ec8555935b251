"""Making the streams and durable consumers that all services need, once, before any of them starts.

    python -m agent_platform.services.streams

for a NATS of one's own, as its user `admin`, where the declarations of all services are installed: services
themselves may not make consumers. `foldline streams` is the same.
"""

import asyncio
import sys
from collections.abc import Iterable

import structlog

from agent_contracts.errors import Failure
from agent_platform.log.sealing.checking import refuse_if_lost
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.services.consuming.ensuring import ensure_consumers
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.services.discovery import consumers_of, discover
from agent_platform.services.logging_by_settings import configure_by
from agent_platform.services.service import connect_as
from agent_platform.settings.loading import load_settings
from agent_platform.settings.shared import StreamsSettings, WorkSettings

_log = structlog.get_logger()


async def prepare_streams(settings: StreamsSettings, services: Iterable[ServiceDeclaration]) -> None:
    """Connect as the settings say, and make what is missing or differs. Safe to repeat."""
    admin = await connect_as(settings, "streams")
    try:
        await prepare(admin, services, settings)
    finally:
        await admin.close()


async def prepare(
    admin: NatsConnection, services: Iterable[ServiceDeclaration], work: WorkSettings | None = None
) -> None:
    """`prepare_streams` over a connection that is there. `LogLost` before anything is made, if the log lost
    something: an empty stream in place of a lost one would look well."""
    await refuse_if_lost(admin)
    await ensure_streams(admin, StreamSettings())
    await ensure_consumers(admin, consumers_of(services, work))


def main() -> int:
    """Make them, and end; 1 for settings or a server that can't be used."""
    try:
        settings = load_settings(StreamsSettings).settings
        configure_by(settings, "streams")
        services = discover()
        asyncio.run(prepare_streams(settings, services))
    except Failure as failure:
        print(f"streams: {failure.message}", file=sys.stderr)
        return 1
    _log.info("streams.ready", services=[one.name for one in services])
    return 0


if __name__ == "__main__":
    sys.exit(main())
