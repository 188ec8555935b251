"""Which of several values of a setting counts."""

from collections.abc import Collection
from enum import StrEnum


class Level(StrEnum):
    """Where a setting's value comes from; the first that has one counts."""

    ENVIRONMENT = "environment"
    AGENT = "agent"
    INSTALLATION = "installation"
    FILE = "file"
    DEFAULT = "default"


def level_of(
    name: str,
    *,
    locked: Collection[str],
    agent: Collection[str],
    installation: Collection[str],
    file: Collection[str] = (),
) -> Level:
    """The level whose value counts, by the names that each level has."""
    levels = (
        (Level.ENVIRONMENT, locked),
        (Level.AGENT, agent),
        (Level.INSTALLATION, installation),
        (Level.FILE, file),
    )
    return next((level for level, names in levels if name in names), Level.DEFAULT)
