"""What the tables lack of one session, laid over what they have: rows that its newest events leave."""

from collections.abc import Mapping

import msgspec

from gateway.queries.database import Row
from projections.session_tables import OPEN_CALLS
from projections.table import Key


class UnprojectedRows(msgspec.Struct, frozen=True):
    """The newest rows of one session, as queries find them; they count in place of those of the tables."""

    session: Row | None = None
    """None: the tables have the newest."""
    messages: Mapping[int, Row] = {}
    """By place."""
    calls: Mapping[Key, Row] = {}
    """By the ids of session and call."""
    up_to: int = 0
    """The record of the log up to which they are."""

    def over_messages(self, found: list[Row], below: int, limit: int) -> list[Row]:
        """The newest `limit` messages below a place, newest first, where the tables have `found` of them."""
        newer = [row for place, row in self.messages.items() if place < below]
        older = [row for row in found if row["place"] not in self.messages]
        return sorted([*newer, *older], key=lambda row: row["place"], reverse=True)[:limit]

    def over_calls(self, found: list[Row]) -> list[Row]:
        """These calls and all newer ones, in the order in which they were asked for."""
        if not self.calls:
            return found
        older = [row for row in found if (row["session_id"], row["call_id"]) not in self.calls]
        return sorted([*older, *self.calls.values()], key=_asked)

    def over_open_calls(self, session_id: str, found: list[Row]) -> list[Row]:
        """The session's calls that have no ending, where the tables have `found` of them."""
        every = self.over_calls(found)
        return [row for row in every if row["session_id"] == session_id and row["status"] in OPEN_CALLS]


NOTHING_NEWER = UnprojectedRows()
"""The tables have everything."""


def _asked(row: Row) -> tuple[bool, int, int]:
    place = row["message_place"]
    return place is None, place or 0, row["position"]
