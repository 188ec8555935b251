"""A whole stream as one file, by JetStream's own means, while others write to it; and back.

What comes is the server's: a compressed archive of the stream's blocks, in which every message has its
sequence, time and headers. Reading and publishing messages couldn't keep those.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from nats.aio.msg import Msg

from agent_contracts.errors import Permanent, Transient
from agent_platform.nats.connection import SLOW_DISK_S, NatsConnection
from agent_platform.nats.errors import NOT_FOUND, ApiError

CHUNK = 256 * 1024
_SILENCE_S = 60.0
_OPENED_S = 600.0
_END = "204"


class StreamState(msgspec.Struct, frozen=True):
    """The configuration and state of a stream at the moment that a snapshot is of, as the server tells them.
    Messages that came while it was copied may be in it as well, after the state's last."""

    config: dict[str, Any]
    state: dict[str, Any]


async def download(
    admin: NatsConnection, stream: str, write: Callable[[bytes], object]
) -> StreamState | None:
    """Hand a snapshot of the stream, without its consumers, to `write`, piece by piece; None if there is no
    such stream. `Transient` if it breaks off."""
    pieces: asyncio.Queue[Msg] = asyncio.Queue()
    inbox = admin.new_inbox()
    subscription = await admin.subscribe(inbox, pieces.put)
    try:
        request = {"deliver_subject": inbox, "no_consumers": True, "chunk_size": CHUNK}
        answer = await admin.api(f"STREAM.SNAPSHOT.{stream}", request)
        while True:
            try:
                piece = await asyncio.wait_for(pieces.get(), _SILENCE_S)
            except TimeoutError as error:
                raise Transient(
                    f"the snapshot of {stream} broke off: nothing for {_SILENCE_S:g} s"
                ) from error
            if not piece.data:
                _check_end(stream, piece)
                return StreamState(answer["config"], answer["state"])
            write(piece.data)
            if piece.reply:
                await admin.publish(piece.reply)
    except ApiError as error:
        if error.err_code in NOT_FOUND:
            return None
        raise error.as_failure(f"snapshot of {stream}") from error
    finally:
        with contextlib.suppress(Transient):
            await admin.unsubscribe(subscription)


async def upload(admin: NatsConnection, stream: str, made: StreamState, pieces: Iterable[bytes]) -> None:
    """Make the stream from its snapshot. `Permanent` if the server can't make it of that, or gives up since
    its disk is too slow for it."""
    request = {"config": made.config, "state": made.state}
    try:
        answer = await admin.api(f"STREAM.RESTORE.{stream}", request, timeout=SLOW_DISK_S)
        target = answer["deliver_subject"]
        for piece in pieces:
            await admin.request(target, piece, timeout=_SILENCE_S)
        last = msgspec.json.decode((await admin.request(target, timeout=_OPENED_S)).data)
    except ApiError as error:
        raise error.as_failure(f"restore of {stream}") from error
    except Transient as error:
        if error.kind != "no_responders":
            raise
        # The server stops listening where it takes more than 5 s over what one piece holds: a thousand
        # messages or two, each flushed by itself with `sync_interval: always`.
        raise Permanent(
            f"NATS gave up making {stream} from the backup: it took too long to write a part of it. The "
            "backup is unharmed. If this NATS is your own, set `sync_interval: 10s` in its configuration, "
            "start it with an empty store, restore, and set it back. Otherwise restore into a data directory "
            "on a faster disk, and copy that",
            kind="disk_too_slow",
        ) from error
    if "error" in last:
        raise Permanent(f"{stream} can't be restored: {last['error'].get('description')}", kind="backup_bad")


def _check_end(stream: str, end: Msg) -> None:
    status = (end.headers or {}).get("Status", _END)
    if status != _END:
        description = (end.headers or {}).get("Description", status)
        raise Transient(f"the snapshot of {stream} broke off: {description}")
