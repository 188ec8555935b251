"""What comes late, and how that is said. Pure."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

ON_TIME = timedelta(seconds=60)
"""What comes later than this is late; what stands further ahead than this was written by a wrong clock."""
_UNITS = (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1)))
_FEW = 2
"""From so many of a unit on, the next smaller one isn't needed: 47 hours, but 2 days."""


def lateness(due: datetime, now: datetime, zone: ZoneInfo) -> str | None:
    """A sentence with the time (in `zone`) at which something was due and how long ago that was; None for
    what is on time."""
    if now - due <= ON_TIME:
        return None
    local = due.astimezone(zone)
    at = f"{local:%A}, {local.day} {local:%B %Y} at {local:%H:%M} ({zone.key})"
    return f"Late: this was due on {at}, {_ago(now - due)} ago."


def is_ahead(moment: datetime, now: datetime) -> bool:
    """Whether what happened at `moment` was written by a clock that was ahead of this one."""
    return moment > now + ON_TIME


def _ago(passed: timedelta) -> str:
    unit, length = next((one for one in _UNITS if passed >= _FEW * one[1]), _UNITS[-1])
    number = passed // length
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
