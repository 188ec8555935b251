"""nats-server as our child."""

import asyncio
import contextlib
import json
import os
import socket
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import nats
import psutil
import pytest
from nats.errors import Error

from agent_contracts.errors import Rejected, Transient
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded.nats_config import NatsOptions, render
from agent_platform.services.embedded.nats_server import NatsServer
from agent_platform.services.embedded.ports import free_port, is_free

ADMIN = NatsUser("admin", "pass-word")


def varz(server: NatsServer) -> dict[str, Any]:
    with urllib.request.urlopen(f"{server.monitor_url}/varz") as answer:
        page: dict[str, Any] = json.load(answer)
        return page


def lets_in(server: NatsServer, user: str, password: str) -> bool:
    """Says hello in NATS's own words: nats-py leaves open sockets behind when it is refused."""
    hello = json.dumps({"user": user, "pass": password, "verbose": False}).encode()
    with socket.create_connection(("127.0.0.1", server.port)) as line, line.makefile("rb") as answers:
        assert answers.readline().startswith(b"INFO ")
        line.sendall(b"CONNECT " + hello + b"\r\nPING\r\n")
        return answers.readline() == b"PONG\r\n"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    server = NatsServer(tmp_path, [ADMIN])
    await server.start()
    yield server
    await server.stop()


async def test_what_was_acknowledged_survives_a_kill(server: NatsServer) -> None:
    client = await nats.connect(server.url_for("admin"))
    jetstream = client.jetstream()
    await jetstream.add_stream(name="LOG", subjects=["ses.>"])
    last_acked = 0
    enough = asyncio.Event()

    async def write_until_it_fails() -> None:
        nonlocal last_acked
        with contextlib.suppress(Error):
            while True:
                words = str(last_acked + 1).encode()
                last_acked = (await jetstream.publish("ses.a", words, timeout=1)).seq
                if last_acked == 50:
                    enough.set()

    writing = asyncio.create_task(write_until_it_fails())
    await enough.wait()
    server.kill()
    await writing
    await client.close()

    await server.start()
    client = await nats.connect(server.url_for("admin"))
    jetstream = client.jetstream()
    assert (await jetstream.stream_info("LOG")).state.messages >= last_acked
    for sequence in (1, last_acked):
        assert (await jetstream.get_msg("LOG", sequence)).data == str(sequence).encode()
    await client.close()


async def test_a_client_finds_the_restarted_server_again(server: NatsServer) -> None:
    again = asyncio.Event()

    async def on_reconnect() -> None:
        again.set()

    client = await nats.connect(
        server.url_for("admin"), reconnect_time_wait=0.05, reconnected_cb=on_reconnect
    )
    port = server.port
    server.kill()
    await server.start()
    assert server.port == port
    async with asyncio.timeout(20):
        await again.wait()
    await client.flush()
    await client.close()


async def test_its_end_is_seen(server: NatsServer) -> None:
    assert server.returncode is None
    waiting = asyncio.create_task(server.wait())
    await asyncio.sleep(0)
    assert server.pid is not None
    os.kill(server.pid, 9)
    async with asyncio.timeout(60):
        assert await waiting == -9
    assert server.returncode == -9


async def test_every_acknowledgement_is_flushed_first(server: NatsServer) -> None:
    config = varz(server)["jetstream"]["config"]
    assert config["sync_always"] is True


async def test_a_lazier_flush_can_be_had(tmp_path: Path) -> None:
    server = NatsServer(tmp_path, [ADMIN], sync="1s")
    await server.start()
    config = varz(server)["jetstream"]["config"]
    await server.stop()
    assert not config.get("sync_always")
    assert config["sync_interval"] == 1_000_000_000


async def test_nobody_gets_in_without_a_password(server: NatsServer) -> None:
    assert lets_in(server, "admin", "pass-word")
    assert not lets_in(server, "admin", "wrong")
    assert not lets_in(server, "nobody", "pass-word")
    assert not lets_in(server, "", "")


async def test_it_listens_on_this_machine_only(server: NatsServer) -> None:
    assert (varz(server)["host"], varz(server)["http_host"]) == ("127.0.0.1", "127.0.0.1")


async def test_a_user_may_do_only_what_is_allowed(tmp_path: Path) -> None:
    runner = NatsUser("runner", "r", publish=("ses.*.result",), subscribe=("_INBOX.>",))
    server = NatsServer(tmp_path, [ADMIN, runner])
    await server.start()
    denied = asyncio.Event()
    words = []

    async def on_error(error: Exception) -> None:
        words.append(str(error))
        denied.set()

    client = await nats.connect(server.url_for("runner"), error_cb=on_error)
    await client.publish("ses.a.result", b"")
    await client.flush()
    assert not denied.is_set()
    await client.publish("ses.a.ev", b"")
    async with asyncio.timeout(60):
        await denied.wait()
    assert "permissions violation for publish" in words[0].lower()
    await client.close()
    await server.stop()


async def test_an_empty_list_allows_nothing(tmp_path: Path) -> None:
    reader = NatsUser("reader", "r", publish=())
    server = NatsServer(tmp_path, [ADMIN, reader])
    await server.start()
    denied = asyncio.Event()

    async def on_error(error: Exception) -> None:
        denied.set()

    client = await nats.connect(server.url_for("reader"), error_cb=on_error)
    await client.publish("anything", b"")
    async with asyncio.timeout(60):
        await denied.wait()
    await client.close()
    await server.stop()


async def test_a_later_run_gets_the_same_port(tmp_path: Path) -> None:
    ports = []
    for _ in range(2):
        server = NatsServer(tmp_path, [ADMIN])
        await server.start()
        ports.append(server.port)
        await server.stop()
    assert ports[0] == ports[1]


async def test_a_later_run_gets_another_port_if_its_own_is_taken(tmp_path: Path) -> None:
    first = NatsServer(tmp_path, [ADMIN])
    await first.start()
    await first.stop()
    with socket.create_server(("127.0.0.1", first.port)):
        second = NatsServer(tmp_path, [ADMIN])
        await second.start()
    assert second.port != first.port
    await second.stop()


async def test_a_wanted_port_that_is_taken_is_an_error_that_says_so(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Rejected, match=f"port {port} .* is taken"):
            await NatsServer(tmp_path, [ADMIN], port=port).start()


async def test_a_failed_start_shows_the_servers_own_words(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("not a folder")
    with pytest.raises(Transient, match="did not start") as failed:
        await NatsServer(tmp_path, [ADMIN]).start()
    assert "storage directory" in str(failed.value)


async def test_its_files_are_private_and_its_environment_empty(server: NatsServer, tmp_path: Path) -> None:
    for name in ("nats.conf", "nats.log"):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0
    assert psutil.Process(server.pid).environ().keys() <= {"PATH", "LC_ALL"}


async def test_starting_it_in_another_thread_is_refused(tmp_path: Path) -> None:
    """Linux would end it together with that thread."""
    server = NatsServer(tmp_path, [ADMIN])
    with pytest.raises(RuntimeError, match="main thread"):
        await asyncio.to_thread(server.start_blocking)


@pytest.mark.parametrize("bad", ["a b", 'a"', "a@b", "", "a:b"])
def test_a_password_that_no_client_could_pass_on_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="letters, digits"):
        NatsUser("admin", bad)


def test_a_path_with_quotes_and_spaces_is_written_safely() -> None:
    text = render(NatsOptions(4222, 8222, Path('/tmp/a "b" #c')), [ADMIN])
    assert 'store_dir: "/tmp/a \\"b\\" #c"' in text


def test_free_ports_are_outside_of_the_ephemeral_range() -> None:
    """Else a client that dials a dead server's port may be connected to itself."""
    for _ in range(20):
        port = free_port()
        assert 1024 < port < 32_768
        assert is_free(port)
