"""Quiet hours. Pure."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from agent_contracts.entities.notifications import QuietHours


def quiet_until(hours: QuietHours | None, now: datetime) -> datetime | None:
    """When the quiet hours that `now` lies in are over (UTC); None outside of them.

    Times are those of the wall clock, also on the days when it is changed.
    """
    if hours is None or hours.begins == hours.ends:
        return None
    zone = ZoneInfo(hours.timezone)
    begins, ends = time.fromisoformat(hours.begins), time.fromisoformat(hours.ends)
    today = now.astimezone(zone).date()
    for day in (today - timedelta(days=1), today):
        start = _moment(day, begins, zone)
        end = _moment(day if begins < ends else day + timedelta(days=1), ends, zone)
        if start <= now < end:
            return end
    return None


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, at, zone).astimezone(UTC)
