"""The rows that some events touched, as Postgres has them: which may be later than these events."""

from collections.abc import Collection, Sequence
from contextlib import suppress

from agent_contracts.log.address import Address
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_contracts.session_events.decisions import InputRefused
from agent_contracts.session_events.inputs import Feedback
from gateway.live.event_view import session_of
from gateway.live.row_views import RowChange, found_call, found_message, found_session
from gateway.queries import calls, sessions
from gateway.queries.database import ProjectionSnapshot
from gateway.queries.stored_rows import touched_calls, touched_messages
from projections.project.message_rows import rated_place
from projections.project.unprojectable import Unprojectable
from projections.segments import hidden_by


async def touched(
    snapshot: ProjectionSnapshot, events: Sequence[StoredMessage], watched: Collection[str]
) -> dict[str, tuple[RowChange, ...]]:
    """By session: its row, and the messages and calls that its events touched, if it is watched."""
    of_sessions = [(one, message) for message in events if (one := session_of(message.subject))]
    found = await sessions.several(snapshot, list(dict.fromkeys(one for one, _ in of_sessions)))
    rows = {row["session_id"]: [found_session(row)] for row in found}
    segments = {row["session_id"]: [tuple(part) for part in row["segments"]] for row in found}
    seen = [(one, message) for one, message in of_sessions if one in watched and one in rows]
    if not seen:
        return {one: tuple(changes) for one, changes in rows.items()}
    names = list(dict.fromkeys(one for one, _ in seen))
    places = [place for _, message in seen for place in _places(message)]
    said = await touched_messages(snapshot, names, places)
    asked = await calls.of_messages(snapshot, names, [row["place"] for row in said])
    for row in said:
        owner, place = row["session_id"], row["place"]
        hidden = hidden_by(segments[owner], owner, (owner, place))
        rows[owner].append(found_message(row, asked.get(place, []), hidden))
    for row in await touched_calls(snapshot, names, places, [one for _, m in seen for one in _calls(m)]):
        rows[row["session_id"]].append(found_call(row))
    return {one: tuple(changes) for one, changes in rows.items()}


def _places(message: StoredMessage) -> list[int]:
    """Of the event, and of the message that it says something of."""
    found = event_of(message)
    places = [message.address.place]
    match found.event if found is not None else None:
        case Feedback() as feedback:
            with suppress(Unprojectable):
                places.append(rated_place(feedback))
        case InputRefused(input=sequence):
            places.append(Address(sequence).place)
    return places


def _calls(message: StoredMessage) -> list[str]:
    found = event_of(message)
    call_id = getattr(found.event, "call_id", None) if found is not None else None
    return [] if call_id is None else [call_id]
