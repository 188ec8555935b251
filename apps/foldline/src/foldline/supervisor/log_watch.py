"""Whether the log, and what is stored beside it, are what they were: before anything is built on the log, and
by reading afterwards."""

import asyncio
from pathlib import Path

import msgspec
import structlog

from agent_contracts.errors import Failure, Permanent
from agent_domain.checking.blobs import accept_lost_blobs, bytes_of_blobs, lost_blobs
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.sealing.checking import LogState, log_state, loss_by_reading, read_record
from agent_platform.log.sealing.record import Record
from agent_platform.log.sealing.removing import accept_loss
from agent_platform.log.sealing.seal import SequenceRuns
from agent_platform.log.sealing.stores import lost_of_stores, note_stores
from agent_platform.nats.connection import NatsConnection
from agent_platform.nats.stream_configs import StreamSettings
from agent_platform.nats.streams import ensure_streams
from agent_platform.process.interruption import Interruption

_log = structlog.get_logger()
_NAME = "log.json"
_LOOK_S = 15.0
_MOST_READ = 256 * 1024 * 1024
"""Bytes of blobs that are read after a start; more, only for who asks."""
_ASK = "foldline doctor"


class _Remembered(msgspec.Struct, frozen=True):
    """How far the log was known to go."""

    last: int


def refuse_if_store_is_gone(state: LogState | None, folder: Path) -> None:
    """`Permanent` if there was a log in this data directory, and nothing is left of it, not even what is
    recorded beside it."""
    remembered = _read(folder)
    if remembered and (state is None or state.last == 0):
        raise Permanent(
            f"The log of {folder} is gone: it held {remembered} events, and nats/store has none. Put the "
            "store back, or restore a backup into an empty data directory (foldline restore). To begin anew "
            "with nothing: foldline up --accept-loss",
            kind="log_lost",
        )


async def accept(admin: NatsConnection) -> str:
    """Go on with what is left of the log, of blobs and of other stores; what that is without, for people."""
    await ensure_streams(admin, StreamSettings())
    state, record = await log_state(admin), await read_record(admin)
    loss = await accept_loss(admin, state or LogState(0, SequenceRuns()), record or Record({}))
    if loss:
        _log.warning("log.loss_accepted", loss=str(loss))
    blobs, stores = await accept_lost_blobs(admin), await note_stores(admin, accept=True)
    accepted = [str(one) for one in (loss, blobs, *stores) if one]
    for one in accepted[1 if loss else 0 :]:
        _log.warning("store.loss_accepted", loss=one)
    return "; ".join(accepted) or "nothing is missing"


async def watch(admin: NatsConnection, folder: Path) -> None:
    """For ever: read the log once and say what it lost that the server doesn't know, and what is lost beside
    it; then keep in `folder` how far the log
    goes, for a start that finds none, and in NATS what the stores beside it hold."""
    try:
        loss = await loss_by_reading(admin)
        if loss:
            _log.error("log.damaged", loss=str(loss), to_do=_ASK)
        for lost in await lost_of_stores(admin):
            _log.error("store.damaged", loss=str(lost), to_do=lost.to_do)
        await _look_at_blobs(admin)
    except Failure as failure:
        _log.warning("log.not_checked", reason=failure.message)
    interruption = Interruption("log_remembered")
    while True:
        with interruption.tried(Failure, OSError):
            await remember(admin, folder)
        await asyncio.sleep(_LOOK_S)


async def _look_at_blobs(admin: NatsConnection) -> None:
    size = await bytes_of_blobs(admin)
    if size > _MOST_READ:
        _log.info("blobs.not_read", bytes=size, to_do="foldline doctor reads them")
    elif lost := await lost_blobs(admin):
        _log.error("blobs.lost", loss=str(lost), to_do=_ASK)


async def remember(admin: NatsConnection, folder: Path) -> None:
    """Keep in `folder` how far the log goes, and in NATS what the stores beside it hold. Raises `Failure`
    and `OSError`."""
    await note_stores(admin)
    last = await JetStreamLog(admin).last_sequence()
    if last != _read(folder):
        draft = folder / f"{_NAME}.draft"
        draft.write_bytes(msgspec.json.encode(_Remembered(last)))
        draft.replace(folder / _NAME)


def _read(folder: Path) -> int:
    try:
        return msgspec.json.decode((folder / _NAME).read_bytes(), type=_Remembered).last
    except FileNotFoundError:
        return 0
    except msgspec.DecodeError as error:
        _log.warning("log.unreadable_memory", file=str(folder / _NAME), error=str(error))
        return 0
