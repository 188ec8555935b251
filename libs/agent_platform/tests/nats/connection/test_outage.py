"""What the log says of a NATS server that is away: its begin, each minute, its end, and nothing more."""

from collections import Counter
from itertools import count

import pytest
from structlog.testing import capture_logs

from agent_contracts.errors import Transient
from agent_platform.nats import outage
from agent_platform.nats.connection import connect
from agent_platform.nats.outage import Outages
from agent_platform.nats.user import NatsUser
from foldline_testing.agent_platform.eventually import eventually
from foldline_testing.agent_platform.plugin import StartNats

_USERS = [NatsUser(name, "secret") for name in ("one", "two", "three")]
_TRIES = 10


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_all_connections_of_a_process_say_once_that_their_server_is_away_and_once_that_it_is_back(
    nats_servers: StartNats, monkeypatch: pytest.MonkeyPatch
) -> None:
    nats = nats_servers(_USERS)
    connections = [await connect(nats.url_for(user.name), name="test") for user in _USERS]
    tries: count[int] = count()
    failed = Outages.failed

    def counted(self: Outages, connection: object, error: Exception) -> None:
        next(tries)
        failed(self, connection, error)

    async def tried() -> bool | None:
        return next(tries) > _TRIES * len(_USERS) or None

    async def back() -> bool | None:
        return all(one.is_connected for one in connections) or None

    monkeypatch.setattr(Outages, "failed", counted)
    try:
        with capture_logs() as logs:
            nats.kill()
            await eventually(tried, within=60)
            nats.restart()
            await eventually(back, within=60)
    finally:
        for one in connections:
            await one.close()
    ours = [line for line in logs if line["event"].startswith("nats.")]
    assert [line["event"] for line in ours] == ["nats.away", "nats.back"]
    assert {line["log_level"] for line in ours} == {"warning"}, "a quiet Foldline says the end too"
    assert ours[1]["tries"] > _TRIES


async def test_who_looks_for_a_server_that_never_comes_says_so_once(unused_tcp_port: int) -> None:
    with capture_logs() as logs, pytest.raises(Transient):
        await connect(f"nats://127.0.0.1:{unused_tcp_port}", name="test", timeout=1)
    assert [line["event"] for line in logs] == ["nats.away"]


def test_a_long_outage_is_told_once_a_minute() -> None:
    clock = Clock()
    outages = Outages("there:4222", clock)
    with capture_logs() as logs:
        for user in ("one", "two"):
            outages.lost(user, "gone")
        for _ in range(10 * 300):
            clock.now += 0.1
            outages.failed("one", ConnectionRefusedError())
            outages.failed("two", ConnectionRefusedError())
        outages.back("one")
        outages.back("two")
    assert Counter(line["event"] for line in logs) == {"nats.away": 1, "nats.still_away": 4, "nats.back": 1}
    assert logs[-1]["after_s"] == 300
    assert logs[1]["connections"] == 2


def test_errors_of_a_server_that_answers_are_told_once_a_minute_by_kind() -> None:
    clock = Clock()
    outages = Outages("there:4222", clock)
    with capture_logs() as logs:
        for _ in range(1000):
            clock.now += 0.1
            outages.failed("one", ValueError())
            outages.failed("one", KeyError())
    assert [line["error"] for line in logs] == ["ValueError", "KeyError"] * 2
    assert logs[-1]["untold"] > 500


def test_one_that_is_closed_meanwhile_ends_no_outage_of_others() -> None:
    outages = Outages("there:4222", Clock())
    with capture_logs() as logs:
        outages.lost("one", "gone")
        outages.lost("two", "gone")
        outages.closed("one")
        outages.back("one")
        outages.back("two")
    assert [line["event"] for line in logs] == ["nats.away", "nats.back"]


def test_a_process_shares_what_it_says_of_a_server_and_forgets_servers_that_nobody_uses() -> None:
    shared = outage.outages_of("there:1")
    assert outage.outages_of("there:1") is shared
    assert outage.outages_of("there:2") is not shared
    assert "there:2" not in outage._of_servers
