"""A free port of this machine."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def listening(port: int = 0) -> Iterator[tuple[socket.socket, int]]:
    """A socket that listens, and where."""
    with socket.create_server(("127.0.0.1", port)) as made:
        yield made, made.getsockname()[1]
