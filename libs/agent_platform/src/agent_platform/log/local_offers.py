"""Offers within one process: what is offered to who decides on the same loop and server is no message."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from agent_contracts.log.offered_results import ResultSource
from agent_contracts.log.record.records import NewMessage, StoredMessage
from agent_platform.nats.connection import NatsConnection

Take = Callable[[ResultSource, NewMessage], Awaitable[StoredMessage | None]]
"""The record that a result was committed in, None if it wasn't."""
_Takers = dict[int, list[tuple[NatsConnection, Take]]]

_takers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Takers] = WeakKeyDictionary()
"""By loop and partition: who decides for its sessions, the last to come last."""


@contextmanager
def takes_for(connection: NatsConnection, partition: int, take: Take) -> Iterator[None]:
    """For as long as the block runs, results for this partition may be given to `take`."""
    here = _takers.setdefault(asyncio.get_running_loop(), {}).setdefault(partition, [])
    one = (connection, take)
    here.append(one)
    try:
        yield
    finally:
        here.remove(one)


def taker_for(connection: NatsConnection, partition: int) -> Take | None:
    """Who takes results of this partition here, on the server that `connection` is at; None where nobody does
    or one of the two is away from its server: then NATS says what happens."""
    if not connection.is_connected:
        return None
    here = _takers.get(asyncio.get_running_loop(), {}).get(partition, ())
    for other, take in reversed(here):
        if other.is_connected and other.server_id == connection.server_id:
            return take
    return None
