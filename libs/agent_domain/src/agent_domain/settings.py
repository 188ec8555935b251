"""Settings about what agents have, which several services are told."""

import os
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator

from agent_contracts.errors import Rejected
from agent_domain.schedules.zones import OF_THIS_MACHINE, checked_zone
from agent_platform.settings.settings import BaseSettings
from agent_platform.settings.sources import AllowedValues


def system_timezone() -> str:
    """This machine's IANA time zone: `TZ`, else where /etc/localtime points, else UTC."""
    candidates = [os.environ.get("TZ", "").lstrip(":")]
    localtime = Path("/etc/localtime")
    if localtime.is_symlink():
        candidates.append(str(localtime.resolve()).partition("zoneinfo/")[2])
    return next((name for name in candidates if _is_known(name)), "UTC")


def _is_known(name: str) -> bool:
    """Whether a name that this machine gives itself is a zone's: without a look at all that there are, which
    takes a start 10 ms and more."""
    parts = name.split("/")
    if not name or parts[0] in ("posix", "right") or name in OF_THIS_MACHINE:
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError, ValueError):
        return False
    return True


def _is_timezone(name: str) -> bool:
    try:
        checked_zone(name)
    except Rejected:
        return False
    return True


class TimezoneSettings(BaseSettings):
    """The zone of times that people and agents read and write, where an agent has none of its own."""

    timezone: Annotated[str, AllowedValues("an IANA name such as Europe/Oslo, or UTC")] = Field(
        default_factory=system_timezone,
        description="the zone of the times that you and the agent read and write",
    )

    @field_validator("timezone")
    @classmethod
    def _known_timezone(cls, value: str) -> str:
        if value != "UTC" and not _is_timezone(value):
            raise ValueError("no such time zone on this machine")
        return value
