"""What is stored beside the log, and how it would be noticed that some of it is gone.

The log is sealed (`sealer`), and blobs are checked by the events that name them. Of all other streams, either
what is lost comes again without anybody's doing (`COMES_AGAIN`), or it is written down what they held when
somebody looked last, and compared (`KEYS`, `REACH`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from agent_contracts.errors import Permanent
from agent_contracts.log import subjects
from agent_platform.log.bucket import OPERATION, bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import NOT_FOUND, ApiError

KEYS: Mapping[str, str] = {
    f"KV_{subjects.SECRETS_BUCKET}": "set these secrets again",
    f"KV_{subjects.SITE_LOGINS_BUCKET}": "log in at these sites again",
    f"KV_{subjects.PROGRAM_TOKENS_BUCKET}": "give these programs new tokens",
    f"KV_{subjects.WAKE_CREDENTIALS_BUCKET}": "give these services new wake credentials",
    f"KV_{subjects.CHATS_BUCKET}": "people who wrote from there are asked for a code again",
    f"KV_{subjects.NOTIFICATIONS_BUCKET}": "set these channels up again",
    f"KV_{subjects.BUDGETS_BUCKET}": "spending counts from zero: lower the caps until the next period",
}
"""Buckets of which each key must stay until somebody deletes it, and what to do about those that are lost."""

REACH: Mapping[str, str] = {
    subjects.BLOB_STREAM: "exports go on without the blobs that are lost",
    f"OBJ_{subjects.OBJECTS_BUCKET}": "exports go on without the blobs that are lost",
    subjects.TIMER_STREAM: "reminders, tasks and what sessions wait for are set again within an hour",
    subjects.WAKE_STREAM: "wakes that came shortly before are lost: send them again",
    subjects.DLQ_STREAM: "letters that nobody read are lost",
}
"""Streams whose last sequence only grows, and what it means if it did not."""

COMES_AGAIN: Mapping[str, str] = {
    subjects.LOG_STREAM: "sealed",
    f"KV_{subjects.SEALS_BUCKET}": "the log is sealed anew; `log.json` remembers that there was one",
    f"KV_{subjects.SNAPSHOTS_BUCKET}": "sessions and databases are folded from the log",
    f"KV_{subjects.CATALOG_BUCKET}": "workers tell their tools at their start",
    f"KV_{subjects.CHECKPOINTS_BUCKET}": "messages come again, and each is handled once",
    f"KV_{subjects.QUOTAS_BUCKET}": "what counts towards a day is counted from then on",
    f"KV_{subjects.WORKERS_BUCKET}": "workers tell of themselves every few seconds",
    f"KV_{subjects.LEASES_BUCKET}": "leases are taken again",
    f"KV_{subjects.LOGINS_BUCKET}": "people log in again by the link",
    f"KV_{subjects.WAKES_BUCKET}": "only repeats of wakes are told by it, for a while",
    subjects.ADVISORY_STREAM: "notices that the dead letters tell again",
    subjects.PROBE_STREAM: "written to see whether anything can be",
}
"""Streams without which nothing is lost, and why."""

MOST_KEYS = 5_000
"""Keys of a bucket that are written down, in the order of their names."""
_SHOWN = 3
_PREFIX = "store"


class StoreState(msgspec.Struct, frozen=True):
    """What a stream held: since when it was there, how far it went, and its keys if it is of `KEYS`."""

    created: str
    last: int
    keys: tuple[str, ...] = ()


class StoreLoss(msgspec.Struct, frozen=True):
    """What a stream doesn't hold any more: keys, or (none) whatever it had up to `last`."""

    stream: str
    last: int
    keys: tuple[str, ...] = ()

    @property
    def to_do(self) -> str:
        """What it means, or what to do."""
        return {**KEYS, **REACH}[self.stream]

    def __str__(self) -> str:
        if not self.keys:
            return f"{self.stream} was emptied or cut: it had reached {self.last}"
        more = f" and {len(self.keys) - _SHOWN} more" if len(self.keys) > _SHOWN else ""
        return f"{self.stream} lacks {', '.join(self.keys[:_SHOWN])}{more}"


async def lost_of_stores(admin: NatsConnection) -> Sequence[StoreLoss]:
    """What the streams of `KEYS` and `REACH` lack of what they held when `note_stores` looked last."""
    before, now = await _noted(admin), await _held(admin)
    return [loss for stream, was in before.items() if (loss := _loss(stream, was, now.get(stream)))]


async def note_stores(admin: NatsConnection, *, accept: bool = False) -> Sequence[StoreLoss]:
    """Write down what the streams hold now; of what lost something only with `accept`. What is lost.

    A bucket that got nothing new since it was written down is not read."""
    before = await _noted(admin)
    now = await _held(admin, {} if accept else before)
    losses = [loss for stream, was in before.items() if (loss := _loss(stream, was, now.get(stream)))]
    lossy = frozenset() if accept else {loss.stream for loss in losses}
    seals = bucket(admin, subjects.SEALS_BUCKET)
    for stream, held in now.items():
        if stream not in lossy and held.noted != before.get(stream):
            await seals.put(_key(stream), msgspec.json.encode(held.noted))
    return losses


class _Now(msgspec.Struct, frozen=True):
    """What is written down of a stream now; all keys that it has, those that somebody deleted too."""

    noted: StoreState
    keys: frozenset[str]


def _loss(stream: str, was: StoreState, now: _Now | None) -> StoreLoss | None:
    if stream in KEYS:
        gone = sorted({*was.keys} - (now.keys if now else set()))
        return StoreLoss(stream, was.last, tuple(gone)) if gone else None
    if was.last and (now is None or now.noted.created != was.created or now.noted.last < was.last):
        return StoreLoss(stream, was.last)
    return None


async def _held(admin: NatsConnection, unread: Mapping[str, StoreState] = {}) -> Mapping[str, _Now]:
    found: dict[str, _Now] = {}
    for stream in (*KEYS, *REACH):
        info = await _info(admin, stream)
        if info is None:
            continue
        created, last = str(info["created"]), int(info["state"]["last_seq"])
        was = unread.get(stream)
        if was is not None and (was.created, was.last) == (created, last):
            found[stream] = _Now(was, frozenset(was.keys))
            continue
        every, kept = set[str](), list[str]()
        if stream in KEYS:
            prefix = f"$KV.{stream.removeprefix('KV_')}."
            for message in await JetStreamLog(admin, stream=stream).last_of_each(f"{prefix}>"):
                key = message.subject.removeprefix(prefix)
                every.add(key)
                if OPERATION not in message.headers:
                    kept.append(key)
        held = StoreState(created, last, tuple(sorted(kept)[:MOST_KEYS]))
        found[stream] = _Now(held, frozenset(every))
    return found


async def _noted(admin: NatsConnection) -> Mapping[str, StoreState]:
    seals = await bucket(admin, subjects.SEALS_BUCKET).below(_PREFIX)
    found: dict[str, StoreState] = {}
    for key, entry in seals.items():
        try:
            found[key.removeprefix(f"{_PREFIX}.")] = msgspec.json.decode(entry.value, type=StoreState)
        except msgspec.DecodeError as error:
            raise Permanent(f"what is recorded under {key!r} can't be read: {error}") from error
    return {stream: found[stream] for stream in (*KEYS, *REACH) if stream in found}


async def forget_keys(admin: NatsConnection, name: str, key: str) -> None:
    """A key of the bucket `name`, and those below it, are taken out on purpose: it is not a loss."""
    stream = f"KV_{name}"
    was = (await _noted(admin)).get(stream)
    if was is None:
        return
    kept = tuple(one for one in was.keys if one != key and not one.startswith(f"{key}."))
    if kept != was.keys:
        held = msgspec.structs.replace(was, keys=kept)
        await bucket(admin, subjects.SEALS_BUCKET).put(_key(stream), msgspec.json.encode(held))


def _key(stream: str) -> str:
    return f"{_PREFIX}.{stream}"


async def _info(admin: NatsConnection, stream: str) -> dict[str, Any] | None:
    try:
        return await admin.api(f"STREAM.INFO.{stream}")
    except ApiError as error:
        if error.err_code in NOT_FOUND:
            return None
        raise error.as_failure(f"stream {stream}") from error
