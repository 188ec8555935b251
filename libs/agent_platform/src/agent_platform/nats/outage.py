"""What the log says while a NATS server is away: a line when that begins, one a minute, one when it ends.

A process has many connections, and each tries ten times a second: all of a process's share what they say.
"""

import time
from collections.abc import Callable
from weakref import WeakValueDictionary

import structlog

from agent_platform.secrecy.failure_text import failure_of

_log = structlog.get_logger(__name__)

_SAY_EACH_S = 60.0
_KINDS = 100
"""How many kinds of errors are told apart, of a server that answers."""


class Outages:
    """What is said of one server. Each connection has an id of its own, such as itself."""

    def __init__(self, server: str, now: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._now = now
        self._away: set[object] = set()
        self._began = self._said_at = 0.0
        self._tries = 0
        self._errors: dict[str, tuple[float, int]] = {}

    def lost(self, connection: object, reason: str) -> None:
        """A connection has no server."""
        if connection in self._away:
            return
        if not self._away:
            self._began = self._said_at = self._now()
            self._tries = 0
            _log.warning("nats.away", server=self._server, reason=reason)
        self._away.add(connection)

    def back(self, connection: object) -> None:
        """It has one again. Nothing is said of one that was never lost."""
        if connection in self._away:
            self._away.discard(connection)
            if not self._away:
                _log.warning("nats.back", server=self._server, tries=self._tries, after_s=self._seconds())

    def closed(self, connection: object) -> None:
        """It needs none any more."""
        self._away.discard(connection)

    def failed(self, connection: object, error: Exception) -> None:
        """Something went wrong: while it has no server another try, otherwise one of its errors."""
        if connection in self._away:
            self._tries += 1
            if self._now() - self._said_at >= _SAY_EACH_S:
                self._said_at = self._now()
                _log.warning(
                    "nats.still_away",
                    server=self._server,
                    after_s=self._seconds(),
                    tries=self._tries,
                    connections=len(self._away),
                    reason=failure_of(error),
                )
            return
        kind = type(error).__name__
        said_at, untold = self._errors.get(kind, (None, 0))
        if said_at is None or self._now() - said_at >= _SAY_EACH_S:
            if len(self._errors) >= _KINDS:
                self._errors.clear()
            self._errors[kind] = self._now(), 0
            _log.warning("nats.error", server=self._server, error=failure_of(error), untold=untold)
        else:
            self._errors[kind] = said_at, untold + 1

    def _seconds(self) -> int:
        return round(self._now() - self._began)


_of_servers: WeakValueDictionary[str, Outages] = WeakValueDictionary()


def outages_of(server: str) -> Outages:
    """What this process says of the server at `host:port`; the same object for all that ask."""
    found = _of_servers.get(server)
    if found is None:
        found = _of_servers[server] = Outages(server)
    return found
