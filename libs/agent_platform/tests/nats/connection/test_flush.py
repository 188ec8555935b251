"""What a flush promises: the server has read everything that was sent before."""

from collections.abc import Iterable

import pytest

from agent_platform.nats.connection import connect
from foldline_testing.agent_platform.servers import NatsForTest


async def test_a_flush_comes_after_a_subscription_that_was_made_before_it(
    nats_server: NatsForTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = await connect(nats_server.url, name="test")
    writer = connection.client._transport._io_writer  # type: ignore[union-attr]
    sent: list[bytes] = []
    write, writelines = writer.write, writer.writelines

    def noted(data: bytes) -> None:
        sent.append(data)
        write(data)

    def all_noted(data: Iterable[bytes]) -> None:
        lines = list(data)
        sent.extend(lines)
        writelines(lines)

    async def heard(message: object) -> None: ...

    try:
        monkeypatch.setattr(writer, "write", noted)
        monkeypatch.setattr(writer, "writelines", all_noted)
        await connection.subscribe("heard", heard)
        await connection.publish("said", b"x")
        await connection.flush()
        assert [data.split()[0] for data in sent][-3:] == [b"SUB", b"PUB", b"PING"]
    finally:
        await connection.close()
