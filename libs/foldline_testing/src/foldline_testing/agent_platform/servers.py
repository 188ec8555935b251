"""Real servers for tests: those that the environment names, else embedded ones, else containers.

NATS tests are kept apart by NATS accounts: a fresh account costs about a millisecond and sees no stream,
consumer or message of any other. A server that was named by `FOLDLINE_NATS_URL` has one account, so its
streams are deleted before each test: don't name one whose streams matter.
"""

import asyncio
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import nats
import psycopg
import pytest
from psycopg import sql

from agent_contracts.errors import Rejected
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded.nats_server import NatsServer, find_nats_server
from agent_platform.services.embedded.postgres import PostgresServer
from agent_platform.services.embedded.postgres_binaries import find_postgres
from agent_platform.services.embedded.postgres_cluster import ClusterPasswords
from agent_platform.services.embedded.postgres_config import ROLE

_ACCOUNTS = 200  # per server process: more make its start slower
# A killed process loses nothing by it, only a power failure would. Each interval costs the server a look at
# every stream that the accounts of earlier tests left: at 10 s a tenth of a test run's processor time.
LAZY_SYNC = "1h"


@dataclass(frozen=True)
class NatsForTest:
    """A NATS server as one test sees it. `url` has the credentials of a user that may do everything;
    `users` are all who may connect, by name."""

    url: str
    users: dict[str, NatsUser]
    server: NatsServer | None = field(repr=False)

    @property
    def port(self) -> int:
        """Where it listens."""
        return urlsplit(self.url).port or 4222

    def url_for(self, user: str) -> str:
        """The address with this user's credentials."""
        return self.embedded().url_for(user)

    def kill(self) -> None:
        """SIGKILL. Skips the test if the server is not ours."""
        self.embedded().kill()

    def stop(self) -> None:
        """Stop it in order."""
        self.embedded().stop_blocking()

    def restart(self) -> None:
        """Start it again on the same port and store, killing it first if it runs. Returns when ready."""
        server = self.embedded()
        if server.returncode is None:
            server.kill()
        server.start_blocking()

    def embedded(self) -> NatsServer:
        """The server itself. Skips the test if it is not ours."""
        if self.server is None:
            pytest.skip(
                "this test kills or configures its NATS server, and FOLDLINE_NATS_URL names another's"
            )
        return self.server


class NatsAccounts:
    """Gives each test an account of its own on a server that runs for many of them."""

    def __init__(self, new_folder: Callable[[], Path]) -> None:
        self._new_folder = new_folder
        self._server: NatsServer | None = None
        self._left: list[NatsUser] = []

    def take(self) -> NatsForTest:
        """An empty account with one user, `admin-N`, who may do everything."""
        if self._server is None or not self._left:
            self.close()
            users = [NatsUser(f"admin-{n}", _password(), account=f"T{n}") for n in range(_ACCOUNTS)]
            self._server = NatsServer(self._new_folder(), users, sync=LAZY_SYNC)
            self._left = users
        if self._server.pid is None or self._server.returncode is not None:
            self._server.start_blocking()  # at first, or after a test that killed it
        user = self._left.pop()
        return NatsForTest(self._server.url_for(user.name), {user.name: user}, self._server)

    def close(self) -> None:
        """Stop the server."""
        if self._server is not None:
            self._server.stop_blocking()


@contextmanager
def nats_for_tests(new_folder: Callable[[], Path]) -> Iterator[Callable[[], NatsForTest]]:
    """Yields what gives each test its NATS. `new_folder` makes a folder for an embedded server's store."""
    if given := os.environ.get("FOLDLINE_NATS_URL"):
        yield lambda: _emptied(given)
    elif _installed(find_nats_server):
        accounts = NatsAccounts(new_folder)
        try:
            yield accounts.take
        finally:
            accounts.close()
    else:
        with _container("nats:2.15.1-alpine", 4222, command="-js") as address:
            yield lambda: _emptied(f"nats://{address}")


@contextmanager
def own_nats_server(folder: Path, users: Sequence[NatsUser], sync: str = LAZY_SYNC) -> Iterator[NatsForTest]:
    """A server of the test's own, with these users; `url` is the first one's. About 60 ms."""
    server = NatsServer(folder, users, sync=sync)
    server.start_blocking()
    try:
        yield NatsForTest(server.url_for(users[0].name), server.users, server)
    finally:
        server.stop_blocking()


@dataclass(frozen=True)
class PostgresForTests:
    """A Postgres server that runs for many tests, and the address of a role that may make databases."""

    admin_dsn: str = field(repr=False)
    server: PostgresServer | None = field(repr=False)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The address of an empty database of one test's own, as an ordinary role. About 30 ms."""
        name = f"test_{secrets.token_hex(6)}"
        options = sql.SQL("OWNER {}").format(sql.Identifier(ROLE)) if self.server else sql.SQL("")
        self._run(sql.SQL("CREATE DATABASE {} {} TEMPLATE template0").format(sql.Identifier(name), options))
        try:
            base = self.server.dsn if self.server else self.admin_dsn
            yield urlunsplit(urlsplit(base)._replace(path=f"/{name}"))
        finally:
            if self.server is None:  # ours goes away as a whole
                self._run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def _run(self, statement: sql.Composed) -> None:
        if self.server is not None and self.server.returncode is not None:
            self.server.start_blocking()  # after a test that killed it
        with psycopg.connect(self.admin_dsn, autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def postgres_for_tests(folder: Path) -> Iterator[PostgresForTests]:
    """The Postgres of this test run; `folder` is for an embedded one."""
    if given := os.environ.get("FOLDLINE_POSTGRES_DSN"):
        yield PostgresForTests(given, None)
    elif _installed(find_postgres):
        server = PostgresServer(folder, ClusterPasswords(_password(), _password()), fsync=False)
        server.start_blocking()
        try:
            yield PostgresForTests(server.admin_dsn, server)
        finally:
            server.stop_blocking()
    else:
        password = _password()
        with _container("postgres:18-alpine", 5432, env={"POSTGRES_PASSWORD": password}) as address:
            yield PostgresForTests(f"postgresql://postgres:{password}@{address}/postgres", None)


def _password() -> str:
    return secrets.token_urlsafe(16)


def _installed(find: Callable[[], object]) -> bool:
    try:
        find()
    except Rejected:
        return False
    return True


def _emptied(url: str) -> NatsForTest:
    async def delete_streams() -> None:
        client = await nats.connect(url)
        try:
            jetstream = client.jetstream()
            for stream in await jetstream.streams_info():
                assert stream.config.name is not None
                await jetstream.delete_stream(stream.config.name)
        finally:
            await client.close()

    with ThreadPoolExecutor(1) as aside:  # this thread's event loop belongs to pytest-asyncio
        aside.submit(asyncio.run, delete_streams()).result()
    return NatsForTest(url, {}, None)


@contextmanager
def _container(
    image: str, port: int, *, command: str = "", env: dict[str, str] | None = None
) -> Iterator[str]:
    """Yields host:port of a container that takes connections on `port`."""
    # Heavy and optional: only machines without the wheels come here, and they need Docker.
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.wait_strategies import PortWaitStrategy

    container = DockerContainer(image).with_exposed_ports(port).waiting_for(PortWaitStrategy(port))
    if command:
        container = container.with_command(command)
    for name, value in (env or {}).items():
        container = container.with_env(name, value)
    with container:
        yield f"{container.get_container_host_ip()}:{container.get_exposed_port(port)}"
