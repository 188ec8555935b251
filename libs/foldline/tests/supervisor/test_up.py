"""`foldline up`: what it starts stays alive, what it can't do it says, and it leaves nothing behind."""

import json
import signal
import socket
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from agent_platform.embedded.nats_server import NatsServer
from agent_platform.embedded.passwords import ensure_passwords
from agent_platform.embedded.postgres import PostgresServer
from agent_platform.embedded.postgres_cluster import ClusterPasswords
from agent_platform.permissions import ADMIN, RIGHTS, nats_users
from foldline.testing.command import Command
from foldline.testing.stack import Stack

_GENEROUS_S = 30.0


def eventually(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _GENEROUS_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def gone(processes: list[psutil.Process]) -> Callable[[], bool]:
    return lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in processes)


def says(command: Command, text: str = "thanks") -> str:
    """The answer to a message in a new session."""
    done = command("send", text, "--json")
    assert done.code == 0, done.err
    answer: str = done.json["answer"]
    return answer


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("stack")) as started:
        yield started


@pytest.fixture(scope="module")
def foldline(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Command:
    return Command(stack.data_dir, tmp_path_factory.mktemp("folder"))


def test_only_the_owner_can_read_what_is_secret(stack: Stack):
    assert stat.S_IMODE(stack.data_dir.stat().st_mode) == 0o700
    for name in ("passwords.json", "running.json"):
        assert stat.S_IMODE((stack.data_dir / name).stat().st_mode) == 0o600, name
    commands = [" ".join(one.cmdline()) for one in descendants(stack.pid)]
    secrets = [*json.loads((stack.data_dir / "passwords.json").read_text())["nats"].values(), stack.token]
    assert [secret for secret in secrets if any(secret in command for command in commands)] == []


@pytest.mark.parametrize("server", ["nats", "postgres"])
def test_a_server_that_dies_is_started_again(stack: Stack, foldline: Command, server: str):
    killed = stack.kill(server)
    assert killed
    eventually(lambda: bool(set(stack.pids(server)) - set(killed)), f"{server} is not started again")
    stack.wait_until_ready()
    assert "You're welcome" in says(foldline)
    eventually(lambda: foldline("sessions", "--json").code == 0, "sessions can't be listed")


def test_killed_it_leaves_no_process_and_the_next_start_has_everything(stack: Stack, foldline: Command):
    """The last test of this stack."""
    before = {one["id"] for one in foldline("sessions", "--json").json}
    children = descendants(stack.pid)
    assert len(children) > 2
    stack.stop(signal.SIGKILL)
    eventually(gone(children), "processes are left behind")
    stale = foldline("sessions")
    assert stale.code == 1
    assert "foldline up" in stale.err
    stack.start()
    assert {one["id"] for one in foldline("sessions", "--json").json} == before


def test_with_processes_killed_it_leaves_no_process(tmp_path: Path):
    with Stack(tmp_path, processes=True) as stack:
        children = descendants(stack.pid)
        assert len([one for one in children if "serve" in one.cmdline()]) == 5
        stack.stop(signal.SIGKILL)
        eventually(gone(children), "processes are left behind")


def test_told_to_stop_while_it_starts_it_stops_in_order(tmp_path: Path):
    up = Command(tmp_path / "data", tmp_path).start("up", "--port", "0")
    try:
        eventually(lambda: bool(descendants(up.pid)), "nothing is started")
        children = descendants(up.pid)
        up.send_signal(signal.SIGTERM)
        assert up.wait(_GENEROUS_S) == 0
        assert gone(children)()
    finally:
        up.kill()
        up.communicate()


def test_ctrl_c_stops_it_and_it_says_so(tmp_path: Path):
    with Command(tmp_path / "data", tmp_path).terminal("up", "--port", "0") as terminal:
        started = terminal.wait_for("Ctrl-C stops everything; nothing is lost.")
        for step in ("NATS", "Postgres", "streams", "model", "services", "/login?token="):
            assert step in started
        terminal.press("c")
        terminal.wait_for("Stopping ...")
        assert terminal.ended() == 0


@pytest.mark.parametrize("words", [(), ("--processes",)])
def test_a_setting_that_cannot_work_ends_it_with_a_clear_message(tmp_path: Path, words: tuple[str, ...]):
    up = Command(tmp_path / "data", tmp_path).start("up", "--port", "0", *words, FOLDLINE_TOKEN="short")
    out, err = up.communicate(timeout=_GENEROUS_S * 2)
    assert up.returncode == 1
    assert "FOLDLINE_TOKEN must have at least 8 characters" in err
    assert "Traceback" not in out + err


@pytest.fixture
def external(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A NATS and a Postgres that somebody else runs; the settings that name them."""
    passwords = ensure_passwords(tmp_path / "passwords.json", (ADMIN, *RIGHTS))
    nats = NatsServer(tmp_path / "nats", nats_users(passwords.nats))
    postgres = PostgresServer(
        tmp_path / "postgres", ClusterPasswords(passwords.postgres, passwords.postgres_admin)
    )
    nats.start_blocking()
    postgres.start_blocking()
    yield {
        "FOLDLINE_NATS_URL": f"nats://127.0.0.1:{nats.port}",
        "FOLDLINE_NATS_CREDENTIALS": f"{ADMIN}:{passwords.nats[ADMIN]}",
        "FOLDLINE_POSTGRES_DSN": postgres.dsn,
    }
    assert nats.returncode is None
    assert postgres.returncode is None
    nats.stop_blocking()
    postgres.stop_blocking()


def test_servers_by_url_are_used_and_left_running_and_a_taken_port_is_passed_over(
    tmp_path: Path, external: dict[str, str]
):
    foldline = Command(tmp_path / "data", tmp_path, external)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        up = foldline.start("up", "--json", "--port", str(port))
        try:
            assert up.stdout is not None
            url = json.loads(up.stdout.readline())["url"]
            assert port < int(url.rpartition(":")[2]) < port + 50
            names = {one.name() for one in descendants(up.pid)}
            assert not names & {"nats-server", "postgres"}
            assert "You're welcome" in says(foldline)
            assert foldline("doctor").code == 0
            up.send_signal(signal.SIGINT)
            assert up.wait(_GENEROUS_S) == 0
        finally:
            up.kill()
            up.communicate()
    assert not (tmp_path / "data/nats").exists()
    assert not (tmp_path / "data/postgres").exists()
