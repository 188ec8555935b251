"""Whether the log has everything that it was seen to have."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from agent_contracts.errors import Permanent
from agent_contracts.log.subjects import LOG_STREAM, SEALS_BUCKET
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.port import Log
from agent_platform.log.sealing.record import Record, Seals
from agent_platform.log.sealing.seal import RunningTotal, SequenceRuns, first_of, range_of
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.errors import NOT_FOUND, ApiError

_EVERYTHING = ">"


class LogState(msgspec.Struct, frozen=True):
    """What the server says that it holds: up to which sequence, which of those it hasn't, how many bytes."""

    last: int
    absent: SequenceRuns
    size: int = 0


class LogLoss(msgspec.Struct, frozen=True):
    """What should be there and isn't: `missing` sequences, and ranges whose messages are not what they were.
    `sealed_to` is how far the log was seen to go."""

    missing: SequenceRuns
    changed: SequenceRuns
    sealed_to: int

    def __bool__(self) -> bool:
        return bool(self.missing) or bool(self.changed)

    def __str__(self) -> str:
        parts = []
        if self.missing:
            what = "event" if self.missing.count == 1 else f"{self.missing.count} events"
            parts.append(f"{what} missing: {self.missing}")
        if self.changed:
            parts.append(f"not what they were: among events {self.changed}")
        return f"{'; '.join(parts)} (it was seen to hold events up to {self.sealed_to})"


class LogLost(Permanent):
    """The log lost something, and nothing may be built on what is left as if it were whole."""

    def __init__(self, loss: LogLoss, record: Record) -> None:
        super().__init__(
            f"The log is damaged. {loss}. {backup_brings(record)} "
            "Restore a backup into an empty data directory (foldline restore), or go on without what is "
            "missing (foldline up --accept-loss).",
            kind="log_lost",
        )
        self.loss = loss


def backup_brings(record: Record) -> str:
    """What the newest backup that is known of would bring back."""
    if record.backup is None:
        return "No backup was made here that Foldline knows of."
    backup = record.backup
    return f"The last backup ({backup.path}, {backup.time}) holds everything up to event {backup.sequence}."


def compare(state: LogState, record: Record) -> LogLoss:
    """What is missing by what the server says; costs no reading. A log begins at 1, and has no holes but what
    was taken out."""
    end = max(state.last, record.sealed_to)
    absent = SequenceRuns([*state.absent, (state.last + 1, end)] if end > state.last else state.absent)
    return LogLoss(absent.without(record.removed), SequenceRuns(), record.sealed_to)


async def check(state: LogState, record: Record, log: Log) -> LogLoss:
    """What is missing or isn't what it was: reads all that was sealed."""
    missing, changed = compare(state, record).missing, SequenceRuns()
    async for number, total, gaps in totals(log, record):
        missing = SequenceRuns([*missing, *gaps])
        seal = record.seals.get(number)
        if seal is None or missing.within(first_of(number), seal.last):
            continue  # what is missing is said already
        if total.total.plus(record.removed_from(number)) != seal.total:
            changed = SequenceRuns([*changed, (first_of(number), seal.last)])
    return LogLoss(missing, changed, record.sealed_to)


async def totals(log: Log, record: Record) -> AsyncIterator[tuple[int, RunningTotal, SequenceRuns]]:
    """Each range as it reads now: its number, its total without what is meant to be gone, and the sequences
    that couldn't be read."""
    removed, end = record.removed, record.sealed_to + 1
    number, adding, gaps, expected = 0, RunningTotal(), list[tuple[int, int]](), 1
    messages = log.records(_EVERYTHING, up_to=record.sealed_to)
    while end > 1:
        message = await anext(messages, None)
        sequence = end if message is None else message.sequence
        while range_of(sequence) != number and number < range_of(end - 1):
            gaps += _between(expected, first_of(number + 1))
            yield number, adding, SequenceRuns(gaps).without(removed)
            number, adding, gaps = number + 1, RunningTotal(), []
            expected = first_of(number)
        gaps += _between(expected, sequence)
        expected = sequence + 1
        if message is None:
            yield number, adding, SequenceRuns(gaps).without(removed)
            return
        if sequence not in removed:
            adding.add(message)


def _between(first: int, next_one: int) -> list[tuple[int, int]]:
    return [(first, next_one - 1)] if first < next_one else []


async def log_state(connection: NatsConnection, removed: SequenceRuns | None = None) -> LogState | None:
    """What the server says of the log; None if there is none. Where it has not as many messages as are meant
    to be gone (`removed`), these are the ones: the server is asked for a list only if that doesn't add up.
    """
    info = await _info(connection, LOG_STREAM, {})
    if info is not None and removed is not None:
        last, there = int(info["state"]["last_seq"]), int(info["state"]["messages"])
        gone = removed.within(1, last)
        if there + gone.count == last:
            return LogState(last, gone, int(info["state"]["bytes"]))
    info = await _info(connection, LOG_STREAM, {"deleted_details": True})
    if info is None:
        return None
    state = info["state"]
    last = int(state["last_seq"])
    first = int(state["first_seq"]) if state["messages"] else last + 1
    deleted = ((sequence, sequence) for sequence in state.get("deleted") or () if sequence)  # 0: it is empty
    return LogState(last, SequenceRuns([*_between(1, first), *deleted]), int(state["bytes"]))


async def read_record(connection: NatsConnection) -> Record | None:
    """What is recorded of the log; None if nothing ever was."""
    if await _info(connection, f"KV_{SEALS_BUCKET}", {}) is None:
        return None
    return await Seals(bucket(connection, SEALS_BUCKET)).read()


async def loss_by_reading(connection: NatsConnection) -> LogLoss:
    """What is missing or isn't what it was. Reads the whole log: for who asks, and after a start."""
    record = await read_record(connection) or Record({})
    state = await log_state(connection, record.removed) or LogState(0, SequenceRuns())
    return await check(state, record, JetStreamLog(connection))


async def refuse_if_lost(connection: NatsConnection, *, reading: int = 0) -> LogState | None:
    """What the server holds; `LogLost` if that isn't what was recorded, by its own word; a log of at most
    `reading` bytes is read, too."""
    record = await read_record(connection) or Record({})
    state = await log_state(connection, record.removed)
    if state is None and not record.seals:
        return None
    state = state or LogState(0, SequenceRuns())
    loss = compare(state, record)
    if not loss and state.size <= reading:
        loss = await check(state, record, JetStreamLog(connection))
    if loss:
        raise LogLost(loss, record)
    return state


async def _info(connection: NatsConnection, stream: str, request: dict[str, bool]) -> dict[str, Any] | None:
    try:
        return await connection.api(f"STREAM.INFO.{stream}", request)
    except ApiError as error:
        if error.err_code in NOT_FOUND:
            return None
        raise error.as_failure(f"stream {stream}") from error
