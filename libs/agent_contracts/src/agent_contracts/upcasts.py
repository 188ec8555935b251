"""Upcasters: how an event of an old version becomes one of the next, as JSON, before it is typed.

A breaking change adds a new version of a type and one function here; the chain runs until no
upcaster matches. Nothing has broken yet, so the table is empty.
"""

from collections.abc import Callable, Mapping

import msgspec

from agent_contracts.errors import Permanent
from agent_contracts.json_value import Json

Upcaster = Callable[[dict[str, Json]], dict[str, Json]]

UPCASTS: dict[str, tuple[str, Upcaster]] = {}
"""Old wire name to (next wire name, function from the old body to the new one)."""


def upcast(
    event_type: str, data: bytes, table: Mapping[str, tuple[str, Upcaster]] = UPCASTS
) -> tuple[str, bytes]:
    """Follow the chain from `event_type` to its newest version; the body is JSON before and after."""
    try:
        body = msgspec.json.decode(data, type=dict[str, Json])
    except msgspec.DecodeError as error:
        raise Permanent(f"{event_type}: {error}", kind="bad_event") from error
    while event_type in table:
        event_type, step = table[event_type]
        body = {**step(body), "type": event_type}
    return event_type, msgspec.json.encode(body)
