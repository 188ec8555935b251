"""When reminders that come again come next: by the clocks of their zone, months of their length, windows."""

from datetime import datetime

import pytest

from agent_contracts.entities.schedules import Recurrence
from agent_domain.schedules.recurring import next_again
from agent_platform.process.clock import rfc3339

OSLO = "Europe/Oslo"
CASES = [
    (Recurrence("day", clock="08:30"), "2026-01-31T08:29:00Z", "2026-01-31T08:30:00Z"),
    (Recurrence("day", clock="08:30"), "2026-01-31T08:30:00Z", "2026-02-01T08:30:00Z"),
    (Recurrence("day", OSLO, "08:30"), "2026-03-28T07:30:00Z", "2026-03-29T06:30:00Z"),
    (Recurrence("day", OSLO, "02:30"), "2026-03-28T20:00:00Z", "2026-03-29T01:00:00Z"),
    (Recurrence("day", OSLO, "02:30"), "2026-10-24T20:00:00Z", "2026-10-25T00:30:00Z"),
    # far from UTC, where the local date is another one
    (Recurrence("day", "Asia/Tokyo", "00:30"), "2026-01-31T15:29:00Z", "2026-01-31T15:30:00Z"),
    (Recurrence("week", "Asia/Tokyo", "00:30", day=6), "2026-01-31T12:00:00Z", "2026-01-31T15:30:00Z"),
    (Recurrence("month", "Asia/Tokyo", "00:30", day=1), "2026-01-31T12:00:00Z", "2026-01-31T15:30:00Z"),
    (Recurrence("day", "America/Los_Angeles", "23:30"), "2026-02-01T07:29:00Z", "2026-02-01T07:30:00Z"),
    (
        Recurrence("month", "America/Los_Angeles", "23:30", day=31),
        "2026-02-01T07:00:00Z",
        "2026-02-01T07:30:00Z",
    ),
    (Recurrence("day", "Asia/Kathmandu", "00:15"), "2026-01-31T18:29:00Z", "2026-01-31T18:30:00Z"),
    (Recurrence("day", "America/Los_Angeles", "02:30"), "2026-03-08T05:00:00Z", "2026-03-08T10:00:00Z"),
    (Recurrence("day", "America/Los_Angeles", "01:30"), "2026-11-01T05:00:00Z", "2026-11-01T08:30:00Z"),
    (
        Recurrence("interval", "Asia/Tokyo", seconds=3600, window=("22:00", "02:00")),
        "2026-01-31T16:30:00Z",
        "2026-02-01T13:00:00Z",
    ),
    # where the clocks change in a window, it is open from its first moment to its last
    (
        Recurrence("interval", OSLO, seconds=2700, window=("02:45", "05:00")),
        "2026-10-25T00:45:00Z",
        "2026-10-25T01:30:00Z",
    ),
    (
        Recurrence("interval", OSLO, seconds=1800, window=("02:30", "05:00")),
        "2026-03-29T00:29:00Z",
        "2026-03-29T01:00:00Z",
    ),
    (
        Recurrence("interval", "America/Los_Angeles", seconds=1800, window=("22:00", "01:30")),
        "2026-11-01T08:10:00Z",
        "2026-11-02T06:00:00Z",
    ),
    (
        Recurrence("interval", "Asia/Kathmandu", seconds=600, window=("23:00", "01:00")),
        "2026-01-31T19:00:00Z",
        "2026-01-31T19:10:00Z",
    ),
    (Recurrence("day", "Australia/Sydney", "02:30"), "2026-10-03T12:00:00Z", "2026-10-03T16:00:00Z"),
    (Recurrence("day", "Australia/Sydney", "02:30"), "2026-04-04T12:00:00Z", "2026-04-04T15:30:00Z"),
    (Recurrence("week", clock="09:00", day=4), "2026-01-31T12:00:00Z", "2026-02-06T09:00:00Z"),
    (Recurrence("month", clock="09:00", day=31), "2026-01-31T09:00:00Z", "2026-02-28T09:00:00Z"),
    (Recurrence("month", clock="09:00", day=31), "2026-02-28T09:00:00Z", "2026-03-31T09:00:00Z"),
    (Recurrence("month", clock="09:00", day=30), "2028-01-31T09:00:00Z", "2028-02-29T09:00:00Z"),
    (Recurrence("interval", seconds=90), "2026-01-31T09:00:00Z", "2026-01-31T09:01:30Z"),
    (
        Recurrence("interval", seconds=3600, window=("09:00", "17:00")),
        "2026-01-31T16:00:00Z",
        "2026-01-31T17:00:00Z",
    ),
    (
        Recurrence("interval", seconds=3600, window=("09:00", "17:00")),
        "2026-01-31T16:30:00Z",
        "2026-02-01T09:00:00Z",
    ),
    (
        Recurrence("interval", seconds=60, window=("09:00", "17:00")),
        "2026-01-31T04:00:00Z",
        "2026-01-31T09:00:00Z",
    ),
    (
        Recurrence("interval", seconds=60, window=("22:00", "06:00")),
        "2026-01-31T23:00:00Z",
        "2026-01-31T23:01:00Z",
    ),
    (
        Recurrence("interval", seconds=60, window=("22:00", "06:00")),
        "2026-01-31T06:00:00Z",
        "2026-01-31T22:00:00Z",
    ),
]


@pytest.mark.parametrize(("again", "after", "then"), CASES)
def test_it_comes_next(again: Recurrence, after: str, then: str) -> None:
    found = next_again(again, datetime.fromisoformat(after))
    assert datetime.fromisoformat(rfc3339(found)) == datetime.fromisoformat(then)
