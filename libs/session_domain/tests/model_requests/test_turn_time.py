"""What the model is told of the time: when the turn began, by the clocks of the agent's zone."""

import pytest

from agent_contracts.errors import LogCorrupt
from session_domain.model_requests.request import turn_time
from session_domain.testing.story import says, story

BEGAN = [
    ("UTC", "2026-01-31T15:30:00.000Z", "2026-01-31T15:30:00+00:00"),
    ("Asia/Tokyo", "2026-01-31T15:30:00.000Z", "2026-02-01T00:30:00+09:00"),
    ("America/Los_Angeles", "2026-02-01T07:30:00.000Z", "2026-01-31T23:30:00-08:00"),
    ("Asia/Kathmandu", "2026-01-31T18:30:00.000Z", "2026-02-01T00:15:00+05:45"),
    ("Europe/Oslo", "2026-03-29T00:59:00.000Z", "2026-03-29T01:59:00+01:00"),
    ("Europe/Oslo", "2026-03-29T01:00:00.000Z", "2026-03-29T03:00:00+02:00"),
    ("Europe/Oslo", "2026-10-25T00:30:00.000Z", "2026-10-25T02:30:00+02:00"),
    ("Europe/Oslo", "2026-10-25T01:30:00.000Z", "2026-10-25T02:30:00+01:00"),
    ("Australia/Sydney", "2026-10-03T16:00:00.000Z", "2026-10-04T03:00:00+11:00"),
]


@pytest.mark.parametrize(("zone", "began", "told"), BEGAN)
def test_it_is_the_turns_beginning_in_the_agents_zone(zone: str, began: str, told: str) -> None:
    session = story()
    session.now = began
    session.given(says()).after(3600).given()
    assert turn_time(session.state, zone) == told


def test_outside_of_a_turn_there_is_none() -> None:
    with pytest.raises(LogCorrupt):
        turn_time(story().state, "UTC")
