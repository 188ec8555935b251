"""A service of somebody else's, as installing its wheel would leave it: one folder on Python's path."""

import os
from pathlib import Path

WORD = "moin"

_SERVICE = '''
"""A service that says that it lives."""

from pydantic import Field

from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import Rights, reads, works_on
from agent_platform.services.declaration import ServiceDeclaration
from agent_platform.settings.shared import ServiceSettings, WorkSettings


class DummySettings(ServiceSettings, WorkSettings):
    """What it says."""

    dummy_word: str = Field(default="hello", description="what the dummy says")


DECLARATION = ServiceDeclaration(
    name="dummy",
    entry="dummy_service.app:serve",
    settings=DummySettings,
    nats_user="dummy",
    rights=Rights(publish=("dummy.>", *reads("LOG"), *works_on("dummies"))),
    consumers=(ConsumerSpec("dummies", ("ses.*.*.*.in.user_message",)),),
)
'''
_APP = '''
"""Says its word, each second and for each message."""

import asyncio

from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import running_service
from dummy_service.service import DECLARATION


async def serve(settings):
    async with running_service(DECLARATION, settings) as service:

        async def handle(delivery):
            await service.connection.publish("dummy.handled", settings.dummy_word.encode())

        async def given_up(message, reason):
            raise AssertionError(reason)

        spec = settings.paced(DECLARATION.consumers[0])
        async with asyncio.TaskGroup() as group:
            group.create_task(JetStreamConsumer(service, spec, handle, given_up).run())
            while True:
                await service.connection.publish("dummy.lives", settings.dummy_word.encode())
                await asyncio.sleep(0.5)
'''


def install_dummy(folder: Path) -> dict[str, str]:
    """Install the service `dummy` into this folder. The environment in which it is installed."""
    package, info = folder / "dummy_service", folder / "dummy_service-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").touch()
    (package / "service.py").write_text(_SERVICE)
    (package / "app.py").write_text(_APP)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dummy-service\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[foldline.services]\ndummy = dummy_service.service:DECLARATION\n")
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))}
