"""Taking messages out of a stream, also so that their bytes leave the disk.

A purge forgets messages, and their bytes stay until nats-server writes their block anew, which it may never
do. A secure delete overwrites them where they lie.
"""

import asyncio
import secrets
from collections.abc import Sequence

from agent_contracts.errors import Conflict
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_platform.log.bucket import OPERATION
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import ApiError

_AT_ONCE = 32
MOST_OVERWRITTEN = 20_000
"""Messages: about ten minutes. Of more, the bytes stay until nats-server writes their blocks anew."""
_NO_MESSAGE = (10037, 10043, 10057)
_BLOCK = 8 * 1024 * 1024
"""Bytes of the largest block that nats-server writes."""
_FILLER = 512 * 1024
_TTL = "Nats-TTL"


async def overwrite(admin: NatsConnection, stream: str, subject: str) -> int:
    """Take out all messages on a subject (wildcards allowed), and overwrite their bytes; how many."""
    log = JetStreamLog(admin, stream=stream)
    found = [message.sequence async for message in log.records(subject)]
    if len(found) > MOST_OVERWRITTEN:
        await purge_subject(admin, stream, subject)
    else:
        await remove_messages(admin, stream, found)
    return len(found)


async def purge_subject(admin: NatsConnection, stream: str, subject: str, up_to: int | None = None) -> None:
    """Take a subject's messages out up to a sequence, whatever becomes of their bytes."""
    bound = {} if up_to is None else {"seq": up_to + 1}
    try:
        await admin.api(f"STREAM.PURGE.{stream}", {"filter": subject, **bound})
    except ApiError as error:
        raise error.as_failure(f"purge of {subject}") from error


async def remove_messages(
    admin: NatsConnection, stream: str, sequences: Sequence[int], *, overwriting: bool = True
) -> None:
    """Take these messages out, and overwrite their bytes; one that is gone already is left alone.

    Overwriting takes some 30 ms for each: nats-server loads its block each time.
    """
    places = asyncio.Semaphore(_AT_ONCE)

    async def delete(sequence: int) -> None:
        async with places:
            try:
                await admin.api(f"STREAM.MSG.DELETE.{stream}", {"seq": sequence, "no_erase": not overwriting})
            except ApiError as error:
                if error.err_code not in _NO_MESSAGE:
                    raise error.as_failure(f"removing message {sequence} of {stream}") from error

    for start in range(0, len(sequences), 1_000):
        await asyncio.gather(*map(delete, sequences[start : start + 1_000]))


async def write_anew(admin: NatsConnection, bucket: str) -> None:
    """Write each value of a key-value bucket once more, then begin a new block: the server removes the old
    blocks, with all the earlier values in them. A value that is changed meanwhile is left alone."""
    stream = f"KV_{bucket}"
    log = JetStreamLog(admin, stream=stream)
    for message in await log.last_of_each(f"$KV.{bucket}.>"):
        try:
            await log.append(_again(message), Expect(message.subject, message.sequence))
        except Conflict:
            continue
    filler = f"$KV.{bucket}.filler"
    for _ in range(_BLOCK // _FILLER + 1):
        headers = {MESSAGE_ID: secrets.token_hex(12)}
        await log.append(NewMessage(filler, bytes(_FILLER), headers))
    await overwrite(admin, stream, filler)


def _again(message: StoredMessage) -> NewMessage:
    kept = {name: message.headers[name] for name in (_TTL, OPERATION) if name in message.headers}
    return NewMessage(message.subject, message.data, {MESSAGE_ID: secrets.token_hex(12), **kept})
