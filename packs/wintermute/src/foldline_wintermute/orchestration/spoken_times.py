"""Times as people say them, in English: `tomorrow at 9`."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.schedules.zones import instant

_LONGEST = 100
_AT_HOUR = re.compile(r"\bat (\d{1,2})$", re.IGNORECASE)
"""`dateparser` would drop this hour without a word, and take that of now."""
_NUMERIC_DATE = re.compile(r"\d[/.-]\d")
"""5/6 is in May or in June."""
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_EACH = re.compile(
    r"(?:(?:every|each|on)\s+)?(?:(?P<day>day|daily)"
    r"|(?P<week>mon|tue|wed|thu|fri|sat|sun)(?:days?|s|sdays?|nesdays?|r|rs|rsdays?|urdays?)?"
    r"|(?:the\s+)?(?P<month>\d{1,2})(?:st|nd|rd|th))\b,?\s+",
    re.IGNORECASE,
)
_TWO_DAYS = (datetime(2026, 1, 14, 0, 0, 1), datetime(2026, 7, 16, 0, 0, 1))  # noqa: DTZ001 — in any zone
"""What names a time of day alone means that time on each: they are of two weekdays, and of two clocks."""
_WITH_TIME_OF_DAY = frozenset({"time", "part_of_day"})
_A_LITTLE = timedelta(minutes=7)
"""What is said of now, as `in 2 hours` is, moves on with it; `noon` doesn't."""
_IN_DAYS = re.compile(r"\b(?:day|week|month|year)s?\b", re.IGNORECASE)
"""Spans that end at the same time of day, also where the clocks change in between."""


def iso_time(text: str, now: datetime) -> str:
    """The time to come that a text names, in ISO 8601 with its offset; one in ISO 8601 stays as it is. `now`
    is in the zone that counts, a `ZoneInfo`. `Rejected(kind="invalid_arguments")` for a text that names no
    time of day, or one that isn't understood."""
    said = text.strip()
    try:
        datetime.fromisoformat(said)
        return said
    except ValueError:
        pass
    if len(said) > _LONGEST or _NUMERIC_DATE.search(said):
        raise _refused(text)
    exact = _AT_HOUR.sub(r"at \1:00", said)
    now = now.replace(microsecond=0)
    wall = now.replace(tzinfo=None, fold=0)
    meant = _parsed(exact, wall)
    if meant is None:
        raise _refused(text)
    if meant.tzinfo is not None:
        moment = meant
    elif not _IN_DAYS.search(said) and _parsed(exact, wall + _A_LITTLE) == meant + _A_LITTLE:
        moment = now.astimezone(UTC) + (meant - wall)
    else:
        moment = _by_the_clocks(meant, now)
    return moment.astimezone(now.tzinfo).isoformat()


def _parsed(said: str, wall: datetime) -> datetime | None:
    """What a text names at a time on the wall: a time on the same wall, unless it names a zone. None for what
    names no time of day."""
    # It takes 80 ms, which those that call no reminders need not spend.
    from dateparser.date import DateDataParser

    settings: dict[str, Any] = {
        "PARSERS": ["relative-time", "absolute-time"],
        "PREFER_DATES_FROM": "future",
        "RELATIVE_BASE": wall,
        "RETURN_TIME_AS_PERIOD": True,
    }
    found = DateDataParser(languages=["en"], settings=settings).get_date_data(said)
    meant: datetime | None = found.date_obj
    return meant if found.period in _WITH_TIME_OF_DAY else None


def _by_the_clocks(wall: datetime, now: datetime) -> datetime:
    """When the clocks of the zone of `now` show this. Of a time that comes twice it is the one to come; one
    that they jump over is the first moment after the gap."""
    zone = now.tzinfo or UTC
    first, second = instant(wall, zone), wall.replace(tzinfo=zone, fold=1)
    return second if first <= now < second else first


def clock_time(text: str, each: str | int | None, zone: tzinfo | None) -> str:
    """The time of day that a text names, as `HH:MM` by the clocks of a zone. `each` is the day on which it
    comes: of the week (`mon`), of the month, or None for every day; a text that names one, as in `every
    Monday at 9`, names this one. `Rejected(kind="invalid_arguments")` for any other, and for what isn't a
    time of day alone: `tomorrow at 9`, `in 2 hours`."""
    said = text.strip()
    if (named := _EACH.match(said)) is not None:
        day = named["week"] or named["month"]
        if (day or "").lower() != str(each or ""):
            raise _another_day(text)
        said = said[named.end() :]
    if (clock := _CLOCK.fullmatch(said)) is not None:
        return f"{int(clock[1]):02}:{clock[2]}"
    found = set()
    for base in _TWO_DAYS:
        meant = datetime.fromisoformat(iso_time(said, base.replace(tzinfo=zone)))
        if meant.date() != base.date() or meant.second:
            raise _no_time_of_day(text)
        found.add(f"{meant:%H:%M}")
    if len(found) > 1:
        raise _no_time_of_day(text)
    return found.pop()


def _another_day(text: str) -> Rejected:
    said = f"{text[:80]!r} names another day than the schedule comes on: give the time of day alone in at"
    return Rejected(said, kind=ErrorKind.INVALID_ARGUMENTS, path="/at")


def _no_time_of_day(text: str) -> Rejected:
    said = f"{text[:80]!r} isn't just a time of day: say one such as 08:30, 9am, 6:30 pm or noon"
    return Rejected(said, kind=ErrorKind.INVALID_ARGUMENTS, path="/at")


def _refused(text: str) -> Rejected:
    return Rejected(
        f"{text[:80]!r} is no time that is understood: say a day and a time of day, such as "
        "2026-03-29T08:30, 18:15, in 10 minutes, tomorrow at 9, next monday 14:00 or 24 december 6pm",
        kind=ErrorKind.INVALID_ARGUMENTS,
        path="/at",
    )
