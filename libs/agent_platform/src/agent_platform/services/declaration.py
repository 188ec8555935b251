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

from agent_contracts.api.program_tokens import ProgramRight
from agent_contracts.errors import Rejected
from agent_contracts.service_names import OURS
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import Rights
from agent_platform.process.leaving_out import without
from agent_platform.settings.shared import ServiceSettings

Serve = Callable[[Any], Awaitable[None]]
"""Takes the service's own settings; connects, works until cancelled, then closes in order."""


class StartOrder(IntEnum):
    """When a service is started, where one program starts several; of equals, by name."""

    FIRST = 0
    MIDDLE = 1
    LAST = 2


@dataclass(frozen=True)
class Need:
    """Messages on `subject`, which say that a service is needed: one that comes, or one that `stream` has
    already. With a durable `consumer` of the service, only those that wait for it count there. Without a
    stream, somebody asks over core NATS whether it could be started, and is answered at once.
    """

    subject: str
    stream: str | None = None
    consumer: str | None = None


@dataclass(frozen=True)
class FirstNeed:
    """A service that few people use, or that is used rarely: where each service is a process that one
    program starts, it is started by the first of its `needs`, and runs from then on.

    `announces`, a `module:function` like an entry, tells others meanwhile what the service offers. It is run
    once at each start, in a process that ends with it.
    """

    needs: tuple[Need, ...]
    announces: str | None = None


@dataclass(frozen=True)
class ServiceDeclaration:
    """One service.

    `name` is its name on the command line and as a container; `entry` the `module:function` of its `Serve`;
    `settings` all that it is told. `consumers` are the durable consumers that it works on: they are made
    before it starts, by whoever may make streams. `environment` names variables beside its settings that it
    needs of the environment, where `*` stands for anything. `health` is the setting that holds the port of
    `/healthz` and `/readyz`. `single` says why there can be one process only, if that is so. With
    `first_need`, its process need not run before. Packs of tools are installed with it if it `runs_packs`.
    One that isn't Foldline's own asks the API with a token for what it `may` do there, alone.
    `executes_data` says what it executes of its data directory, if it does: a container then has to mount
    that with `exec`, which Docker's tmpfs lacks.
    """

    name: str
    entry: str
    settings: type[ServiceSettings]
    nats_user: str
    rights: Rights
    consumers: tuple[ConsumerSpec, ...] = ()
    environment: tuple[str, ...] = ()
    health: str = "health_port"
    start: StartOrder = StartOrder.MIDDLE
    single: str | None = None
    first_need: FirstNeed | None = None
    runs_packs: bool = False
    executes_data: str | None = None
    may: tuple[ProgramRight, ...] = ()

    @property
    def source(self) -> str:
        """What the service is called in the events that it writes."""
        return f"/{self.name}"

    @property
    def module(self) -> str:
        """The service's package: `python -m` runs it."""
        return self.entry.partition(":")[0].partition(".")[0]

    @property
    def is_ours(self) -> bool:
        """Whether it is one of Foldline's own, without which the product doesn't work."""
        return self.name in OURS

    def load(self) -> Serve:
        """Import the service's entry, and what it runs on."""
        return _imported(self.entry)

    def load_announcing(self) -> Serve:
        """The same for what its `first_need` announces. `Rejected` if that is nothing."""
        if self.first_need is None or self.first_need.announces is None:
            raise Rejected(f"{self.name} announces nothing", kind="bad_service")
        return _imported(self.first_need.announces)


def _imported(entry: str) -> Serve:
    """`Rejected` for an entry that names no function, in a sentence for whoever wrote the declaration."""
    module, _, function = entry.partition(":")
    with without("pygments", "rich"):  # httpx takes them where it can, for a command
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise
            raise Rejected(
                f"the entry {entry!r} names the module {error.name}, which doesn't exist", kind="bad_service"
            ) from error
    serve = getattr(found, function, None) if function else None
    if not callable(serve):
        raise Rejected(
            f"the entry {entry!r} names no function: write MODULE:FUNCTION, with a function of that module",
            kind="bad_service",
        )
    return cast(Serve, serve)
