"""NATS tells of consumers page by page: all of them are shown."""

from typing import Any, cast

import pytest

from agent_platform.nats.connection import NatsConnection
from agent_platform.observing.told_metrics import EveryService
from gateway.operations.operating import nats_workforce
from gateway.operations.operating.nats_workforce import NatsWorkforce


class Paged:
    """A server with so many durable consumers, and one that is not, which tells of two at a time."""

    def __init__(self, count: int) -> None:
        self.names = [f"c{number}" for number in range(count)]
        self.offsets: list[int] = []

    async def api(self, what: str, asked: dict[str, int]) -> dict[str, Any]:
        self.offsets.append(asked["offset"])
        every = [*self.names, None]
        page = every[asked["offset"] : asked["offset"] + 2]
        return {"total": len(every), "consumers": [consumer(name) for name in page]}


def consumer(name: str | None) -> dict[str, Any]:
    return {
        "stream_name": "LOG",
        "name": name or "passing",
        "config": {"max_deliver": 3, "max_ack_pending": 10, **({"durable_name": name} if name else {})},
        "delivered": {"consumer_seq": 1, "stream_seq": 1},
        "ack_floor": {"consumer_seq": 1, "stream_seq": 1},
        **{"num_pending": 1, "num_ack_pending": 0, "num_redelivered": 0, "num_waiting": 0},
    }


async def test_those_of_all_pages_are_listed_by_name_and_passing_ones_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nats_workforce, "bucket", lambda *_: None)
    server = Paged(5)
    connection = cast("NatsConnection", server)
    found = await NatsWorkforce(connection, EveryService(connection, ()))._queues("LOG")
    assert [one.consumer for one in found] == server.names
    assert server.offsets == [0, 2, 4]
