"""Ports on 127.0.0.1 that stay the same, so that clients find a restarted server again."""

import json
import random
import socket
from pathlib import Path

from agent_contracts.errors import Transient

# Below every system's ephemeral range (Linux 32768-60999, macOS 49152-65535): while a server restarts, an
# outgoing connection can't be given its port, nor can a client that dials the dead port reach itself.
_CHOICE = range(20_000, 32_000)
_ATTEMPTS = 200


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Whether we could listen on `host`:`port` now. Connections that linger in TIME_WAIT don't count."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port that nothing listens on now. Another process may still take it first: be ready to ask again.

    Raises Transient if none was found.
    """
    for port in random.SystemRandom().sample(_CHOICE, _ATTEMPTS):
        if is_free(port):
            return port
    raise Transient(f"no free port between {_CHOICE.start} and {_CHOICE.stop} on 127.0.0.1", retry_after=1)


class RememberedPorts:
    """The ports of earlier runs, in a file: each server gets its own again if it is still free."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def port(self, server: str) -> int:
        """The port that `server` had before, or another if it is taken."""
        before = self._read().get(server)
        return before if before is not None and is_free(before) else free_port()

    def remember(self, ports: dict[str, int]) -> None:
        """Keep these for the next run."""
        self._file.write_text(json.dumps(self._read() | ports, indent=1), encoding="utf-8")

    def _read(self) -> dict[str, int]:
        # A preference only: a file that is missing, cut or nonsense means other ports, not a failure.
        try:
            ports = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(ports, dict):
            return {}
        return {k: v for k, v in ports.items() if isinstance(v, int) and 0 < v < 65_536}
