"""What changed since a moment, and taking it back."""

import msgspec

from gateway.operations.rewind.agent_changes import AgentChanges
from gateway.operations.rewind.database_changes import DatabaseLog


class Changes(msgspec.Struct, frozen=True):
    """Of an agent's texts, state and definitions, and of its database."""

    agent: AgentChanges
    database: DatabaseLog
