"""The embedded servers over the data directory, kept alive."""

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import structlog

from agent_contracts.errors import Failure, Permanent, Transient
from agent_platform.nats.rights import Rights
from agent_platform.nats.users import ADMIN, nats_users
from agent_platform.process.background import in_background
from agent_platform.services.embedded.datadir import DataDirectory
from agent_platform.services.embedded.nats_server import NatsServer
from agent_platform.services.embedded.passwords import Passwords, ensure_passwords
from agent_platform.services.embedded.postgres import PostgresServer
from agent_platform.services.embedded.postgres_cluster import ClusterPasswords
from foldline.settings import UpSettings
from foldline.supervisor.storage import has_room, keep_cluster, keep_storing

PASSWORDS = "passwords.json"
"""In the data directory: passwords of the servers' users, and the gateway's token."""
_log = structlog.get_logger()
_RESTART_WAIT_S = 0.2
_LONGEST_RESTART_WAIT_S = 5.0
_LOOK_S = 2.0


class ChildServer(Protocol):
    """A child process that can be started again."""

    async def start(self) -> None:
        """Return when it is ready."""
        ...

    async def wait(self) -> int:
        """Return its exit code when it has ended."""
        ...

    async def stop(self) -> None:
        """End it in order."""
        ...


@dataclass(frozen=True)
class Addresses:
    """Where the servers are, and how to get in. `nats_passwords` is empty for an external NATS. `unprotected`
    are `host:port` of what answers without a password, and must not be reached by tools."""

    nats_url: str
    nats_passwords: Mapping[str, str]
    postgres_dsn: str
    gateway_token: str
    unprotected: Sequence[str] = ()
    nats_monitor_url: str | None = None


class SupervisedServers:
    """Starts the servers that the settings don't name, and starts one again that dies."""

    def __init__(self, settings: UpSettings, directory: DataDirectory, rights: Mapping[str, Rights]) -> None:
        self._settings = settings
        self._rights = rights
        self._directory = directory
        self._guards: list[asyncio.Task[None]] = []
        self._running: list[ChildServer] = []
        self.passwords: Passwords = ensure_passwords(directory.path / PASSWORDS, (ADMIN, *rights))
        self.nats: NatsServer | None = None
        self.postgres: PostgresServer | None = None

    async def start(self) -> Addresses:
        """Start what is embedded, both at once; return where everything is. `Transient` on a full disk, which
        neither survives."""
        settings, directory = self._settings, self._directory
        stores = {"nats": settings.nats_url, "postgres": settings.postgres_dsn}
        for name in (name for name, elsewhere in stores.items() if elsewhere is None):
            own = directory.path / name  # may be a disk of its own
            folder = own if own.is_dir() else directory.path
            if not await asyncio.to_thread(has_room, folder):
                raise Transient(
                    f"The disk of {folder} is full, or can't be written. Nothing is lost. Make room, and "
                    "start again",
                    kind="storage",
                )
        hold = (directory.lock,)
        if settings.nats_url is None:
            users = nats_users(self._rights, self.passwords.nats)
            self.nats = NatsServer(directory.folder("nats"), users, sync=settings.nats_sync, hold=hold)
        if settings.postgres_dsn is None:
            cluster = ClusterPasswords(self.passwords.postgres, self.passwords.postgres_admin)
            self.postgres = PostgresServer(directory.folder("postgres"), cluster, hold=hold)
        self._running = [server for server in (self.nats, self.postgres) if server is not None]
        await asyncio.gather(*(server.start() for server in self._running))
        self._guards = [
            in_background(partial(self._keep_alive, server), f"{type(server).__name__} kept alive")
            for server in self._running
        ]
        if self.nats is not None:
            storing = partial(keep_storing, self.nats, directory.folder("nats"))
            self._guards.append(in_background(storing, "NATS kept storing"))
        if self.postgres is not None:
            self._guards.append(in_background(partial(keep_cluster, self.postgres), "Postgres kept whole"))
        return self._addresses()

    async def failed(self) -> None:
        """Return only by raising `Permanent`: the data directory is gone."""
        while self._directory.is_there():  # noqa: ASYNC110 — somebody else removes it
            await asyncio.sleep(_LOOK_S)
        raise Permanent(
            f"The data directory {self._directory.path} is gone: it was removed or moved away. Everything "
            "that ran on it was stopped",
            kind="data_gone",
        )

    async def stop(self) -> None:
        """Stop what was started."""
        for guard in self._guards:
            guard.cancel()
        for guard in self._guards:
            with contextlib.suppress(asyncio.CancelledError):
                await guard
        await asyncio.gather(*(server.stop() for server in self._running))

    async def _keep_alive(self, server: ChildServer) -> None:
        """Start it again each time it ends by itself; its port stays, so clients find it again. One that
        can't start, as on a full disk, is tried again every few seconds."""
        wait = _RESTART_WAIT_S
        while True:
            code, died = await server.wait(), time.monotonic()
            _log.error("server.died", server=type(server).__name__, exit_code=code)
            while not await self._restarted(server, wait, died):
                if not self._directory.is_there():
                    return  # to start it would make the folder anew, and the server begin with nothing
                wait = min(2 * wait, _LONGEST_RESTART_WAIT_S)
            wait = _RESTART_WAIT_S

    async def _restarted(self, server: ChildServer, wait: float, died: float) -> bool:
        await asyncio.sleep(wait)
        if not self._directory.is_there():
            return False
        name = type(server).__name__
        try:
            await server.start()
        except (Failure, OSError) as error:
            _log.error("server.restart_failed", server=name, error=str(error))
            return False
        except Exception:
            _log.exception("server.restart_failed", server=name)
            return False
        _log.warning("server.restarted", server=name, after_s=round(time.monotonic() - died, 3))
        return True

    def _addresses(self) -> Addresses:
        settings = self._settings
        token = settings.token.get_secret_value() if settings.token else self.passwords.token
        return Addresses(
            nats_url=self.nats.url if self.nats else str(settings.nats_url),
            nats_monitor_url=self.nats.monitor_url if self.nats else settings.nats_monitor_url,
            nats_passwords=self.passwords.nats if self.nats else {},
            postgres_dsn=self.postgres.dsn if self.postgres else _revealed(settings),
            gateway_token=token,
            unprotected=[self.nats.monitor_url.removeprefix("http://")] if self.nats else [],
        )


def _revealed(settings: UpSettings) -> str:
    return settings.postgres_dsn.get_secret_value() if settings.postgres_dsn else ""
