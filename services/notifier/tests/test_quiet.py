"""Quiet hours in zones far from UTC, over midnight, and where summer time begins and ends."""

from datetime import datetime

import pytest

from agent_contracts.entities.notifications import QuietHours
from notifier.desk.quiet import quiet_until

TOKYO, LOS_ANGELES, KATHMANDU, OSLO = "Asia/Tokyo", "America/Los_Angeles", "Asia/Kathmandu", "Europe/Oslo"
TABLE = [
    # +9: the local date is a day ahead of UTC's from 15:00 on
    (TOKYO, "22:00", "07:00", "2026-01-31T13:00:00Z", "2026-01-31T22:00:00Z"),
    (TOKYO, "22:00", "07:00", "2026-01-31T21:59:00Z", "2026-01-31T22:00:00Z"),
    (TOKYO, "22:00", "07:00", "2026-01-31T22:00:00Z", None),
    (TOKYO, "00:30", "06:00", "2026-01-31T15:30:00Z", "2026-01-31T21:00:00Z"),
    (TOKYO, "00:30", "06:00", "2026-01-31T15:29:00Z", None),
    # -8: the local date is a day behind UTC's until 08:00
    (LOS_ANGELES, "22:00", "07:00", "2026-02-01T06:00:00Z", "2026-02-01T15:00:00Z"),
    (LOS_ANGELES, "22:00", "07:00", "2026-02-01T05:59:00Z", None),
    (LOS_ANGELES, "18:00", "23:30", "2026-02-01T07:29:00Z", "2026-02-01T07:30:00Z"),
    (LOS_ANGELES, "18:00", "23:30", "2026-02-01T07:30:00Z", None),
    # +5:45
    (KATHMANDU, "22:00", "07:00", "2026-01-31T16:15:00Z", "2026-02-01T01:15:00Z"),
    (KATHMANDU, "22:00", "07:00", "2026-01-31T16:14:00Z", None),
    # summer time begins: the night is an hour shorter
    (OSLO, "22:00", "07:00", "2026-03-28T21:00:00Z", "2026-03-29T05:00:00Z"),
    (LOS_ANGELES, "22:00", "07:00", "2026-03-08T06:00:00Z", "2026-03-08T14:00:00Z"),
    # it ends: the night is an hour longer
    (OSLO, "22:00", "07:00", "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"),
    (LOS_ANGELES, "22:00", "07:00", "2026-11-01T05:00:00Z", "2026-11-01T15:00:00Z"),
]


@pytest.mark.parametrize(("zone", "begins", "ends", "now", "until"), TABLE)
def test_quiet_hours_are_those_of_their_zone(
    zone: str, begins: str, ends: str, now: str, until: str | None
) -> None:
    found = quiet_until(QuietHours(begins, ends, zone), datetime.fromisoformat(now))
    assert found == (None if until is None else datetime.fromisoformat(until))
