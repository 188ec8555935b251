"""Which of several values of a setting counts."""

from collections.abc import Collection

from agent_contracts.api.settings import Level

OF_THE_MODEL = frozenset({"model_base_url", "model_api_key"})
"""Where the model is, and the key to it. What a process was told of them at its start belongs to the model
that it was told: a person who chooses another one isn't sent to the old one's server."""


def counts(name: str, level: Level, level_of_model: Level) -> bool:
    """Whether the value of this level counts at all, where the model comes from that level."""
    told = level in (Level.FILE, Level.DEFAULT)
    return not (name in OF_THE_MODEL and told and level_of_model in (Level.AGENT, Level.INSTALLATION))


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
