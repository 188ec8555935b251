"""How a model is told a time."""

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from session_domain.domain.shown.showing import Clock, TimeShown


@lru_cache(maxsize=64)
def clock_in(timezone: str | None) -> Clock:
    """Tells times to the minute in this timezone (IANA name); None: tells none."""
    if timezone is None:
        return None
    zone = ZoneInfo(timezone)

    def told(moment: str) -> TimeShown:
        now = datetime.fromisoformat(moment).astimezone(zone).isoformat()
        return TimeShown(now[:10], now[11:16], timezone)

    return told
