"""Postgres, as a child process."""

import asyncio
import signal
import time
from pathlib import Path
from urllib.parse import quote

from agent_contracts.errors import Rejected
from agent_platform.services.embedded.ports import RememberedPorts, is_free
from agent_platform.services.embedded.postgres_cluster import (
    ClusterPasswords,
    Owner,
    ensure_cluster,
    is_whole,
    owner,
    write_config,
)
from agent_platform.services.embedded.postgres_config import ADMIN, DATABASE, ROLE, PostgresOptions
from agent_platform.services.embedded.postgres_leftovers import clear_leftovers
from agent_platform.services.embedded.process import ProcessCommand, ServerProcess
from agent_platform.services.embedded.server import EmbeddedServer

_STOP = ((signal.SIGINT, 10.0), (signal.SIGQUIT, 3.0))  # "fast", then "immediate" shutdown
_POLL = 0.02


class PostgresServer(EmbeddedServer):
    """One server over one folder, which holds its cluster and its log. Hold the data directory's lock.

    Start, stop and start again as often as wanted: the port stays the same. The first start makes the
    cluster, a role and a database, both named `foldline`; the role is not a superuser.
    """

    def __init__(
        self,
        folder: Path,
        passwords: ClusterPasswords,
        *,
        port: int = 0,
        fsync: bool = True,
        hold: tuple[int, ...] = (),
    ) -> None:
        """`port` 0: the one of the last run in this folder if it is still free, else any."""
        super().__init__("Postgres", _STOP)
        self._folder = folder
        self._cluster = folder / "cluster"
        self._passwords = passwords
        self._wanted_port = port
        self._fsync = fsync
        self._hold = hold
        self._remembered = RememberedPorts(folder / "ports.json")
        self._port: int | None = None
        self._was_ready = False
        self._deadline = 0.0

    @property
    def port(self) -> int:
        """Where it listens, from the first start on."""
        if self._port is None:
            raise RuntimeError("Postgres was not started yet")
        return self._port

    @property
    def dsn(self) -> str:
        """The address of the database `foldline`, with its role's password. A secret."""
        return self._address(ROLE, self._passwords.role, DATABASE)

    @property
    def admin_dsn(self) -> str:
        """The superuser's address, for maintenance and tests. A secret."""
        return self._address(ADMIN, self._passwords.admin, "postgres")

    def _address(self, role: str, password: str, database: str) -> str:
        return f"postgresql://{role}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"

    @property
    def lost_its_cluster(self) -> bool:
        """Whether it runs, and the files are gone that it can't be started from again: it notices a minute
        later, and answers from memory until then."""
        return self._process is not None and self.returncode is None and not is_whole(self._cluster)

    async def start(self) -> None:
        """Start it and return when it takes connections, after recovery, which takes as long as it takes.

        Raises Transient with the end of its log if it ends before, Rejected where it can't run at all. Call
        it from the main thread.
        """
        who = await asyncio.to_thread(self._prepare)
        self._launch(who)
        while not self._is_ready():
            self._check(who)
            await asyncio.sleep(_POLL)
        self._remember()

    def start_blocking(self) -> None:
        """`start` for code without an event loop."""
        who = self._prepare()
        self._launch(who)
        while not self._is_ready():
            self._check(who)
            time.sleep(_POLL)
        self._remember()

    def _prepare(self) -> Owner:
        self._check_not_running()
        if self._wanted_port and self._port is None and not is_free(self._wanted_port):
            raise Rejected(f"port {self._wanted_port} on 127.0.0.1 is taken: choose another for Postgres")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        who = owner()
        ensure_cluster(self._cluster, who, self._passwords, durable=self._fsync, hold=self._hold)
        clear_leftovers(self._cluster)
        return who

    def _launch(self, who: Owner) -> None:
        if self._port is None:
            self._port = self._wanted_port or self._remembered.port("postgres")
        write_config(self._cluster, who, PostgresOptions(self._port, fsync=self._fsync))
        program = [str(who.programs / "bin" / "postgres"), "-D", who.reference(self._cluster)]
        self._process = ServerProcess(
            "Postgres",
            ProcessCommand(program, self._cluster, signal.SIGINT, user=who.user, hold=self._hold),
            self._folder / "postgres.log",
        )

    def _is_ready(self) -> bool:
        """Whether its own file says so: its first line is the process id, its eighth the state."""
        try:
            lines = (self._cluster / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= 8 and lines[0].strip() == str(self.pid) and lines[7].strip() == "ready"

    def _check(self, who: Owner) -> None:
        """While waiting for it: raises Transient when it can't come any more."""
        process = self._running()
        if process.returncode is not None:
            if (
                not self._was_ready
                and not self._wanted_port
                and "Address already in use" in process.log_tail(5)
            ):
                self._port = None  # somebody was faster
                self._launch(who)
                return
            raise process.failure("did not start")

    def _remember(self) -> None:
        self._was_ready = True
        self._remembered.remember({"postgres": self.port})
