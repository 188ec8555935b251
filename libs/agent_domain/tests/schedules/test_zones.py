"""A machine without a database of time zones has them too: the package tzdata is declared."""

import os
import subprocess
import sys

ASKS = """
import zoneinfo
from datetime import UTC, datetime
from itertools import islice
from agent_domain.schedules.cron import checked_cron, cron_times
from agent_domain.schedules.zones import checked_zone

assert zoneinfo.TZPATH == (), zoneinfo.TZPATH
for name in zoneinfo.available_timezones() - {"Factory"}:
    checked_zone(name)
for name in ("Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"):
    after = datetime(2026, 10, 3, 12, tzinfo=UTC)
    times = islice(cron_times(checked_cron("15 2 * * *"), checked_zone(name), after), 2)
    print(name, *(f"{moment:%dT%H:%M}" for moment in times))
"""


def test_zones_load_from_the_package_where_the_machine_has_none() -> None:
    came = subprocess.run(
        [sys.executable, "-c", ASKS],
        env={**os.environ, "PYTHONTZPATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert came.stderr == ""
    assert came.stdout.splitlines() == [
        "Europe/Oslo 04T00:15 05T00:15",
        "America/New_York 04T06:15 05T06:15",
        "Australia/Lord_Howe 03T15:30 04T15:15",
        "Asia/Kolkata 03T20:45 04T20:45",
        "UTC 04T02:15 05T02:15",
    ]
