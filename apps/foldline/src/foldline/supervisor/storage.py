"""Servers that live and can't store are stopped, so that whoever keeps them alive starts them anew."""

import asyncio
import os
import time
from pathlib import Path

import structlog

from agent_platform.services.embedded.nats_server import NatsServer
from agent_platform.services.embedded.postgres import PostgresServer

_log = structlog.get_logger()
LOOK_S = 2.0
_LONGEST_WAIT_S = 20.0
_PROBE_BYTES = 1 << 20
_ROOM_BYTES = 8 << 20


async def keep_storing(server: NatsServer, folder: Path, look_s: float = LOOK_S) -> None:
    """For ever: stop a nats-server that says twice in a row that it can't store, once `folder`, where it
    stores, can be written: after a full disk it never tries again by itself. Until then it runs on, since
    what is stored can be read. Asks every `look_s` seconds, and waits longer after each restart that didn't
    help."""
    wait, said, since = look_s, "", 0.0
    while True:
        await asyncio.sleep(look_s)
        first, problem = said, await _problem(server)
        if problem is None:
            if first:
                after_s = round(time.monotonic() - since, 3)
                _log.warning("server.stores_again", server=type(server).__name__, after_s=after_s)
            wait, said = look_s, ""
            continue
        said = problem
        if not first:
            since = time.monotonic()
            _log.error("server.cannot_store", server=type(server).__name__, problem=problem)
        elif await asyncio.to_thread(has_room, folder):
            _log.warning("server.restarting", server=type(server).__name__, because="there is room again")
            await server.stop()
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_S)


async def keep_cluster(server: PostgresServer, look_s: float = LOOK_S) -> None:
    """For ever: stop a Postgres whose folder was emptied; the next start makes it anew."""
    while True:
        await asyncio.sleep(look_s)
        if server.lost_its_cluster:
            _log.error("server.lost_its_files", server=type(server).__name__)
            await server.stop()


def has_room(folder: Path) -> bool:
    """Whether a file of a megabyte can be written in `folder` and flushed, with a little room left over."""
    probe = folder / "room.probe"
    try:
        disk = os.statvfs(folder)
        if disk.f_bavail * disk.f_frsize < _ROOM_BYTES:
            return False
        with probe.open("wb") as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError:  # full, over a quota, read-only
        return False
    finally:
        _remove(probe)
    return True


def _remove(probe: Path) -> None:
    try:
        probe.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("storage.probe_left", path=str(probe), error=str(error))


async def _problem(server: NatsServer) -> str | None:
    return await server.storage_problem() if server.is_ready else None
