"""Waypoints: a look at the past folds few events, however long the session is."""

import msgspec

from agent_contracts.ids import SessionId
from session_domain.domain.state import SessionState
from session_domain.waypoints import NEAR, NEAR_APART, PER_SESSION, Waypoints

EVENTS = 30_000
START = SessionState(SessionId("s_long"))


def look(waypoints: Waypoints, sequence: int) -> int:
    """As `Sessions.at` does it; the number of events that it folds."""
    known = waypoints.nearest(START.key, sequence)
    begun = known.position if known is not None else 0
    for position in range(begun + 1, sequence + 1):
        waypoints.passed(msgspec.structs.replace(START, position=position, last_sequence=position))
    return sequence - begun


def test_who_goes_on_from_event_to_event_waits_no_longer_in_a_long_session() -> None:
    waypoints = Waypoints()
    assert look(waypoints, EVENTS) == EVENTS
    back = [look(waypoints, EVENTS - step) for step in range(1, 1_001)]
    assert sum(back) / len(back) < NEAR_APART
    assert sorted(back)[-3] < NEAR_APART, "now and then a stretch is folded again"
    forth = [look(waypoints, EVENTS - 1_000 + step) for step in range(1, 1_001)]
    assert sum(forth) / len(forth) < NEAR_APART


def test_a_jump_folds_a_stretch_and_what_is_kept_is_bounded() -> None:
    waypoints = Waypoints()
    look(waypoints, EVENTS)
    jumps = [look(waypoints, place) for place in range(100, EVENTS, 777)]
    assert max(jumps) <= 2 * EVENTS / PER_SESSION
    [of_session] = waypoints._kept.values()
    assert len(of_session._at) <= PER_SESSION
    assert len(of_session._near) <= NEAR
