"""The write log of an agent's database (`agt.<aid>.db`): whoever folds it has the database."""

from agent_contracts.event import Event
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources


class DatabaseWritten(Event, frozen=True, tag="foldline.agent.database_written.v1"):
    """A statement that changed the agent's database, accepted on the database as it was before this event.

    It ran at `clock` with randomness drawn from `seed`, and does so wherever it is run again.
    """

    sql: str
    """The SQL statement."""
    params: list[Json]
    """The values for its `?`, in order; a blob as `{"$base64": text}`."""
    clock: int
    """The statement's time, in milliseconds since 1970 in UTC."""
    seed: str
    """The seed of the statement's randomness."""
    changes: int
    """Number of rows that it changed, and must change again."""
    last_insert_rowid: int
    """Id of the last row that it inserted, and must give again."""
    session_id: SessionId | None = None
    """Id of the session in which the agent wrote it; null: a person did."""
    call_id: CallId | None = None
    """Id of the tool call by which the agent wrote it; null: a person did."""
    outside: Sources = ()
    """Sources of outside material that its writer had read by then."""
    bytes: int = 0
    """Size of the database before the statement, in bytes."""


class DatabaseRestored(Event, frozen=True, tag="foldline.agent.database_restored.v1"):
    """From here on the database is what it was after an event."""

    to: int
    """Number of the event as of which the database is restored."""
    session_id: SessionId | None = None
    """Id of the session that was rewound; null: a person rewound the agent."""
    call_id: CallId | None = None
    """Id of the tool call that asked for it; null: none did."""
    agent_id: AgentId | None = None
    """Id of the agent whose database it becomes a copy of; null: its own."""


DatabaseEvent = DatabaseWritten | DatabaseRestored
"""Everything that can stand on a database's subject."""
