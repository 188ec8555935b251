"""Commands that are given while services are killed."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from agent_contracts.errors import Rejected, Transient
from foldline.cli.client import Gateway

T = TypeVar("T")

PATIENCE_S = 120.0
_AWAY = "unavailable"
"""What the gateway says while something that it stands on is away."""


def done(door: Gateway, path: str, body: dict[str, Any], key: str) -> Any:
    """A command that is done once; patiently, since whoever would take it may have been killed."""
    return patiently(lambda: door.post(path, body, key))


def patiently(ask: Callable[[], T]) -> T:
    """What is answered, once everything is back that the gateway stands on."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return ask()
        except (Rejected, Transient) as failure:
            is_no = isinstance(failure, Rejected) and failure.kind != _AWAY
            if is_no or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
