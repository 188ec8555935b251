"""What a service says about itself, so that nothing else has to list it.

Each service has a `service.py` with one declaration, which its pyproject names as an entry point of the group
`foldline.services`. It is imported by everything that looks at all services, so it imports only settings and
the vocabulary of rights: what the service runs on is imported by `load`.
"""

import importlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, cast

from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import Rights
from agent_platform.process.leaving_out import without
from agent_platform.settings.shared import ServiceSettings

Serve = Callable[[Any], Awaitable[None]]
"""Takes the service's own settings; connects, works until cancelled, then closes in order."""


class Start(IntEnum):
    """When a service is started, where one program starts several; of equals, by name."""

    FIRST = 0
    MIDDLE = 1
    LAST = 2


@dataclass(frozen=True)
class ServiceDeclaration:
    """One service.

    `name` is its name on the command line and as a container; `entry` the `module:function` of its `Serve`;
    `settings` all that it is told. `consumers` are the durable consumers that it works on: they are made
    before it starts, by whoever may make streams. `environment` names variables beside its settings that it
    needs of the environment, where `*` stands for anything. `health` is the setting that holds the port of
    `/healthz` and `/readyz`. `single` says why there can be one process only, if that is so.
    """

    name: str
    entry: str
    settings: type[ServiceSettings]
    nats_user: str
    rights: Rights
    consumers: tuple[ConsumerSpec, ...] = ()
    environment: tuple[str, ...] = ()
    health: str = "health_port"
    start: Start = Start.MIDDLE
    single: str | None = None

    @property
    def source(self) -> str:
        """What the service is called in the events that it writes."""
        return f"/{self.name}"

    @property
    def module(self) -> str:
        """The service's package: `python -m` runs it."""
        return self.entry.partition(":")[0].partition(".")[0]

    def load(self) -> Serve:
        """Import the service's entry, and what it runs on."""
        module, _, function = self.entry.partition(":")
        with without("pygments", "rich"):  # httpx takes them where it can, for a command
            return cast(Serve, getattr(importlib.import_module(module), function))
