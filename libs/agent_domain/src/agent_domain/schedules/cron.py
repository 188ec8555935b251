"""Cron expressions of five fields, and the times that they name in a zone."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from agent_contracts.entities.schedules import Recurrence
from agent_contracts.errors import ErrorKind, Rejected
from agent_domain.schedules.recurring import next_again
from agent_domain.schedules.times import LATEST_YEAR
from agent_domain.schedules.zones import instant

ALIASES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHLY = re.compile(r"@monthly ([1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):([0-5]\d)")
_EVERY = re.compile(r"@every (\d{1,8})( ([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)?")
SHORTEST_S, LONGEST_S = 60, 366 * 86_400
"""Of what comes at an interval, in seconds."""
LONGEST = 200
"""Characters of an expression."""
_FIRST = datetime(2024, 1, 1)  # noqa: DTZ001  (a wall clock's)


class _Field(NamedTuple):
    """`size` is how many of the unit make the next larger one; `unit_s` how long one is, where that is the
    same for all."""

    name: str
    values: str
    unit: str
    size: int
    unit_s: int | None


_FIELDS = (
    _Field("minute", "0 to 59", "minutes", 60, 60),
    _Field("hour", "0 to 23", "hours", 24, 3600),
    _Field("day-of-month", "1 to 31, or L for the last", "days", 31, 86_400),
    _Field("month", "1 to 12, or JAN to DEC", "months", 12, None),
    _Field("day-of-week", "0 to 7 (0 and 7 are Sunday), or SUN to SAT", "days", 7, 86_400),
)
_HOUR = 1
_NEXT = ("hour", "day", "month", "year", "week")
"""What the values of each field count within."""


def again_in(expression: str, zone: str) -> Recurrence | None:
    """What five fields can't say: `@monthly 30 09:00` (of a shorter month its last day), and `@every 5400`,
    seconds after it last came, or `@every 5400 09:30-17:00`, within a window of the day. None for others."""
    monthly = _MONTHLY.fullmatch(expression)
    if monthly is not None:
        return Recurrence("month", zone, f"{monthly[2]}:{monthly[3]}", day=int(monthly[1]))
    every = _EVERY.fullmatch(expression)
    if every is None:
        return None
    first, _, last = (every[2] or "").strip().partition("-")
    return Recurrence("interval", zone, seconds=int(every[1]), window=(first, last) if every[2] else None)


def checked_cron(expression: str, path: str = "/cron") -> str:
    """The expression, an alias as its five fields, unless it is one of `again_in`. `Rejected` with
    `invalid_arguments`, which names the field that is at fault, for what can't be read, and for what never
    happens (30 February)."""
    if len(expression) > LONGEST:
        raise _refused(f"a cron expression has at most {LONGEST} characters", path)
    given = expression.strip()
    if given.startswith("@"):
        plain = " ".join(given.lower().split())
        again = again_in(plain, "UTC")
        if again is not None:
            if again.every == "interval" and not SHORTEST_S <= again.seconds <= LONGEST_S:
                raise _refused(f"{given!r}: an interval has {SHORTEST_S} to {LONGEST_S:,} seconds", path)
            return plain
        if plain not in ALIASES:
            known = ", ".join((*ALIASES, "@monthly DAY HH:MM", "@every SECONDS [HH:MM-HH:MM]"))
            raise _refused(f"{given!r} is not one of {known}", path)
        given = ALIASES[given.lower()]
    fields = given.upper().split()
    if len(fields) != len(_FIELDS):
        names = ", ".join(field.name for field in _FIELDS)
        raise _refused(f"{expression!r} has {len(fields)} fields, not the five: {names}", path)
    for at, (field, text) in enumerate(zip(_FIELDS, fields, strict=True)):
        alone = ["*"] * len(_FIELDS)
        alone[at] = text
        try:
            CronSim(" ".join(alone), _FIRST)
        except CronSimError as error:
            raise _refused(
                f"the {field.name} of {expression!r} can't be {text!r}: it takes {field.values}; "
                "lists (1,3), ranges (1-5) and steps (*/2)",
                path,
            ) from error
        _check_steps(expression, field, at, text, path)
    joined = " ".join(fields)
    if next(_wall_times(joined, _FIRST), None) is None:
        raise _refused(f"{expression!r} never happens: no such month has a day {fields[2]}", path)
    return joined


def _check_steps(expression: str, field: _Field, at: int, text: str, path: str) -> None:
    """Refuse a step that names one value alone, as it reaches beyond its field: it would not come each so
    many minutes, but once an hour."""
    for term in text.split(","):
        start, slash, step = term.partition("/")
        alone = ["*"] * len(_FIELDS)
        alone[at] = term
        parsed = CronSim(" ".join(alone), _FIRST)
        values = (parsed.minutes, parsed.hours, parsed.days, parsed.months, parsed.weekdays)[at]
        if not slash or len(values) != 1 or int(step) in (1, field.size) or start.startswith("L"):
            continue
        seconds = int(step) * field.unit_s if field.unit_s is not None else None
        offer = f"name the {field.unit} themselves, such as {'JAN,JUL' if field.unit_s is None else '1,15'}"
        if seconds is not None and SHORTEST_S <= seconds <= LONGEST_S:
            offer = f"for every {int(step):,} {field.unit}, write @every {seconds}"
        raise _refused(
            f"the {field.name} of {expression!r} can't be {term!r}: a step begins anew with each "
            f"{_NEXT[at]}, so this one would name one value alone; {offer}",
            path,
        )


def cron_times(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """The times after `after` (aware), in UTC, earliest first, of an expression that was checked.

    They are those of the zone's wall clocks. One that the clocks jump over is the first moment after the
    gap, one that comes twice is its first. Where the hour is `*`, it is every hour that passes: none is
    jumped over, and none comes twice.
    """
    again = again_in(expression, zone.key)
    if again is not None:
        yield from _coming_again(again, after)
        return
    every_hour = expression.split()[_HOUR] == "*"
    times = _passing_times(expression, zone, after) if every_hour else _local_times(expression, zone, after)
    last = after
    for moment in times:
        if moment > last:
            last = moment
            yield moment


def _coming_again(again: Recurrence, after: datetime) -> Iterator[datetime]:
    moment = after
    while moment.year < LATEST_YEAR:
        moment = next_again(again, moment)
        yield moment


def _local_times(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    wall = after.astimezone(zone).replace(tzinfo=None)
    return (instant(local, zone) for local in _wall_times(expression, wall))


def _passing_times(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    try:
        for moment in CronSim(expression, after.astimezone(zone)):
            yield moment.astimezone(UTC)
    except OverflowError:  # past the year 9999
        return


def _wall_times(expression: str, after: datetime) -> Iterator[datetime]:
    try:
        yield from CronSim(expression, after)
    except CronSimError:  # days that the months don't have
        return
    except OverflowError:
        return


def _refused(message: str, path: str) -> Rejected:
    return Rejected(message, kind=ErrorKind.INVALID_ARGUMENTS, path=path)
