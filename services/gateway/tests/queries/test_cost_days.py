"""What calls cost, by the days of any zone: those far from UTC, and those where the clocks change."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from gateway.queries.costs import beginnings

TOKYO, LOS_ANGELES, KATHMANDU = "Asia/Tokyo", "America/Los_Angeles", "Asia/Kathmandu"
TABLE = [
    # zone, now, today there, when that began, how many hours it has
    (TOKYO, "2026-01-31T14:59", "2026-01-31", "2026-01-30T15:00", 24),
    (TOKYO, "2026-01-31T15:00", "2026-02-01", "2026-01-31T15:00", 24),
    (LOS_ANGELES, "2026-02-01T07:59", "2026-01-31", "2026-01-31T08:00", 24),
    (LOS_ANGELES, "2026-02-01T08:00", "2026-02-01", "2026-02-01T08:00", 24),
    (KATHMANDU, "2026-01-31T18:14", "2026-01-31", "2026-01-30T18:15", 24),
    (KATHMANDU, "2026-01-31T18:15", "2026-02-01", "2026-01-31T18:15", 24),
    ("Europe/Oslo", "2026-03-29T12:00", "2026-03-29", "2026-03-28T23:00", 23),
    ("Europe/Oslo", "2026-10-25T12:00", "2026-10-25", "2026-10-24T22:00", 25),
    (LOS_ANGELES, "2026-03-08T12:00", "2026-03-08", "2026-03-08T08:00", 23),
    ("Australia/Sydney", "2026-10-03T15:00", "2026-10-04", "2026-10-03T14:00", 23),
    ("Australia/Sydney", "2026-04-05T12:00", "2026-04-05", "2026-04-04T13:00", 25),
    ("America/Santiago", "2026-09-06T12:00", "2026-09-06", "2026-09-06T04:00", 23),  # without a midnight
]


@pytest.mark.parametrize(("zone", "now", "today", "began", "hours"), TABLE)
def test_a_day_begins_at_midnight_in_its_zone_and_ends_with_the_next(
    zone: str, now: str, today: str, began: str, hours: int
) -> None:
    found = list(beginnings(datetime.fromisoformat(now).replace(tzinfo=UTC), 3, ZoneInfo(zone)).items())
    assert [day.toordinal() for day, _ in found] == [
        date.fromisoformat(today).toordinal() + n for n in (-2, -1, 0, 1)
    ]
    assert found[2][1] == datetime.fromisoformat(began).replace(tzinfo=UTC)
    assert (found[3][1] - found[2][1]).total_seconds() == hours * 3600
