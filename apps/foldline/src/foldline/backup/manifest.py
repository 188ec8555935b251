"""What a backup says of itself."""

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.log import subjects
from agent_platform.log.sealing.seal import Removal, Total
from agent_platform.nats.stream_snapshots import StreamState

NAME = "manifest.json"
KEY_FILE = "secrets.key"
FORMAT = 1

BEFORE_LOG = (subjects.TIMER_STREAM,)
AFTER_LOG = (
    subjects.BLOB_STREAM,
    f"OBJ_{subjects.OBJECTS_BUCKET}",
    f"KV_{subjects.SECRETS_BUCKET}",
    f"KV_{subjects.SITE_LOGINS_BUCKET}",
    f"KV_{subjects.BUDGETS_BUCKET}",
    f"KV_{subjects.NOTIFICATIONS_BUCKET}",
    subjects.DLQ_STREAM,
)
"""In this order: what an event of the log names is stored before it, and so is copied after it. A timer that
fires while the log is copied leaves the message that it was due behind, and that is handled again."""


class StreamFile(msgspec.Struct, frozen=True):
    """One stream's snapshot: the file, its size and SHA-256, and what the stream was."""

    file: str
    bytes: int
    sha256: str
    made: StreamState


class ConsumerAt(msgspec.Struct, frozen=True):
    """A durable consumer, and the sequence up to which it had handled all before anything was copied."""

    stream: str
    name: str
    config: dict[str, Any]
    handled: int


class LogCut(msgspec.Struct, frozen=True):
    """The log up to the event `sequence`: totals of its messages by range, and what had been taken out."""

    sequence: int
    totals: dict[int, Total]
    removals: tuple[Removal, ...]

    @property
    def hash(self) -> str:
        """Of everything up to the cut: the same wherever the log is the same."""
        return Total().plus(*self.totals.values()).hex.rjust(64, "0")


class Manifest(msgspec.Struct, frozen=True):
    """The whole backup. `secrets_key` says whether the key of the secrets is in it."""

    format: int
    foldline: str
    made_at: datetime
    log: LogCut
    streams: dict[str, StreamFile]
    consumers: tuple[ConsumerAt, ...]
    secrets_key: bool
    lost_blobs: frozenset[str]
    """Blobs that events up to the cut name, and that were missing or damaged already."""

    @property
    def bytes(self) -> int:
        """Of all snapshots."""
        return sum(one.bytes for one in self.streams.values())


def decoded(text: bytes, where: Path) -> Manifest:
    """`Rejected` if this is not a backup that we can read."""
    try:
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.DecodeError as error:
        raise Rejected(f"{where} is not a backup of Foldline: {error}", kind="backup_bad") from error
    if manifest.format != FORMAT:
        raise Rejected(
            f"{where} was made by Foldline {manifest.foldline}, in another format: restore it with that one",
            kind="backup_bad",
        )
    return manifest
