"""What the browser-pool is told."""

from browser_pool.chromium.settings import ChromiumSettings


class BrowserPoolSettings(ChromiumSettings):
    """Where the log is, and what Chromium may do."""
