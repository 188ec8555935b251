"""Pieces of snapshots that were decoded a moment ago: those who live in one process decode each one once, and
share its messages."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from cachetools import LRUCache

from agent_contracts.ids import SessionId

Decoded = TypeVar("Decoded")

MOST_BYTES = 16 * 2**20
"""Of their JSON together."""


class DecodedPieces(Generic[Decoded]):
    """What pieces hold, by session and name: that is the hash of the bytes, so it holds the same for ever."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._known: LRUCache[tuple[SessionId, str], tuple[Decoded, int]] = LRUCache(
            most_bytes, getsizeof=lambda known: known[1]
        )
        self._one_at_a_time = threading.Lock()

    def of(self, session_id: SessionId, name: str, decode: Callable[[], tuple[Decoded, int]]) -> Decoded:
        """What is in a piece; `decode` gives that and its size. Of two threads that need it one decodes."""
        with self._one_at_a_time:
            known = self._known.get((session_id, name))
            if known is None:
                known = decode()
                if known[1] <= self._known.maxsize:
                    self._known[session_id, name] = known
        return known[0]

    def forget(self, session_id: SessionId) -> None:
        """The session was erased: nothing of it stays here."""
        with self._one_at_a_time:
            for key in [key for key in self._known if key[0] == session_id]:
                del self._known[key]
