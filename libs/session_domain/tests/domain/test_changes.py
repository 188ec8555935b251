"""What the fold may change has the types of what it changes."""

from typing import get_type_hints

from session_domain.domain.changes import SessionChanges
from session_domain.domain.state import SessionState

_EVERY_EVENT_MOVES = {"position", "last_sequence", "rest_sequence", "status"}
_ONLY_THE_PAST_GIVES = {"session_id", "forked_from"}


def test_changes_are_the_fields_of_a_session_with_their_types() -> None:
    fields = get_type_hints(SessionState)
    assert get_type_hints(SessionChanges) == {
        name: kind
        for name, kind in fields.items()
        if name not in _EVERY_EVENT_MOVES and name not in _ONLY_THE_PAST_GIVES
    }
