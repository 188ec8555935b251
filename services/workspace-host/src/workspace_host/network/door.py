"""The door of a command's own network: where its proxy listens."""

import asyncio
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from workspace_host.network import inside

PORT = 3128
"""At the loopback of each command's own network."""
_HANDED_WITHIN_S = 10.0
_AT_HOME = "localhost,127.0.0.1,::1"

ENVIRONMENT = {
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), f"http://127.0.0.1:{PORT}"),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), _AT_HOME),
}
"""By which programs find the proxy. What they serve to themselves they reach without it."""
_PROGRAM = Path(inside.__file__).read_text()


class NetworkDoor:
    """Is handed over by the first program in there. To be closed."""

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()

    @property
    def inherited(self) -> int:
        """The file that the first program must inherit."""
        return self._theirs.fileno()

    def before(self, python: str, command: Sequence[str]) -> list[str]:
        """The arguments that hand it over, and become the command."""
        return [python, "-I", "-S", "-c", _PROGRAM, str(PORT), str(self.inherited), *command]

    async def taken(self) -> socket.socket | None:
        """The listening socket; None where none came: the command can't have been started."""
        self._theirs.close()  # so that nobody else holds it, and its end is seen
        return await asyncio.to_thread(self._received)

    def _received(self) -> socket.socket | None:
        self._ours.settimeout(_HANDED_WITHIN_S)
        try:
            _, files, _, _ = socket.recv_fds(self._ours, 1, 1)
        except OSError:
            return None
        return socket.socket(fileno=files[0]) if files else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self._theirs.close()
