"""When a reminder that comes again comes next. Pure."""

from calendar import monthrange
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from agent_contracts.entities.schedules import Recurrence
from agent_domain.schedules.zones import instant

_DAYS = 400
"""Within so many days there is a time of each kind."""


def next_again(again: Recurrence, after: datetime) -> datetime:
    """The first time after a moment (aware), in UTC.

    A day that a month doesn't have is its last. A time that the zone's clocks jump over is the first moment
    after the gap, one that comes twice is its first. An interval counts from the moment; one that would end
    outside of its window ends when that next begins.
    """
    zone = ZoneInfo(again.timezone)
    if again.every == "interval":
        return _in_window(again, after + timedelta(seconds=again.seconds), zone)
    first = after.astimezone(zone).date()
    days = (first + timedelta(days=number) for number in range(_DAYS))
    moments = (_at(day, again.clock, zone) for day in days if _is_on(day, again))
    return next(moment for moment in moments if moment > after)


def _is_on(day: date, again: Recurrence) -> bool:
    match again.every:
        case "week":
            return day.weekday() == again.day
        case "month":
            return day.day == min(again.day, monthrange(day.year, day.month)[1])
        case _:
            return True


def _in_window(again: Recurrence, moment: datetime, zone: ZoneInfo) -> datetime:
    if again.window is None:
        return moment
    start, end = again.window
    begins_before_it_ends = time.fromisoformat(start) <= time.fromisoformat(end)
    today = moment.astimezone(zone).date()
    for day in (today - timedelta(days=1), today):
        closes = day if begins_before_it_ends else day + timedelta(days=1)
        if _at(day, start, zone) <= moment <= _at(closes, end, zone):
            return moment
    opens = _at(today, start, zone)
    return opens if opens >= moment else _at(today + timedelta(days=1), start, zone)


def _at(day: date, clock: str, zone: ZoneInfo) -> datetime:
    return instant(datetime.combine(day, time.fromisoformat(clock)), zone)
