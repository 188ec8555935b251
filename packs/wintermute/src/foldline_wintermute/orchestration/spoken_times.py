"""Times as people say them, in English: `tomorrow at 9`."""

import re
from datetime import datetime
from typing import Any

from agent_contracts.errors import ErrorKind, Rejected

_LONGEST = 100
_AT_HOUR = re.compile(r"\bat (\d{1,2})$", re.IGNORECASE)
"""`dateparser` would drop this hour without a word, and take that of now."""
_NUMERIC_DATE = re.compile(r"\d[/.-]\d")
"""5/6 is in May or in June."""
_WITH_TIME_OF_DAY = frozenset({"time", "part_of_day"})


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
    # It takes 80 ms, which those that call no reminders need not spend.
    from dateparser.date import DateDataParser

    settings: dict[str, Any] = {
        "PARSERS": ["relative-time", "absolute-time"],
        "PREFER_DATES_FROM": "future",
        "RELATIVE_BASE": now.replace(tzinfo=None, microsecond=0),
        "RETURN_TIME_AS_PERIOD": True,
    }
    exact = _AT_HOUR.sub(r"at \1:00", said)
    found = DateDataParser(languages=["en"], settings=settings).get_date_data(exact)
    meant = found.date_obj
    if meant is None or found.period not in _WITH_TIME_OF_DAY:
        raise _refused(text)
    in_zone: datetime = meant.astimezone(now.tzinfo) if meant.tzinfo else meant.replace(tzinfo=now.tzinfo)
    return in_zone.isoformat()


def _refused(text: str) -> Rejected:
    return Rejected(
        f"{text[:80]!r} is no time that is understood: say a day and a time of day, such as "
        "2026-03-29T08:30, 18:15, in 10 minutes, tomorrow at 9, next monday 14:00 or 24 december 6pm",
        kind=ErrorKind.INVALID_ARGUMENTS,
        path="/at",
    )
