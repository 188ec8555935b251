"""Settings are entities of the kind `setting`, by these names: an agent's own, or the installation's."""

import msgspec

from agent_contracts.ids import AgentId

SYSTEM_AGENT = AgentId("_system")
"""Whose settings hold for every agent that has none of its own. It is not an agent: it has no prompt, nobody
talks to it, and nothing can be made, deleted or exported under its id."""


class SecretSetting(msgspec.Struct, frozen=True):
    """What the log holds of a setting that is secret. Its value, the newest alone, is kept apart."""

    revision: int
