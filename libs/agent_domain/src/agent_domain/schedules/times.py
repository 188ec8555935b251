"""Points in time as people and models write them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.schedules.zones import instant

LATEST_YEAR = 2199
"""NATS counts time in nanoseconds, which end in 2262."""
_DATE_ONLY = 10
"""Characters that a date has; a shorter text has no time of day either."""


def parse_time(text: str, zone: ZoneInfo, path: str = "/at") -> datetime:
    """The time that an ISO 8601 text names, in UTC, to the second; in `zone` if it names no offset itself.

    A naive time that the zone's clocks jump over is the first moment after the gap; one that comes twice is
    its first. `Rejected(kind="invalid_arguments")` for what names no time.
    """
    given = text.strip()
    try:
        parsed = datetime.fromisoformat(given).replace(microsecond=0)
        if len(given) <= _DATE_ONLY:
            raise ValueError("it has no time of day")
        moment = instant(parsed, zone) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Rejected(
            f"{text[:80]!r} is not a time: write a date and a time of day, such as 2026-03-29T08:30 "
            f"(in {zone.key}) or 2026-03-29T08:30:00Z",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path=path,
        ) from error
    if moment.year > LATEST_YEAR:
        raise Rejected(
            f"{text[:80]!r} is too far away: the year may be {LATEST_YEAR} at most",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path=path,
        )
    return moment
