"""`foldline up`: what it starts stays alive, what it can't do it says, and it leaves nothing behind."""

import contextlib
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from agent_platform.nats.users import ADMIN, nats_users
from agent_platform.services.discovery import discover, rights_of
from agent_platform.services.embedded.nats_server import NatsServer
from agent_platform.services.embedded.passwords import ensure_passwords
from agent_platform.services.embedded.postgres import PostgresServer
from agent_platform.services.embedded.postgres_cluster import ClusterPasswords
from foldline_testing.product.command import Command
from foldline_testing.product.stack import Stack

_GENEROUS_S = 90.0


def eventually(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _GENEROUS_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def gone(processes: list[psutil.Process]) -> Callable[[], bool]:
    return lambda: not any(map(lives, processes))


def lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def says(command: Command, text: str = "thanks") -> str:
    """The answer to a message in a new session."""
    done = command("send", text, "--json")
    assert done.code == 0, done.err
    answer: str = done.json["answer"]
    return answer


@pytest.fixture(scope="module")
def foldline(demo: Stack, tmp_path_factory: pytest.TempPathFactory) -> Command:
    return Command(demo.data_dir, tmp_path_factory.mktemp("folder"))


def test_only_the_owner_can_read_what_is_secret(demo: Stack) -> None:
    assert stat.S_IMODE(demo.data_dir.stat().st_mode) == 0o700
    for name in ("passwords.json", "running.json"):
        assert stat.S_IMODE((demo.data_dir / name).stat().st_mode) == 0o600, name
    commands = [" ".join(one.cmdline()) for one in descendants(demo.pid)]
    secrets = [*json.loads((demo.data_dir / "passwords.json").read_text())["nats"].values(), demo.token]
    assert [secret for secret in secrets if any(secret in command for command in commands)] == []


@pytest.mark.faults
@pytest.mark.parametrize("server", ["nats", "postgres"])
def test_a_server_that_dies_is_started_again(demo: Stack, foldline: Command, server: str) -> None:
    killed = demo.kill(server)
    assert killed
    eventually(lambda: bool(set(demo.pids(server)) - set(killed)), f"{server} is not started again")
    demo.wait_until_ready()
    assert "You're welcome" in says(foldline)
    eventually(lambda: foldline("sessions", "--json").code == 0, "sessions can't be listed")


@pytest.mark.faults
def test_told_to_stop_while_it_starts_it_stops_in_order(tmp_path: Path) -> None:
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


def test_ctrl_c_stops_it_and_it_says_so(tmp_path: Path) -> None:
    with Command(tmp_path / "data", tmp_path).terminal("up", "--port", "0") as terminal:
        started = terminal.wait_for("Ctrl-C stops everything; nothing is lost.")
        for step in ("NATS", "Postgres", "streams", "model", "services", "/login?token="):
            assert step in started
        terminal.press("c")
        terminal.wait_for("Stopping ...")
        assert terminal.ended() == 0


_STARTS_ONE = """
import sys, time
from pathlib import Path
from foldline_testing.product.stack import Stack

stack = Stack(Path(sys.argv[1]), processes=True)
stack.start()
print(stack.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.faults
def test_one_that_a_program_started_ends_with_it_though_that_was_killed(tmp_path: Path) -> None:
    words = [sys.executable, "-c", _STARTS_ONE, str(tmp_path / "data")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        up = psutil.Process(int(starter.stdout.readline()))
        all_of_it = [up, *descendants(up.pid)]
        assert len(all_of_it) > len(discover())
        starter.kill()
    eventually(gone(all_of_it), "something is left")


@pytest.mark.faults
def test_where_its_data_directory_goes_it_ends_and_says_so(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    up = Command(data_dir, tmp_path).start("up", "--json", "--port", "0")
    try:
        assert up.stdout is not None
        assert "url" in json.loads(up.stdout.readline())
        children = descendants(up.pid)
        pid_file = data_dir / "postgres" / "cluster" / "postmaster.pid"
        postgres = psutil.Process(int(pid_file.read_text().splitlines()[0]))
        data_dir.rename(tmp_path / "moved")
        shutil.rmtree(tmp_path / "moved", ignore_errors=True)
        with contextlib.suppress(psutil.NoSuchProcess):  # it may have noticed
            postgres.kill()  # to be restarted, and not where nothing is
        _, err = up.communicate(timeout=_GENEROUS_S * 2)
    finally:
        up.kill()
        up.communicate()
    assert up.returncode == 1
    assert f"The data directory {data_dir} is gone" in err
    assert err.endswith("stopped\n")
    eventually(gone(children), "something is left")
    assert not data_dir.exists()


@pytest.mark.parametrize("token", ["short", "fifteen-letters"])
def test_a_token_that_can_be_guessed_is_refused_before_anything_starts(tmp_path: Path, token: str) -> None:
    done = Command(tmp_path / "data", tmp_path)("up", "--port", "0", FOLDLINE_TOKEN=token)
    assert done.code == 1
    assert "FOLDLINE_TOKEN (from env FOLDLINE_TOKEN): its value is not valid" in done.err
    assert "at least 16 characters" in done.err
    assert "Traceback" not in done.out + done.err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("named", ["--port", "FOLDLINE_PORT"])
def test_a_port_that_was_named_and_is_taken_is_refused(tmp_path: Path, named: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words, settings = (("--port", port), {}) if named == "--port" else ((), {named: port})
        done = Command(tmp_path / "data", tmp_path)("up", *words, **settings)
    assert done.code == 1
    assert f"Can't listen on 127.0.0.1:{port}" in done.err
    assert named in done.err
    assert "✓" not in done.out


@pytest.mark.parametrize("words", [(), pytest.param(("--processes",), marks=pytest.mark.faults)])
def test_a_setting_that_a_service_cannot_work_with_ends_it_with_a_clear_message(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    settings = {"FOLDLINE_TOKEN": "off", "FOLDLINE_HOST": "0.0.0.0"}
    up = Command(tmp_path / "data", tmp_path).start("up", "--port", "0", *words, **settings)
    out, err = up.communicate(timeout=_GENEROUS_S * 2)
    assert up.returncode == 1
    assert "The token is disabled, so only this machine may connect" in err
    assert "Traceback" not in out + err


@pytest.fixture
def external(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A NATS and a Postgres that somebody else runs; the settings that name them."""
    rights = rights_of(discover())
    passwords = ensure_passwords(tmp_path / "passwords.json", (ADMIN, *rights))
    nats = NatsServer(tmp_path / "nats", nats_users(rights, passwords.nats))
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


def test_servers_by_url_are_used_and_left_running(tmp_path: Path, external: dict[str, str]) -> None:
    foldline = Command(tmp_path / "data", tmp_path, external)
    up = foldline.start("up", "--json", "--port", "0")
    try:
        assert up.stdout is not None
        assert json.loads(up.stdout.readline())["url"]
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


@pytest.mark.faults
def test_killed_it_leaves_no_process_and_the_next_start_has_everything(
    demo: Stack, foldline: Command
) -> None:
    """With the next one, the last tests of this Foldline: they stop it."""
    before = {one["id"] for one in foldline("sessions", "--json").json}
    children = descendants(demo.pid)
    assert len(children) > 2
    demo.stop(signal.SIGKILL)
    eventually(gone(children), "processes are left behind")
    stale = foldline("sessions")
    assert stale.code == 1
    assert "foldline up" in stale.err
    demo.start()
    # The tables may have been an event behind when it was killed; the log has all.
    assert before <= {one["id"] for one in foldline("sessions", "--json").json}


@pytest.mark.faults
def test_ctrl_c_ends_it_and_the_next_start_has_everything_and_a_changed_engine_is_noticed(
    demo: Stack, foldline: Command, tmp_path: Path
) -> None:
    session = foldline("send", "show progress", "--json").json["session_id"]
    before = foldline("show", session, "--json").json
    events = foldline("events", session, "--json").out
    demo.stop(signal.SIGINT)
    assert "No Foldline is running" in foldline("sessions").err

    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "if sys.orig_argv[-2:] == ['agent_platform.services.serve', 'engine']:\n"
        "    from foldline_testing.product.changed_decide import changed_decide\n"
        "    import session_domain.domain.decide as module\n"
        "    module.decide = changed_decide()\n"
    )
    with Stack(demo.data_dir, processes=True, env={"PYTHONPATH": _with(tmp_path)}) as stack:
        children = descendants(stack.pid)
        served = {one.cmdline()[-1] for one in children if "agent_platform.services.serve" in one.cmdline()}
        assert served >= {one.name for one in discover() if one.first_need is None}
        assert foldline("show", session, "--json").json == before
        assert foldline("events", session, "--json").out == events
        report = foldline("replay", session, "--strict", "--json")
        assert report.code == 1
        difference = report.json[0]["difference"]
        assert difference["decided"]["reason"] == "interrupted"
        first = next(json.loads(line)["address"] for line in events.splitlines() if "became_idle" in line)
        assert difference["address"] == first
        stack.stop(signal.SIGKILL)
        eventually(gone(children), "processes are left behind")
    demo.start()


def _with(folder: Path) -> str:
    """The path on which Python looks for modules, preceded by a folder."""
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
