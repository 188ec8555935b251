"""What the model is told of a time, by the clocks of the agent's zone."""

import pytest

from session_domain.domain.shown.showing import TimeShown
from session_domain.model_requests.times import clock_in

MOMENTS = [
    ("UTC", "2026-01-31T15:30:00.000Z", "2026-01-31", "15:30"),
    ("Asia/Tokyo", "2026-01-31T15:30:00.000Z", "2026-02-01", "00:30"),
    ("America/Los_Angeles", "2026-02-01T07:30:00.000Z", "2026-01-31", "23:30"),
    ("Asia/Kathmandu", "2026-01-31T18:30:00.000Z", "2026-02-01", "00:15"),
    ("Europe/Oslo", "2026-03-29T00:59:00.000Z", "2026-03-29", "01:59"),
    ("Europe/Oslo", "2026-03-29T01:00:00.000Z", "2026-03-29", "03:00"),
    ("Europe/Oslo", "2026-10-25T00:30:00.000Z", "2026-10-25", "02:30"),
    ("Europe/Oslo", "2026-10-25T01:30:00.000Z", "2026-10-25", "02:30"),
    ("Australia/Sydney", "2026-10-03T16:00:00.000Z", "2026-10-04", "03:00"),
]


@pytest.mark.parametrize(("zone", "moment", "day", "minute"), MOMENTS)
def test_it_is_told_in_the_agents_zone(zone: str, moment: str, day: str, minute: str) -> None:
    told = clock_in(zone)
    assert told is not None
    assert told(moment) == TimeShown(day, minute, zone)
