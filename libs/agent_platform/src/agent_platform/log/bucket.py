"""A key-value bucket: the last value of each key, with compare-and-set."""

import math
import re
import secrets
from collections.abc import AsyncGenerator, Mapping

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.log.record.codec import MESSAGE_ID
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.nats.connection import NatsConnection
from agent_platform.observing.metrics import Metrics

_KEY = re.compile(r"[A-Za-z0-9_=-]+(?:\.[A-Za-z0-9_=-]+)*")
OPERATION = "KV-Operation"
"""The header of a mark that a key was deleted."""
_TTL = "Nats-TTL"


class BucketEntry(msgspec.Struct, frozen=True):
    """A key's value. `revision` grows with every write to the bucket."""

    key: str
    value: bytes
    revision: int


class Bucket:
    """The bucket `name`, on the `Log` that is its stream; readable by every NATS client as key-value."""

    def __init__(self, log: Log, name: str) -> None:
        self._log = log
        self._prefix = f"$KV.{name}."

    async def get(self, key: str) -> BucketEntry | None:
        """The key's value, None if it has none (any more)."""
        found = await self._log.last(self._subject(key))
        return self._entry(found) if found else None

    async def below(self, key: str) -> Mapping[str, BucketEntry]:
        """The key and every one that begins with it and a dot, of those that have a value; in one read."""
        subject = self._subject(key)
        found = await self._log.last_of_each(subject, f"{subject}.>")
        entries = (self._entry(message) for message in found)
        return {entry.key: entry for entry in entries if entry is not None}

    async def list(self) -> Mapping[str, BucketEntry]:
        """Every key that has a value."""
        found = await self._log.last_of_each(self._prefix + ">")
        entries = (self._entry(message) for message in found)
        return {entry.key: entry for entry in entries if entry is not None}

    async def put(
        self, key: str, value: bytes, *, expect: int | None = None, ttl_s: float | None = None
    ) -> int:
        """Set the value and return its revision.

        With `expect`, only if that is the key's revision (0: no value), else `Conflict`. With `ttl_s`, it is
        gone after so many seconds (rounded up to whole ones) unless it was written again.
        """
        return await self._write(key, value, {MESSAGE_ID: secrets.token_hex(12), **_until(ttl_s)}, expect)

    async def delete(self, key: str, *, expect: int | None = None, ttl_s: float | None = None) -> None:
        """Remove the value; `expect` as in `put`. With `ttl_s`, the mark of it is gone after so long too."""
        headers = {MESSAGE_ID: secrets.token_hex(12), OPERATION: "DEL", **_until(ttl_s)}
        await self._write(key, b"", headers, expect)

    async def last_revision(self) -> int:
        """The revision of the newest write to any key; 0 when there was none."""
        return await self._log.last_sequence()

    async def changes(self, *, after: int) -> AsyncGenerator[str, None]:
        """The key of every write and deletion with a revision > `after`, and of those to come. Of several
        changes to one key, all but the last may be left out."""
        async for message in self._log.tail([self._prefix + ">"], after=after):
            yield message.subject[len(self._prefix) :]

    async def _write(self, key: str, value: bytes, headers: dict[str, str], expect: int | None) -> int:
        subject = self._subject(key)
        message = NewMessage(subject, value, headers)
        if expect == 0:  # a deletion's mark also means: no value
            last = await self._log.last(subject)
            expect = last.sequence if last is not None and OPERATION in last.headers else 0
        return await self._log.append(message, None if expect is None else Expect(subject, expect))

    def _subject(self, key: str) -> str:
        if not _KEY.fullmatch(key):
            raise Rejected(f"not a key: {key!r}", kind="invalid_key")
        return self._prefix + key

    def _entry(self, message: StoredMessage) -> BucketEntry | None:
        if OPERATION in message.headers:
            return None
        return BucketEntry(message.subject[len(self._prefix) :], message.data, message.sequence)


def _until(ttl_s: float | None) -> dict[str, str]:
    return {} if ttl_s is None else {_TTL: f"{max(1, math.ceil(ttl_s))}s"}


def bucket(connection: NatsConnection, name: str, metrics: Metrics | None = None) -> Bucket:
    """A bucket on JetStream. `metrics` times what is written to it."""
    return Bucket(JetStreamLog(connection, stream=f"KV_{name}", metrics=metrics), name)
