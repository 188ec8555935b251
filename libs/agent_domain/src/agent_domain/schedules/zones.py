"""Time zones by their IANA names, and what a time of day means in one."""

from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.nearest import nearest

OF_THIS_MACHINE = frozenset({"localtime", "posixrules", "Factory"})
"""Names in the zones' database whose meaning isn't the same everywhere."""
_MINUTE = timedelta(minutes=1)


def checked_zone(name: str, path: str = "/timezone") -> ZoneInfo:
    """The zone with that IANA name. `Rejected(kind="invalid_arguments")` if there is none."""
    if not _names():
        message = "the server has no database of time zones: install the package tzdata there"
        raise Rejected(message, kind=ErrorKind.UPSTREAM)
    if name not in _names():
        near = nearest(name, _names())
        hint = f"did you mean {near}?" if near else "give an IANA name such as Europe/Oslo, or UTC"
        raise Rejected(
            f"{name[:64]!r} is not a time zone: {hint}", kind=ErrorKind.INVALID_ARGUMENTS, path=path
        )
    return ZoneInfo(name)


def instant(local: datetime, zone: tzinfo) -> datetime:
    """When a naive time comes in a zone, in UTC.

    One that the clocks jump over is the first moment after the gap; one that comes twice is its first.
    """
    aware = local.replace(tzinfo=zone, fold=0)
    while aware != (moment := aware.astimezone(UTC)).astimezone(zone):
        aware = (aware.replace(tzinfo=None, second=0, microsecond=0) + _MINUTE).replace(tzinfo=zone)
    return moment


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones()) - OF_THIS_MACHINE
