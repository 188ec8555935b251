"""Snapshots: folds kept in a key-value bucket, so that a cold session is one of them and the events since."""

import asyncio
import zlib

import msgspec
import structlog
from cachetools import LRUCache
from pyrsistent import PVector, pvector

from agent_contracts.errors import Failure
from agent_contracts.ids import SessionId
from agent_contracts.session_key import SessionKey
from agent_platform.log.port import Log, StoredMessage
from agent_platform.nats.bucket import Bucket
from session_domain.domain.evolve import FOLD_VERSION
from session_domain.domain.state import EMPTY_HISTORY, Message, Session
from session_domain.sessions import SNAPSHOT_EVERY

REMEMBERED = 10_000
"""For how many sessions one process knows where they were saved last."""
_FAST = 1

log = structlog.get_logger()


class KeptSnapshots:
    """The snapshots of all sessions, by session and fold version.

    They only save time. One that is damaged, made by another version, or of events that the log doesn't hold
    (it was restored, or the session purged) is ignored, and so is one that can't be read or written now.
    """

    def __init__(self, bucket: Bucket, events: Log) -> None:
        self._bucket = bucket
        self._log = events
        self._saved: LRUCache[SessionId, int] = LRUCache(REMEMBERED)
        self._offered: dict[SessionId, Session] = {}
        self._any_offered = asyncio.Event()

    async def load(self, session: SessionKey) -> Session | None:
        """The newest fold that was saved of a session, if it can be trusted."""
        try:
            entry = await self._bucket.get(snapshot_key(session.session_id))
            if entry is None:
                return None
            state, event_id = await asyncio.to_thread(decode_snapshot, entry.value)
            newest = await self._log.get(state.last_sequence)
        except (Failure, zlib.error, msgspec.MsgspecError, ValueError) as error:
            log.warning("snapshot.unusable", session_id=session.session_id, error=str(error))
            return None
        if state.session_id != session.session_id or not _is_event(newest, session, event_id):
            log.warning(
                "snapshot.not_of_this_log", session_id=session.session_id, sequence=state.last_sequence
            )
            return None
        self._saved[state.session_id] = state.position
        return state

    def offer(self, state: Session) -> None:
        """Have the session saved soon, if it is time. Never blocks; `run` does the work."""
        if state.position - self._saved.get(state.session_id, 0) >= SNAPSHOT_EVERY:
            self._offered[state.session_id] = state
            self._any_offered.set()

    def forget(self, session_id: SessionId) -> None:
        """Don't save a session that was erased."""
        self._offered.pop(session_id, None)
        self._saved.pop(session_id, None)

    async def run(self) -> None:
        """Save what is offered, one session after another, until cancelled."""
        while True:
            await self._any_offered.wait()
            self._any_offered.clear()
            while self._offered:
                _, state = self._offered.popitem()
                try:
                    await self.save(state)
                except Failure as error:
                    log.warning("snapshot.not_saved", session_id=state.session_id, error=error.message)

    async def save(self, state: Session) -> None:
        """Save a fold. Raises `Rejected` if it is too large, `Transient` if it can't be written now."""
        # Where it can't be saved it is offered again, but not at once.
        self._saved[state.session_id] = state.position
        newest = await self._log.get(state.last_sequence)
        if newest is None:
            return  # purged meanwhile
        data = await asyncio.to_thread(encode_snapshot, state, newest.event_id)
        await self._bucket.put(snapshot_key(state.session_id), data)


class _Snapshot(msgspec.Struct, frozen=True):
    """`event_id` is that of the newest event that was folded. The history is kept apart, for its type."""

    event_id: str
    state: Session
    history: list[Message]


def snapshot_key(session_id: SessionId) -> str:
    """Where a session's snapshot lives: other versions of the fold have theirs elsewhere."""
    return f"{session_id}.{FOLD_VERSION}"


def encode_snapshot(state: Session, event_id: str) -> bytes:
    """A fold as compressed JSON; `event_id` is that of its newest event."""
    bare = msgspec.structs.replace(state, history=EMPTY_HISTORY)
    return zlib.compress(_encoder.encode(_Snapshot(event_id, bare, list(state.history))), _FAST)


def decode_snapshot(data: bytes) -> tuple[Session, str]:
    """The fold, and the id of its newest event. Raises `zlib.error` or `msgspec.DecodeError`."""
    snapshot = _decoder.decode(zlib.decompress(data))
    return msgspec.structs.replace(snapshot.state, history=pvector(snapshot.history)), snapshot.event_id


def _is_event(message: StoredMessage | None, session: SessionKey, event_id: str) -> bool:
    if message is None or message.event_id != event_id:
        return False
    return message.subject.startswith(session.prefix + ".")


def _as_json(value: object) -> object:
    if isinstance(value, PVector):
        return list(value)
    raise NotImplementedError(f"can't be saved: {type(value).__name__}")


def _from_json(kind: type, value: object) -> object:
    if value == []:
        return EMPTY_HISTORY
    raise NotImplementedError(f"can't be read back: {kind}")


_encoder = msgspec.json.Encoder(enc_hook=_as_json)
_decoder = msgspec.json.Decoder(_Snapshot, dec_hook=_from_json)
