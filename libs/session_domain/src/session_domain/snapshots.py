"""Snapshots: folds kept in a key-value bucket, so that a cold session is one of them and the events since."""

import asyncio
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import msgspec
import structlog
from cachetools import LRUCache

from agent_contracts.errors import Conflict, Failure
from agent_contracts.ids import SessionId
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_platform.log.bucket import Bucket
from agent_platform.log.port import Log
from session_domain.domain.fold.evolve import FOLD_VERSION
from session_domain.domain.messages import SessionMessage
from session_domain.domain.state import SessionState
from session_domain.sessions import SNAPSHOT_EVERY, WARM_SESSIONS
from session_domain.snapshot_pieces import (
    TOGETHER,
    SnapshotHead,
    SnapshotPiece,
    fold_before,
    forget,
    in_pieces,
    joined,
    read_head,
)

Wanted = TypeVar("Wanted", SessionState, SessionState | None)

REMEMBERED = 10_000
"""For how many sessions one process knows how far they were saved."""
DELETED_S = 60.0
"""For how long the bucket says that a piece was deleted."""

_UNUSABLE = (Failure, zlib.error, msgspec.MsgspecError, ValueError)

log = structlog.get_logger()


class _BucketState(msgspec.Struct, frozen=True):
    """What the bucket holds of a session: the head's revision (0: none), the pieces that it names and their
    messages, and the keys of other pieces, which nobody needs."""

    revision: int = 0
    pieces: tuple[SnapshotPiece, ...] = ()
    history: tuple[SessionMessage, ...] = ()
    stray: tuple[str, ...] = ()


class _StoredSnapshot(msgspec.Struct, frozen=True):
    """What is in the bucket now: the head's revision (0: none) and bytes, the pieces' bytes by name."""

    revision: int
    head: bytes
    pieces: Mapping[str, bytes]


class KeptSnapshots:
    """The snapshots of all sessions, by session and fold version, each in pieces (`snapshot_pieces`).

    They only save time. One that is damaged, lacks a piece, was made by another version, or is of events that
    the log doesn't hold (it was restored, or the session purged) is ignored, and so is one that can't be read
    or written now. Of two that save the same session at once, one does.
    """

    def __init__(self, bucket: Bucket, events: Log) -> None:
        self._bucket = bucket
        self._log = events
        self._saved: LRUCache[SessionId, int] = LRUCache(REMEMBERED)
        self._kept: LRUCache[SessionId, _BucketState] = LRUCache(WARM_SESSIONS)
        self._offered: dict[SessionId, SessionState] = {}
        self._any_offered = asyncio.Event()

    async def load(self, session: SessionKey) -> SessionState | None:
        """The newest fold that was saved of a session, if it can be trusted."""
        try:
            state = await self._read(session)
        except _UNUSABLE as error:
            log.warning("snapshot.unusable", session_id=session.session_id, error=str(error))
            return None
        if state is not None:
            self._saved[session.session_id] = state.position
        return state

    async def before(self, session: SessionKey, sequence: int) -> SessionState | None:
        """The furthest fold that was saved of a session and is not past `sequence`, if it can be trusted."""
        try:
            found = await self._find(session)
            saved = await self._trusted(session, found, partial(fold_before, sequence=sequence))
        except _UNUSABLE as error:
            log.warning("snapshot.unusable", session_id=session.session_id, error=str(error))
            return None
        return saved[1] if saved is not None else None

    def offer(self, state: SessionState) -> None:
        """Have the session saved soon, if it is time. Never blocks; `run` does the work."""
        if state.position - self._saved.get(state.session_id, 0) >= SNAPSHOT_EVERY:
            self._offered[state.session_id] = state
            self._any_offered.set()

    def forget(self, session_id: SessionId) -> None:
        """Don't save a session that was erased."""
        self._offered.pop(session_id, None)
        self._saved.pop(session_id, None)
        self._kept.pop(session_id, None)
        forget(session_id)

    async def run(self) -> None:
        """Save what is offered, one session after another, until cancelled."""
        while True:
            await self._any_offered.wait()
            self._any_offered.clear()
            while self._offered:
                _, state = self._offered.popitem()
                try:
                    await self.save(state)
                except Conflict:
                    log.info("snapshot.overtaken", session_id=state.session_id)
                except Failure as error:
                    log.warning("snapshot.not_saved", session_id=state.session_id, error=error.message)
                except Exception:  # a bug: snapshots only save time, and an engine would end with this
                    log.exception("snapshot.bug", session_id=state.session_id)

    async def save(self, state: SessionState) -> None:
        """Save a fold: what the bucket doesn't hold yet. Raises `Rejected` if a part of it is too large,
        `Transient` if it can't be written now, `Conflict` if another process saves the session too."""
        # Where it can't be saved it is offered again, but not at once.
        self._saved[state.session_id] = state.position
        newest = await self._log.get(state.last_sequence)
        if newest is None:
            return  # purged meanwhile
        if state.session_id not in self._kept:
            await self.load(state.key)
            self._saved[state.session_id] = state.position
        kept = self._kept.pop(state.session_id, None) or _BucketState()
        small = await self._small(state.session_id, kept)
        now = await asyncio.to_thread(in_pieces, state, newest.event_id, kept.pieces, kept.history, small)
        head = snapshot_key(state.session_id)
        for name, data in now.new.items():
            await self._bucket.put(f"{head}.{name}", data)
        revision = await self._bucket.put(head, now.head, expect=kept.revision)
        named = {f"{head}.{piece.name}" for piece in now.pieces}
        before = (*kept.stray, *(f"{head}.{piece.name}" for piece in kept.pieces))
        await self._delete([key for key in before if key not in named])
        if await self._log.get(state.last_sequence) is None:  # erased meanwhile, and what was saved with it
            await self._delete([*named, head])
            return
        messages = sum(piece.count for piece in now.pieces)
        self._kept[state.session_id] = _BucketState(revision, now.pieces, tuple(state.history[:messages]))

    async def _small(self, session_id: SessionId, kept: _BucketState) -> Mapping[str, bytes]:
        """The small pieces' bytes, if with one more they become a large one."""
        names = [piece.name for piece in kept.pieces if not piece.large]
        if len(names) < TOGETHER - 1:
            return {}
        key = snapshot_key(session_id)
        found = await asyncio.gather(*(self._bucket.get(f"{key}.{name}") for name in names))
        return {name: one.value for name, one in zip(names, found, strict=True) if one is not None}

    async def _read(self, session: SessionKey) -> SessionState | None:
        found = await self._find(session)
        key = snapshot_key(session.session_id)
        # Whatever is wrong with it: it is known what is there, to be replaced.
        stray = tuple(f"{key}.{name}" for name in found.pieces)
        self._kept[session.session_id] = _BucketState(found.revision, stray=stray)
        saved = await self._trusted(session, found, joined)
        if saved is None:
            return None
        head, state = saved
        named = {piece.name for piece in head.pieces}
        self._kept[session.session_id] = _BucketState(
            found.revision,
            head.pieces,
            tuple(state.history[: len(state.history) - len(head.newest)]),
            tuple(f"{key}.{name}" for name in found.pieces if name not in named),
        )
        return state

    async def _find(self, session: SessionKey) -> _StoredSnapshot:
        key = snapshot_key(session.session_id)
        found = dict(await self._bucket.below(key))
        head = found.pop(key, None)
        pieces = {name.removeprefix(f"{key}."): entry.value for name, entry in found.items()}
        return _StoredSnapshot(head.revision if head else 0, head.value if head else b"", pieces)

    async def _trusted(
        self,
        session: SessionKey,
        found: _StoredSnapshot,
        wanted: Callable[[SnapshotHead, Mapping[str, bytes]], Wanted],
    ) -> tuple[SnapshotHead, Wanted] | None:
        """The head, and what is `wanted` of what was saved; None where there is none, or of another log."""
        if not found.head:
            return None
        head = await asyncio.to_thread(read_head, found.head)
        state, newest = await asyncio.gather(
            asyncio.to_thread(wanted, head, found.pieces), self._log.get(head.state.last_sequence)
        )
        if head.state.session_id != session.session_id or not _is_event(newest, session, head.event_id):
            log.warning(
                "snapshot.not_of_this_log", session_id=session.session_id, sequence=head.state.last_sequence
            )
            return None
        return head, state

    async def _delete(self, keys: list[str]) -> None:
        for key in keys:
            await self._bucket.delete(key, ttl_s=DELETED_S)


def snapshot_key(session_id: SessionId) -> str:
    """Where a session's snapshot lives: other versions of the fold have theirs elsewhere."""
    return f"{session_id}.{FOLD_VERSION}"


def _is_event(message: StoredMessage | None, session: SessionKey, event_id: str) -> bool:
    if message is None or message.event_id != event_id:
        return False
    return message.subject.startswith(session.prefix + ".")
