"""nats-server with JetStream, as a child process."""

import asyncio
import os
import shutil
import signal
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path

from agent_contracts.errors import Rejected
from agent_platform.nats.accounts import WakeUser
from agent_platform.nats.monitoring import is_healthy, storage_problem
from agent_platform.nats.user import NatsUser
from agent_platform.services.embedded.nats_config import NatsOptions, render
from agent_platform.services.embedded.ports import RememberedPorts, is_free
from agent_platform.services.embedded.process import ProcessCommand, ServerProcess
from agent_platform.services.embedded.server import EmbeddedServer

_STOP = ((signal.SIGTERM, 10.0),)
_POLL = 0.02


def find_nats_server() -> str:
    """The program's path: from the wheel beside this Python, else on PATH. Raises Rejected without one."""
    beside = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = str(beside) if beside.is_file() else shutil.which("nats-server")
    if found is None:
        raise Rejected(
            "nats-server is not installed. Install agent-platform[embedded], "
            "or set FOLDLINE_NATS_URL to a server of your own.",
            kind="not_installed",
        )
    return found


class NatsServer(EmbeddedServer):
    """One server over one folder that holds its store, its configuration (with passwords, 0600), its log.

    It takes no lock on its store: hold the data directory's lock, and pass it as `hold` so that it lasts as
    long as the server does. Start, stop and start again as often as wanted: the port stays the same.
    """

    def __init__(
        self,
        folder: Path,
        users: Sequence[NatsUser],
        *,
        port: int = 0,
        sync: str = "always",
        hold: tuple[int, ...] = (),
    ) -> None:
        """`port` 0: the one of the last run in this folder if it is still free, else any. `sync`: `always`,
        or a duration for less durability."""
        super().__init__("nats-server", _STOP)
        self._folder = folder
        self._users = {user.name: user for user in users}
        self._others: tuple[WakeUser, ...] = ()
        self._wanted_port = port
        self._sync = sync
        self._hold = hold
        self._remembered = RememberedPorts(folder / "ports.json")
        self._ports: tuple[int, int] | None = None
        self._was_ready = self._ready = False

    @property
    def port(self) -> int:
        """Where it listens, from the first start on."""
        if self._ports is None:
            raise RuntimeError("nats-server was not started yet")
        return self._ports[0]

    @property
    def monitor_url(self) -> str:
        """NATS's own monitoring pages (`/varz`, `/jsz`, `/healthz`), from the first start on."""
        if self._ports is None:
            raise RuntimeError("nats-server was not started yet")
        return f"http://127.0.0.1:{self._ports[1]}"

    @property
    def url(self) -> str:
        """The address without a user: connecting needs a name and a password."""
        return f"nats://127.0.0.1:{self.port}"

    @property
    def users(self) -> dict[str, NatsUser]:
        """Who may connect, by name."""
        return dict(self._users)

    def url_for(self, user: str) -> str:
        """The address with this user's name and password. A secret."""
        who = self._users[user]
        return f"nats://{who.name}:{who.password}@127.0.0.1:{self.port}"

    def admit(self, others: Sequence[WakeUser]) -> None:
        """From now on these other services may come in to wake sessions, and no others: who no longer may is
        cut off at once. Our own stay connected. Call it once it was started."""
        self._others = tuple(others)
        self._write_config()
        if self.returncode is None and self.pid is not None:
            os.kill(self.pid, signal.SIGHUP)

    @property
    def is_ready(self) -> bool:
        """Whether this run of it came to take connections, and has not ended."""
        return self._ready and self.returncode is None

    async def storage_problem(self) -> str | None:
        """Why it can't store, as it says itself; None if it can, or doesn't answer. Ask one that is ready."""
        return await asyncio.to_thread(storage_problem, self.monitor_url)

    async def start(self) -> None:
        """Start it and return when it takes connections, which takes as long as it reads its store. Raises
        Transient with the end of its log if it ends before, Rejected if there is no program. Call it from the
        main thread."""
        self._launch()
        while not await asyncio.to_thread(self._answers):
            self._check()
            await asyncio.sleep(_POLL)
        self._remember()

    def start_blocking(self) -> None:
        """`start` for code without an event loop."""
        self._launch()
        while not self._answers():
            self._check()
            time.sleep(_POLL)
        self._remember()

    def _launch(self) -> None:
        self._check_not_running()
        if self._wanted_port and self._ports is None and not is_free(self._wanted_port):
            raise Rejected(f"port {self._wanted_port} on 127.0.0.1 is taken: choose another for NATS")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._run()

    def _run(self) -> None:
        if self._ports is None:
            port = self._wanted_port or self._remembered.port("nats")
            self._ports = (port, self._remembered.port("nats_monitor"))
        self._write_config()
        program = [find_nats_server(), "--config", str(self._config)]
        self._ready = False
        self._process = ServerProcess(
            "nats-server",
            ProcessCommand(program, self._folder, signal.SIGTERM, hold=self._hold),
            self._folder / "nats.log",
        )

    @property
    def _config(self) -> Path:
        return self._folder / "nats.conf"

    def _write_config(self) -> None:
        assert self._ports is not None
        options = NatsOptions(*self._ports, store=self._folder / "store", sync=self._sync)
        draft = self._config.with_suffix(".new")  # the server may be reading the other one
        draft.touch(mode=0o600)
        draft.chmod(0o600)
        draft.write_text(render(options, list(self._users.values()), self._others), encoding="utf-8")
        draft.replace(self._config)

    def _answers(self) -> bool:
        """Whether it takes connections and has read its store."""
        return is_healthy(self.monitor_url) and self.returncode is None

    def _check(self) -> None:
        """While waiting for it: raises Transient when it can't come any more."""
        process = self._running()
        if process.returncode is not None:
            if not self._was_ready and "address already in use" in process.log_tail(3):
                self._ports = None  # somebody was faster: others, unless a certain one is wanted
                if not self._wanted_port:
                    self._run()
                    return
            raise process.failure("did not start")

    def _remember(self) -> None:
        assert self._ports is not None
        self._was_ready = self._ready = True
        self._remembered.remember({"nats": self._ports[0], "nats_monitor": self._ports[1]})
