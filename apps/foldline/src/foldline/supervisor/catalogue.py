"""The services there are, and how each is started."""

import importlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from agent_contracts.errors import Rejected
from agent_platform.settings.settings import Settings

Serve = Callable[[Settings], Awaitable[None]]
"""Connects, works until cancelled, then closes in order."""


@dataclass(frozen=True)
class Service:
    """One service: its name on the command line, its NATS user, and `module:function` of its `Serve`.

    The function is imported when it is needed, so that a process holds only what it runs.
    """

    name: str
    nats_user: str
    entry: str

    def load(self) -> Serve:
        """Import the service's entry."""
        module, function = self.entry.split(":")
        return cast(Serve, getattr(importlib.import_module(module), function))


SERVICES = (
    Service("projector", "projector", "projector.app:serve"),
    Service("engine", "engine", "session_engine.app:serve"),
    Service("model-caller", "model", "model_caller.app:serve"),
    Service("runner", "runner", "tool_runner.app:serve"),
    Service("gateway", "gateway", "gateway.app:serve"),
)
"""In the order they are started."""


def service(name: str) -> Service:
    """The service of this name; `Rejected` that lists the names if there is none."""
    for one in SERVICES:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in SERVICES)
    raise Rejected(f"there is no service {name!r}: choose one of {names}", kind="not_found")
