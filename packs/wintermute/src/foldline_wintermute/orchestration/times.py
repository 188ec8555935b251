"""Times as people say them."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field

from agent_contracts.entities.schedules import Recurrence
from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.schedules.cron import LONGEST_S
from agent_domain.schedules.zones import instant
from agent_tools.tool import Arguments

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


_CLOCK_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_MINUTE = 60
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class WintermuteSetReminder(Arguments):
    """What, and when."""

    message: Annotated[str, Field(min_length=1, max_length=4_000, description="What people read.")]
    ai_prompt: Annotated[
        str | None, Field(min_length=1, max_length=10_000, description="What you are told then.")
    ] = None
    schedule_type: Literal["once", "daily", "weekly", "monthly", "interval"]
    at: Annotated[
        str | None,
        Field(description="once: ISO 8601, HH:MM or words (tomorrow at 9); else a time of day: HH:MM, 9am."),
    ] = None
    day_of_week: Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"] | None = None
    day_of_month: Annotated[int | None, Field(ge=1, le=31, description="Of a shorter month, its last.")] = (
        None
    )
    interval_seconds: Annotated[int | None, Field(ge=_MINUTE, le=LONGEST_S, description="60 or more.")] = None
    window_start: Annotated[str | None, Field(description="interval: earliest time, HH:MM.")] = None
    window_end: Annotated[str | None, Field(description="interval: latest time, HH:MM.")] = None
    system: Annotated[bool, Field(description="In a session of its own, not in a chat.")] = False


def again_of(args: WintermuteSetReminder) -> Recurrence | None:
    """How it comes again in this chat; None for one that comes once. `Rejected` as in `when_of`."""
    if args.schedule_type == "once":
        return None
    _check(args)
    match args.schedule_type:
        case "interval":
            window = None
            if args.window_start is not None or args.window_end is not None:
                window = (
                    _time(args.window_start or "00:00", "window_start"),
                    _time(args.window_end or "23:59", "window_end"),
                )
            return Recurrence("interval", seconds=args.interval_seconds or 0, window=window)
        case "weekly":
            return Recurrence("week", clock=_time(args.at, "at"), day=_DAYS.index(args.day_of_week or "mon"))
        case "monthly":
            return Recurrence("month", clock=_time(args.at, "at"), day=args.day_of_month or 1)
        case _:
            return Recurrence("day", clock=_time(args.at, "at"))


class ReminderTime(msgspec.Struct, frozen=True):
    """One of them: a time, or cron. Both are in the agent's zone."""

    at: str | None = None
    cron: str | None = None


def when_of(args: WintermuteSetReminder) -> ReminderTime:
    """What the arguments name, for a session of its own. `Rejected` with the one that is missing, or can't
    be."""
    _check(args)
    again = again_of(args)
    match args.schedule_type:
        case "once":
            return ReminderTime(at=args.at)
        case "daily":
            return ReminderTime(cron=f"{_clock(args.at)} * * *")
        case "weekly":
            return ReminderTime(cron=f"{_clock(args.at)} * * {str(args.day_of_week).upper()}")
        case "monthly":
            return ReminderTime(cron=f"@monthly {args.day_of_month} {_time(args.at, 'at')}")
        case "interval":
            window = "" if again is None or again.window is None else " {}-{}".format(*again.window)
            return ReminderTime(cron=f"@every {args.interval_seconds}{window}")


def _check(args: WintermuteSetReminder) -> None:
    needed = {
        "once": ("at",),
        "daily": ("at",),
        "weekly": ("at", "day_of_week"),
        "monthly": ("at", "day_of_month"),
        "interval": ("interval_seconds",),
    }[args.schedule_type]
    for name in needed:
        if getattr(args, name) is None:
            raise _refused_time(f"{args.schedule_type} needs {name}", name)
    for name in ("window_start", "window_end"):
        if args.schedule_type != "interval" and getattr(args, name) is not None:
            raise _refused_time("only an interval has a window", name)


def _time(text: str | None, name: str) -> str:
    """`HH:MM`, as it is written."""
    found = _CLOCK_TIME.fullmatch((text or "").strip())
    if found is None:
        raise _refused_time(f"{(text or '')[:40]!r} is no time of day: write HH:MM, such as 08:30", name)
    return f"{int(found[1]):02}:{found[2]}"


def _clock(at: str | None) -> str:
    """`HH:MM` as the first two fields."""
    hour, minute = _time(at, "at").split(":")
    return f"{int(minute)} {int(hour)}"


def _refused_time(why: str, name: str) -> Rejected:
    return Rejected(why, kind=ErrorKind.INVALID_ARGUMENTS, path=f"/{name}")
