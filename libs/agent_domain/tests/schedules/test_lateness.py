"""What comes late says when it was due, by the clocks of its zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from agent_domain.schedules.lateness import ON_TIME, is_ahead, lateness

SAID = [
    ("Asia/Tokyo", "2026-01-31T15:30", "Sunday, 1 February 2026 at 00:30 (Asia/Tokyo)"),
    ("America/Los_Angeles", "2026-02-01T07:30", "Saturday, 31 January 2026 at 23:30 (America/Los_Angeles)"),
    ("Asia/Kathmandu", "2026-01-31T18:30", "Sunday, 1 February 2026 at 00:15 (Asia/Kathmandu)"),
    ("Europe/Oslo", "2026-03-29T00:59", "Sunday, 29 March 2026 at 01:59 (Europe/Oslo)"),
    ("Europe/Oslo", "2026-03-29T01:00", "Sunday, 29 March 2026 at 03:00 (Europe/Oslo)"),
    ("Australia/Sydney", "2026-04-04T15:30", "Sunday, 5 April 2026 at 02:30 (Australia/Sydney)"),
]


@pytest.mark.parametrize(("zone", "due", "said"), SAID)
def test_it_says_the_day_and_the_time_there(zone: str, due: str, said: str) -> None:
    moment = datetime.fromisoformat(due).replace(tzinfo=UTC)
    found = lateness(moment, moment + timedelta(hours=3), ZoneInfo(zone))
    assert found == f"Late: this was due on {said}, 3 hours ago."


@pytest.mark.parametrize(
    ("late", "ago"),
    [
        (timedelta(seconds=61), "1 minute"),
        (timedelta(minutes=119), "119 minutes"),
        (timedelta(hours=2), "2 hours"),
        (timedelta(hours=47, minutes=59), "47 hours"),
        (timedelta(days=2), "2 days"),
        (timedelta(days=1500), "1,500 days"),
    ],
)
def test_it_says_how_long_ago_in_the_largest_unit_of_which_there_are_two(late: timedelta, ago: str) -> None:
    due = datetime(2026, 1, 31, tzinfo=UTC)
    found = lateness(due, due + late, ZoneInfo("UTC"))
    assert found is not None
    assert found.endswith(f", {ago} ago.")


def test_what_is_a_minute_late_is_on_time_and_what_is_a_minute_ahead_is_no_wrong_clocks() -> None:
    now = datetime(2026, 1, 31, tzinfo=UTC)
    assert lateness(now - ON_TIME, now, ZoneInfo("UTC")) is None
    assert not is_ahead(now + ON_TIME, now)
    assert is_ahead(now + ON_TIME + timedelta(seconds=1), now)
