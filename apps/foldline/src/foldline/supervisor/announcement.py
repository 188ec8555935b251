"""Where a running Foldline says how to reach it: a private file in its data directory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

_NAME = "running.json"


class Announcement(msgspec.Struct, frozen=True):
    """The gateway's address on this machine and its token, where the servers are, the supervisor's process
    id, which extensions were installed at the start, and where other machines find the gateway."""

    url: str
    token: str
    nats_url: str
    postgres_dsn: str
    pid: int
    nats_monitor_url: str | None = None
    extensions: frozenset[str] = frozenset()
    public_url: str | None = None

    @property
    def link(self) -> str:
        """The link that logs a browser in, at the address by which people reach this Foldline."""
        return f"{(self.public_url or self.url).rstrip('/')}/login?token={self.token}"


@contextmanager
def announced(data_dir: Path, announcement: Announcement) -> Iterator[None]:
    """Say it while the block runs. The file is 0600: it holds secrets."""
    announce(data_dir, announcement)
    try:
        yield
    finally:
        (data_dir / _NAME).unlink(missing_ok=True)


def announce(data_dir: Path, announcement: Announcement) -> None:
    """Say it from now on, in place of what was said."""
    draft = data_dir / f"{_NAME}.draft"
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(msgspec.json.encode(announcement))
    draft.replace(data_dir / _NAME)


def read_announcement(data_dir: Path) -> Announcement | None:
    """What the Foldline of this data directory said last; None if there is none. It may have died since."""
    try:
        return msgspec.json.decode((data_dir / _NAME).read_bytes(), type=Announcement)
    except FileNotFoundError:
        return None
