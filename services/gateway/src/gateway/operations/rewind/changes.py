"""What changed since a moment, and taking it back."""

import msgspec

from gateway.operations.rewind.agent_changes import AgentChanges
from gateway.operations.rewind.database_changes import DatabaseLog
from gateway.operations.rewind.file_changes import FileChanges


class Changes(msgspec.Struct, frozen=True):
    """Of an agent's texts, state and definitions, of its files, and of its database."""

    agent: AgentChanges
    files: FileChanges
    database: DatabaseLog
