"""Records that were read a moment ago: those who live in one process read each one once."""

import threading
from collections.abc import Sequence

from agent_contracts.ids import SessionId
from agent_platform.log.port import StoredMessage

REMEMBERED = 512
LARGEST = 16 * 1024
"""Bytes of a record's body; with their number they bound what is remembered."""


class ReadRecords:
    """The events of the newest records, by what each record says: the same bytes in the same place."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], tuple[StoredMessage, Sequence[StoredMessage]]] = {}
        self._changing = threading.Lock()

    def of(self, record: StoredMessage) -> Sequence[StoredMessage] | None:
        """Its events; None if they are not known (any more)."""
        found = self._known.get((record.sequence, record.subject))
        return found[1] if found is not None and found[0] == record else None

    def remember(self, record: StoredMessage, events: Sequence[StoredMessage]) -> None:
        """These are its events. The one that was remembered first is forgotten where there are too many."""
        if len(record.data) > LARGEST:
            return
        with self._changing:
            self._known[record.sequence, record.subject] = (record, events)
            if len(self._known) > REMEMBERED:
                del self._known[next(iter(self._known))]

    def forget(self, session_id: SessionId) -> None:
        """The session was erased: nothing of it stays here."""
        token = f".{session_id}."
        with self._changing:
            for place in [place for place in self._known if token in place[1]]:
                del self._known[place]
