"""Reckoning with times as events carry them: RFC 3339 text. Reads no clock."""

from datetime import UTC, datetime, timedelta


def milliseconds_between(earlier: str, later: str) -> int:
    """How long `later` comes after `earlier`; negative if before. `ValueError` for what isn't a time."""
    return round((_moment(later) - _moment(earlier)) / timedelta(milliseconds=1))


def later_by(moment: str, milliseconds: int) -> str:
    """The time so much after a moment, in UTC. `ValueError` for what isn't a time, or lies past year 9999."""
    try:
        later = _moment(moment) + timedelta(milliseconds=milliseconds)
    except OverflowError as error:
        raise ValueError(f"{milliseconds} ms after {moment} is not a time") from error
    return later.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"a time without its offset from UTC: {text!r}")
    return moment
