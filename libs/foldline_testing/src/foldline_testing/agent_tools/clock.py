"""A clock that a test can put forward."""

from datetime import datetime, timedelta

from agent_platform.process.clock import SystemClock


class MovableClock(SystemClock):
    """The machine's clock, `ahead` of it by as much as a test says."""

    ahead = timedelta()

    def now(self) -> datetime:
        """The time in UTC."""
        return super().now() + self.ahead
