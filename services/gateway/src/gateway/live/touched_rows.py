"""The rows that some events touched, as Postgres has them: which may be later than these events."""

from collections.abc import Collection, Sequence
from contextlib import suppress

from agent_contracts.api.events import RowChange
from agent_contracts.log.address import Address
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_contracts.session_events.decisions import InputRefused
from agent_contracts.session_events.inputs import Feedback
from gateway.live.event_view import session_of
from gateway.live.row_views import ChangedRows, found_call, found_message, found_session
from gateway.queries import calls, sessions
from gateway.queries.database import ProjectionSnapshot, Row
from gateway.queries.stored_rows import touched_calls, touched_messages
from projections.project.message_rows import rated_place
from projections.project.unprojectable import Unprojectable
from projections.segments import hidden_by


async def touched(
    snapshot: ProjectionSnapshot, events: Sequence[StoredMessage], watched: Collection[str]
) -> dict[str, ChangedRows]:
    """By session: its row, and the messages and calls that its events touched, if it is watched.

    A session's row that is newer than the last of these events comes with a later one: it would say that a
    turn is over before anybody was told what was answered.
    """
    of_sessions = [(one, message) for message in events if (one := session_of(message.subject))]
    found = await sessions.several(snapshot, list(dict.fromkeys(one for one, _ in of_sessions)))
    newest = {one: message for one, message in of_sessions}
    own = {
        row["session_id"]: found_session(row) if _is_newest(newest[row["session_id"]], row) else None
        for row in found
    }
    others: dict[str, list[RowChange]] = {one: [] for one in own}
    segments = {row["session_id"]: [tuple(part) for part in row["segments"]] for row in found}
    seen = [(one, message) for one, message in of_sessions if one in watched and one in own]
    if seen:
        names = list(dict.fromkeys(one for one, _ in seen))
        places = [place for _, message in seen for place in _places(message)]
        said = await touched_messages(snapshot, names, places)
        asked = await calls.of_messages(snapshot, names, [row["place"] for row in said])
        for row in said:
            owner, place = row["session_id"], row["place"]
            hidden = hidden_by(segments[owner], owner, (owner, place))
            others[owner].append(found_message(row, asked.get(place, []), hidden))
        named = [one for _, message in seen for one in _calls(message)]
        for row in await touched_calls(snapshot, names, places, named):
            others[row["session_id"]].append(found_call(row))
    return {one: ChangedRows(own[one], tuple(others[one])) for one in own}


def _is_newest(message: StoredMessage, session: Row) -> bool:
    """Whether a session has had nothing since this event of it."""
    last_part = message.part == message.parts - 1
    return last_part and message.sequence >= int(session["last_sequence"])


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
