"""What the browser pool is told."""

from typing import Annotated

from pydantic import Field

from agent_domain.secrets.settings import SecretsSettings
from agent_platform.settings.settings import Seconds
from agent_platform.settings.sources import AllowedValues
from agent_tools.hosting.settings import WorkerSettings
from browser_pool.chromium.settings import ChromiumSettings
from browser_pool.limits import CONTEXTS, HAND_OVER_S, IDLE_S


class BrowserPoolSettings(ChromiumSettings, SecretsSettings, WorkerSettings):
    """What Chromium may do, for how many sessions, and for how long."""

    browser_contexts: Annotated[int, Field(ge=1, le=100), AllowedValues("a whole number, 1 to 100")] = Field(
        default=CONTEXTS, description="sessions that may use one browser pool at a time"
    )
    browser_idle: Seconds = Field(
        default=IDLE_S, description="seconds without a call after which a session's browser is closed"
    )
    browser_hand_over: Seconds = Field(
        default=HAND_OVER_S, description="seconds that a person has for what a browser is handed over for"
    )
