"""A door that another distribution adds: an entry point of the group `foldline.doors`."""

from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from gateway.operations.operations import Operations


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """Lets people or programs in by another protocol."""

    serve: Callable[[Operations], Coroutine[Any, Any, None]]
    """Listens to whatever it is for, and does what it is asked by these operations, until it is cancelled. It
    decides itself whom it lets in. Where it raises, that is logged, and it is called again after a pause."""
